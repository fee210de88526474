// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

enum class Activation { Gelu, GeluTanh, Relu };  ///< gelu, gelu_new, relu
enum class NormPlacement { Post, Pre };

/// Everything that decides which tensors a BERT has and what it computes: the answer to a ModelConfig, a vocabulary and
/// perhaps the config.json of a folder to start from. Sizes are in features, probabilities in [0, 1).
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
  /// Trainable numbers of BertForMaskedLM, a tied decoder counted once.
  std::int64_t parameterCount() const;
  bool operator==(const ModelShape&) const = default;
};

/// Preset, then the sizes that `config` names. `vocabSize` is that of the tokenizer, `maxSeqLen` what the positions
/// must hold. Fails with Config: an unknown preset, activation or norm; heads that do not divide the hidden size; too
/// few positions; a size or probability out of range.
Result<ModelShape> resolveModelShape(const ModelConfig& config, std::int64_t vocabSize, std::int64_t maxSeqLen);

/// As above for a model that starts from a folder: sizes come from `folder`'s config.json, and a size that `config`
/// names must agree with it. Fails with Config also if the vocabulary sizes differ.
Result<ModelShape> resolveModelShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen);

/// Whether attention on a GPU takes the size of the heads, in bf16 or fp16 or else in fp32. Fails with Config.
Result<void> checkGpuHeadSize(const ModelShape& shape, bool halfPrecision);

/// gelu, gelu_new, relu, as in config.json.
std::string activationName(Activation activation);
Result<Activation> parseActivation(const std::string& name);

}  // namespace batchwise
