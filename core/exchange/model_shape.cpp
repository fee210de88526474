// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/model_shape.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/format.h"
#include "core/exchange/messages.h"

namespace batchwise {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;
constexpr std::int64_t kMostLayers = 1024;

Result<void> checkSize(const char* field, std::int64_t value, std::int64_t largest) {
  if (value >= 1 && value <= largest) return {};
  return Error::config(messages::modelSizeOutOfRange(field, value, largest));
}

Result<void> checkProbability(const char* field, double value) {
  if (value >= 0.0 && value < 1.0) return {};
  return Error::config(messages::modelFractionOutOfRange(field, value));
}

Result<void> checkShape(const ModelShape& s, std::int64_t maxSeqLen) {
  const std::pair<const char*, std::int64_t> sizes[] = {
      {"vocab_size", s.vocabSize},          {"hidden_size", s.hiddenSize},
      {"num_attention_heads", s.heads},     {"intermediate_size", s.intermediateSize},
      {"type_vocab_size", s.typeVocabSize}, {"max_position_embeddings", s.maxPositions}};
  for (const auto& [field, value] : sizes) RETURN_IF_ERROR(checkSize(field, value, kLargestSize));
  RETURN_IF_ERROR(checkSize("num_hidden_layers", s.layers, kMostLayers));
  if (s.hiddenSize > 16384) return Error::config(messages::hiddenSizeTooLarge(s.hiddenSize));
  if (s.hiddenSize % s.heads != 0) return Error::config(messages::hiddenSizeNotDivisible(s.hiddenSize, s.heads));
  if (s.maxPositions < maxSeqLen)
    return Error::config(messages::maxPositionsBelowSequenceLength(s.maxPositions, maxSeqLen));
  const std::pair<const char*, double> probabilities[] = {{"hidden_dropout_prob", s.hiddenDropout},
                                                          {"attention_probs_dropout_prob", s.attentionDropout},
                                                          {"layer_drop", s.layerDrop}};
  for (const auto& [field, value] : probabilities) RETURN_IF_ERROR(checkProbability(field, value));
  if (!(s.initializerRange > 0) || !(s.layerNormEps > 0) || !(s.attentionLogitL2 >= 0))
    return Error::config(messages::modelNumbersOutOfRange());
  return {};
}

ModelShape withOptions(ModelShape shape, const ModelConfig& config) {
  shape.activation = config.hiddenAct;
  shape.norm = config.norm;
  shape.hiddenDropout = config.hiddenDropoutProb;
  shape.attentionDropout = config.attentionProbsDropoutProb;
  shape.initializerRange = config.initializerRange;
  shape.layerNormEps = config.layerNormEps.value_or(shape.layerNormEps);
  shape.attentionLogitL2 = config.attentionLogitL2;
  shape.layerDrop = config.layerDrop;
  shape.tieWordEmbeddings = config.tieWordEmbeddings;
  return shape;
}

Result<void> checkMatches(const char* field, const std::optional<std::int64_t>& wanted, std::int64_t found) {
  if (!wanted || *wanted == found) return {};
  return Error::config(messages::modelFieldContradictsFolder(field, *wanted, found));
}

}  // namespace

std::int64_t ModelShape::parameterCount() const {
  const std::int64_t h = hiddenSize;
  const std::int64_t embeddings = (vocabSize + maxPositions + typeVocabSize + 2) * h;
  const std::int64_t layer = 4 * h * h + 4 * h + 2 * h * intermediateSize + intermediateSize + h + 4 * h;
  const std::int64_t head = h * h + 3 * h + vocabSize + (tieWordEmbeddings ? 0 : vocabSize * h);
  return embeddings + layers * layer + head + (norm == NormPlacement::Pre ? 2 * h : 0);
}

Result<ModelShape> resolveModelShape(const ModelConfig& config, std::int64_t vocabSize, std::int64_t maxSeqLen) {
  const PresetSizes preset = sizesOf(config.preset);
  ModelShape shape;
  shape.vocabSize = vocabSize;
  shape.hiddenSize = config.hiddenSize.value_or(preset.hiddenSize);
  shape.layers = config.numHiddenLayers.value_or(preset.layers);
  shape.heads = config.numAttentionHeads.value_or(preset.heads);
  if (shape.hiddenSize < 1 || shape.hiddenSize > kLargestSize)
    return checkSize("hidden_size", shape.hiddenSize, kLargestSize).error();
  shape.intermediateSize = config.intermediateSize.value_or(4 * shape.hiddenSize);
  shape.maxPositions = config.maxPositionEmbeddings.value_or(std::max<std::int64_t>(512, maxSeqLen));
  shape.typeVocabSize = config.typeVocabSize.value_or(2);
  const ModelShape complete = withOptions(shape, config);
  RETURN_IF_ERROR(checkShape(complete, maxSeqLen));
  return complete;
}

Result<ModelShape> resolveModelShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen) {
  const std::pair<const char*, std::pair<std::optional<std::int64_t>, std::int64_t>> sizes[] = {
      {"hidden_size", {config.hiddenSize, folder.hiddenSize}},
      {"num_hidden_layers", {config.numHiddenLayers, folder.layers}},
      {"num_attention_heads", {config.numAttentionHeads, folder.heads}},
      {"intermediate_size", {config.intermediateSize, folder.intermediateSize}},
      {"max_position_embeddings", {config.maxPositionEmbeddings, folder.maxPositions}},
      {"type_vocab_size", {config.typeVocabSize, folder.typeVocabSize}}};
  for (const auto& [field, values] : sizes) RETURN_IF_ERROR(checkMatches(field, values.first, values.second));
  if (folder.vocabSize != vocabSize)
    return Error::config(vocabSize < folder.vocabSize
                             ? messages::vocabularySmallerThanWeights(vocabSize, std::abs(vocabSize - folder.vocabSize),
                                                                      folder.vocabSize)
                             : messages::vocabularyLargerThanWeights(vocabSize, std::abs(vocabSize - folder.vocabSize),
                                                                     folder.vocabSize));
  const ModelShape complete = withOptions(folder, config);
  RETURN_IF_ERROR(checkShape(complete, maxSeqLen));
  return complete;
}

Result<void> checkGpuHeadSize(const ModelShape& shape, bool halfPrecision) {
  constexpr std::int64_t kLargestInHalf = 256;
  const std::int64_t step = halfPrecision ? 8 : 4;
  const std::int64_t size = shape.headSize();
  if (size % step == 0 && (!halfPrecision || size <= kLargestInHalf)) return {};
  return Error::config("model.num_attention_heads", messages::headSizeUnsupported(shape.heads, size));
}

}  // namespace batchwise
