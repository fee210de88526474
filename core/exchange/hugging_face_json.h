// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/data/tokenizer.h"

namespace batchwise {

/// Returns names and texts of the tokenizer files of a Hugging Face model folder. BERT's tokenizer also has a
/// vocab.txt; any other one goes out as it was read: its tokenizer.json unchanged, its tokenizer_config.json with what
/// it lacks. `segmentTypes`: rows of the table of segment types; with fewer than 2, both texts of a pair are of type 0.
std::vector<std::pair<std::string, std::string>> tokenizerFiles(const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                                                                std::int64_t segmentTypes);

}  // namespace batchwise
