// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/data/vocabulary.h"

namespace batchwise {

// The files that describe BERT's tokenizer to the Hugging Face libraries. Internal to exchange.

/// tokenizer.json: normaliser, splitter, WordPiece and frame, for `tokenizers`.
std::string tokenizerJson(const Vocabulary& vocabulary, bool lowercase);
/// tokenizer_config.json.
std::string tokenizerConfigJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t maxSeqLen);
/// special_tokens_map.json.
std::string specialTokensJson(const Vocabulary& vocabulary);

}  // namespace batchwise
