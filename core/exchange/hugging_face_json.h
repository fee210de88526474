// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/data/vocabulary.h"
#include "core/exchange/model_shape.h"

namespace batchwise {

// The JSON files of a Hugging Face model folder.

/// Parses a config.json; ignores unknown keys. Fails with Config if it is not a BERT model, or a value is missing or of
/// the wrong type.
Result<ModelShape> parseHuggingFaceConfig(std::string_view json);
/// Returns a config.json for transformers 5. Options unknown to it (norm, layer_drop, attention_logit_l2) are written
/// under their configuration names, and only if they differ from BERT's defaults.
std::string huggingFaceConfig(const ModelShape& shape, const SpecialIds& special);

/// Returns tokenizer.json for `tokenizers`: normalizer, pre-tokenizer, WordPiece and post-processor.
std::string tokenizerJson(const Vocabulary& vocabulary, bool lowercase);
std::string tokenizerConfigJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t maxSeqLen);
std::string specialTokensJson(const Vocabulary& vocabulary);

}  // namespace batchwise
