// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/config/train_config.h"

namespace batchwise {

enum class NormKind {
  LayerNorm,        ///< mean and variance; weight and bias
  LayerNormNoBias,  ///< mean and variance; weight only
  RmsNorm,          ///< root mean square; weight only
};

enum class PositionKind {
  Learned,           ///< a table added to the word embeddings
  RotaryHalves,      ///< rotates feature i with i + d / 2 (Su et al. 2021, as in GPT-NeoX)
  RotaryInterleaved  ///< rotates feature 2 i with 2 i + 1
};

/// Feed-forward part. The gated forms multiply an activated half by a linear one (Shazeer 2020).
enum class FeedForward { Plain, Gated };

/// How queries, keys and values stand in the tensors of the family's files; in memory they are always one matrix of all
/// queries, all keys, all values.
enum class QueryKeyValueLayout {
  Separate,  ///< three tensors
  Stacked,   ///< one tensor: all queries, all keys, all values
  PerHead    ///< one tensor: query, key and value of head 0, then of head 1, ...
};

enum class HeadKind {
  Transform,  ///< dense, activation, norm, decoder
  Decoder     ///< decoder only
};

/// The head of a model that is fine-tuned for a task, in place of that for masked tokens.
enum class TaskHead {
  None,
  Sequence,  ///< outputs of each sequence
  Tokens,    ///< outputs of chosen tokens
  Vectors    ///< none: hidden states, and the pooler that transformers' class of the encoder has
};

/// What the heads of a family's classes for tasks compute in transformers: of a sequence, its first token or the mean
/// of its tokens goes through a dense matrix, an activation and a norm, where the family has one, to the last matrix.
struct TaskHeadTraits {
  bool meanPooling = false;    ///< else the first token
  bool denseOfTokens = false;  ///< outputs of tokens have the dense matrix, too
  bool tanh = true;            ///< else Gelu
  bool drops = true;           ///< hidden dropout before the last matrix
  bool dropsPooled = false;    ///< and before the dense one
};

/// How fresh weights are drawn.
enum class InitKind {
  Normal,     ///< N(0, range)
  Truncated,  ///< N(0, range) cut at 2 deviations; output matrices with range / sqrt(2 layers)
  Uniform     ///< U(-range, range)
};

/// What a family fixes, and its defaults; sizes and options are in ModelShape. One constant per family, in
/// family_*.cpp. Sources: the configuration and modeling files of each family in Hugging Face transformers, and of
/// NeoBERT its own.
struct FamilyTraits {
  NormKind norm = NormKind::LayerNorm;
  NormPlacement placement = NormPlacement::Post;
  bool eitherPlacement = false;  ///< norm: pre and norm: post can be chosen
  bool embeddingNorm = true;
  bool firstNormIsIdentity = false;  ///< the attention norm of layer 0 does not exist
  PositionKind positions = PositionKind::Learned;
  std::int64_t firstPosition = 0;   ///< of the first token, in a table of learned positions
  std::int64_t maxPositions = 512;  ///< of a longer sequence, its length
  std::int64_t segmentTypes = 2;    ///< rows of the table of segment types that is added; 0: none
  std::int64_t globalAttentionEvery = 1;
  std::int64_t localAttention = 0;  ///< 0: no layer has a window
  double ropeTheta = 0.0;
  double localRopeTheta = 0.0;
  FeedForward feedForward = FeedForward::Plain;
  bool biases = true;  ///< of the matrices of the layers
  QueryKeyValueLayout queryKeyValue = QueryKeyValueLayout::Separate;
  bool groupsKeys = false;  ///< heads of queries can share a head of keys and values
  HeadKind head = HeadKind::Transform;
  bool transformBias = true;  ///< of the dense matrix of the head, whose activation is Gelu except in Bert
  bool decoderBias = true;
  InitKind init = InitKind::Normal;
  Activation activation = Activation::Gelu;
  double normEps = 1e-12;
  double hiddenDropout = 0.1;
  bool dropsAttentionOutputOnly = false;  ///< hidden dropout applies nowhere else
  bool tied = true;
  TaskHeadTraits taskHead = {};
};

/// What the families after 2023 share: norms before each half, rotary positions, gates, no biases, no dropout.
constexpr FamilyTraits rotaryFamily(NormKind norm, double theta) {
  FamilyTraits traits;
  traits.norm = norm;
  traits.placement = NormPlacement::Pre;
  traits.positions = PositionKind::RotaryHalves;
  traits.maxPositions = 8192;
  traits.segmentTypes = 0;
  traits.ropeTheta = theta;
  traits.feedForward = FeedForward::Gated;
  traits.biases = false;
  traits.normEps = 1e-5;
  traits.hiddenDropout = 0.0;
  traits.taskHead.drops = false;
  return traits;
}

const FamilyTraits& traitsOf(ModelFamily family);

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
  TaskHead taskHead = TaskHead::None;
  std::int64_t taskOutputs = 0;  ///< numbers that a task head gives: one per class, or 1
  bool classifierMean = false;   ///< TaskHead::Sequence reads the mean of the tokens: classifier_pooling of modernbert

  const FamilyTraits& traits() const { return traitsOf(family); }
  bool poolsMean() const { return classifierMean || traits().taskHead.meanPooling; }
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
