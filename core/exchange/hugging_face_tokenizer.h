// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/data/vocabulary.h"

namespace batchwise {

// Tokenizer files for the Hugging Face libraries. Internal to exchange.

/// Returns tokenizer.json for `tokenizers`: normalizer, pre-tokenizer, WordPiece and post-processor.
std::string tokenizerJson(const Vocabulary& vocabulary, bool lowercase);
std::string tokenizerConfigJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t maxSeqLen);
std::string specialTokensJson(const Vocabulary& vocabulary);

}  // namespace batchwise
