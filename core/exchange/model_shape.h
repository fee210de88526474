// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Architecture of a BERT: everything that determines its tensors and computation. Resolved from a ModelConfig, a
/// vocabulary and possibly the config.json of initial weights. Sizes in features, probabilities in [0, 1).
struct ModelShape {
  std::int64_t vocabSize = 0;
  std::int64_t hiddenSize = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;
  std::int64_t intermediateSize = 3072;
  std::int64_t maxPositions = 512;
  std::int64_t typeVocabSize = 2;
  Activation activation = Activation::Gelu;
  NormPlacement norm = NormPlacement::Post;
  double hiddenDropout = 0.1;
  double attentionDropout = 0.0;
  double initializerRange = 0.02;
  double layerNormEps = 1e-12;
  double attentionLogitL2 = 0.0;
  double layerDrop = 0.0;
  bool tieWordEmbeddings = true;

  std::int64_t headSize() const { return hiddenSize / heads; }
  /// Returns the number of trainable parameters of BertForMaskedLM, counting a tied decoder once.
  std::int64_t parameterCount() const;
  bool operator==(const ModelShape&) const = default;
};

/// Resolves the preset and the sizes in `config`. `vocabSize` is that of the tokenizer, `maxSeqLen` the longest
/// sequence. Fails with Config for an unknown preset, activation or norm, a hidden size not divisible by the heads, too
/// few positions, or a size or probability out of range.
Result<ModelShape> resolveModelShape(const ModelConfig& config, std::int64_t vocabSize, std::int64_t maxSeqLen);

/// Overload for a model initialized from a folder: sizes come from its config.json, and sizes set in `config` must
/// match. Also fails with Config if the vocabulary sizes differ.
Result<ModelShape> resolveModelShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen);

/// Checks that GPU attention supports the head size, for bf16 and fp16 or else for fp32. Fails with Config.
Result<void> checkGpuHeadSize(const ModelShape& shape, bool halfPrecision);

}  // namespace batchwise
