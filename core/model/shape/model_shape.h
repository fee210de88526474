// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/model/shape/model_family.h"

namespace batchwise {

/// Architecture of an encoder: everything that determines its tensors and computation. Resolved from a ModelConfig, a
/// vocabulary and possibly the config.json of initial weights. Sizes in features, probabilities in [0, 1). The defaults
/// are those of BERT-base.
struct ModelShape {
  ModelFamily family = ModelFamily::Bert;
  std::int64_t vocabSize = 0;  ///< rows of the word embeddings, padding rows included
  std::int64_t hiddenSize = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;
  std::int64_t keyValueHeads = 12;        ///< divides heads
  std::int64_t intermediateSize = 3072;   ///< of the gated forms: of one half
  std::int64_t maxPositions = 512;        ///< longest sequence
  std::int64_t typeVocabSize = 2;         ///< 0 without segment types
  std::int64_t globalAttentionEvery = 1;  ///< layers i with i % this != 0 attend to a window
  std::int64_t localAttention = 0;        ///< window: keys at a distance of at most localAttention / 2
  double ropeTheta = 0.0;                 ///< of global layers; 0 with learned positions
  double localRopeTheta = 0.0;            ///< of local layers
  Activation activation = Activation::Gelu;
  NormPlacement norm = NormPlacement::Post;
  double hiddenDropout = 0.1;
  double attentionDropout = 0.0;
  double initializerRange = 0.02;
  double layerNormEps = 1e-12;
  double attentionLogitL2 = 0.0;
  double layerDrop = 0.0;
  bool tieWordEmbeddings = true;
  /// The token that takes no position but the row before the first one: in roberta that of padding, which stands in
  /// sequences where it is the end or the unknown token, too. -1: each token takes the next position.
  std::int64_t unplacedToken = -1;

  const FamilyTraits& traits() const { return traitsOf(family); }
  std::int64_t headSize() const { return hiddenSize / heads; }
  std::int64_t keyValueSize() const { return keyValueHeads * headSize(); }
  /// Rows of the table of learned positions; 0 with rotary ones.
  std::int64_t positionRows() const;
  bool isLocal(std::int64_t layer) const { return globalAttentionEvery > 1 && layer % globalAttentionEvery != 0; }
  /// Returns the number of trainable parameters of the masked language model, counting a tied decoder once.
  std::int64_t parameterCount() const;
  bool operator==(const ModelShape&) const = default;
};

/// Returns the shape with what `family` fixes and its defaults in place; sizes stay, but for windows and segment types.
ModelShape inFamily(ModelShape shape, ModelFamily family);

/// Resolves the preset and the sizes in `config`. `vocabSize` is that of the tokenizer, `maxSeqLen` the longest
/// sequence. Fails with Config for a preset or option that the family does not have, a hidden size not divisible by the
/// heads, too few positions, or a size or probability out of range.
Result<ModelShape> resolveModelShape(const ModelConfig& config, std::int64_t vocabSize, std::int64_t maxSeqLen);

/// Overload for a model initialized from a folder: sizes come from its config.json, and sizes set in `config` must
/// match, except for the longest sequence with rotary positions. Rows of the word embeddings beyond the tokenizer's
/// fill up if they round its size. Also fails with Config if the vocabulary is larger and `config` does not extend it,
/// or smaller otherwise.
Result<ModelShape> resolveModelShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen);

/// Resolves a model whose weights are tiled from those of a smaller one (`folder`): its own sizes, the family of the
/// folder if none is set. Fails as both of the above.
Result<ModelShape> resolveTiledShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen);

/// Checks that GPU attention supports the head size, for bf16 and fp16 or else for fp32. Fails with Config.
Result<void> checkGpuHeadSize(const ModelShape& shape, bool halfPrecision);

}  // namespace batchwise
