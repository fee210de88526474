// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/data/tokenizer.h"

namespace batchwise {

// The tokenizer files of a Hugging Face model folder.

/// Returns tokenizer.json for `tokenizers`: normalizer, pre-tokenizer, WordPiece and post-processor.
std::string tokenizerJson(const Vocabulary& vocabulary, bool lowercase);
std::string tokenizerConfigJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t maxSeqLen);
std::string specialTokensJson(const Vocabulary& vocabulary);

/// Returns names and texts of all tokenizer files. BERT's tokenizer also has a vocab.txt; any other one goes out as it
/// was read: its tokenizer.json unchanged, its tokenizer_config.json with what it lacks.
std::vector<std::pair<std::string, std::string>> tokenizerFiles(const Tokenizer& tokenizer, std::int64_t maxSeqLen);

}  // namespace batchwise
