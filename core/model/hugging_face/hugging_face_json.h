// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/text/tokenizer.h"

namespace batchwise {

/// Returns names and texts of the tokenizer files of a Hugging Face model folder. BERT's tokenizer also has a
/// vocab.txt; of any other one tokenizer.json goes out as it was read, framed if it does not frame by itself, with a
/// tokenizer_config.json that has it used as it is. `segmentTypes`: rows of the table of segment types; with fewer than
/// 2, both texts of a pair are of type 0.
std::vector<std::pair<std::string, std::string>> tokenizerFiles(const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                                                                std::int64_t segmentTypes);

}  // namespace batchwise
