// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/model_shape.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "core/base/format.h"
#include "core/config/model_presets.h"
#include "core/model/shape/family_format.h"
#include "core/model/shape/tensor_names.h"

namespace batchwise {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;
constexpr std::int64_t kMostLayers = 1024;

Result<void> checkSize(const char* field, std::int64_t value, std::int64_t largest) {
  if (value >= 1 && value <= largest) return {};
  return Error::config(formatText("model.{} is {}: use 1 to {}", field, value, largest));
}

Result<void> checkProbability(const char* field, double value) {
  if (value >= 0.0 && value < 1.0) return {};
  return Error::config(formatText("model.{} is {}: use 0 or more, and less than 1", field, formatExact(value)));
}

Result<void> checkShape(const ModelShape& s, std::int64_t maxSeqLen) {
  const std::pair<const char*, std::int64_t> sizes[] = {{"vocab_size", s.vocabSize},
                                                        {"hidden_size", s.hiddenSize},
                                                        {"num_attention_heads", s.heads},
                                                        {"intermediate_size", s.intermediateSize},
                                                        {"num_key_value_heads", s.keyValueHeads},
                                                        {"max_position_embeddings", s.maxPositions}};
  for (const auto& [field, value] : sizes) RETURN_IF_ERROR(checkSize(field, value, kLargestSize));
  RETURN_IF_ERROR(checkSize("num_hidden_layers", s.layers, kMostLayers));
  if (s.traits().segmentTypes > 0) RETURN_IF_ERROR(checkSize("type_vocab_size", s.typeVocabSize, kLargestSize));
  if (s.hiddenSize > 16384)
    return Error::config(formatText("model.hidden_size is {}: use at most 16384", s.hiddenSize));
  if (s.hiddenSize % s.heads != 0)
    return Error::config("model.hidden_size",
                         formatText("{} is not divisible by num_attention_heads {}", s.hiddenSize, s.heads));
  if (s.heads % s.keyValueHeads != 0)
    return Error::config("model.num_key_value_heads",
                         formatText("{} does not divide num_attention_heads {}; each head of keys and values serves "
                                    "the same number of attention heads",
                                    s.keyValueHeads, s.heads));
  if (s.family == ModelFamily::NeoBert && s.intermediateSize % 8 != 0)
    return Error::config(
        "model.intermediate_size",
        formatText("{} is not a multiple of 8, which neobert needs because its folders hold three halves of it",
                   s.intermediateSize));
  if (s.traits().positions != PositionKind::Learned && s.headSize() % 2 != 0)
    return Error::config("model.num_attention_heads",
                         formatText("{} features per attention head cannot be rotated in pairs; choose sizes whose "
                                    "quotient hidden_size / num_attention_heads is even",
                                    s.headSize()));
  if (s.maxPositions < maxSeqLen)
    return Error::config("model.max_position_embeddings",
                         formatText("{} is less than data.max_seq_len {}; raise it or shorten the sequences",
                                    s.maxPositions, maxSeqLen));
  const std::pair<const char*, double> probabilities[] = {{"hidden_dropout_prob", s.hiddenDropout},
                                                          {"attention_probs_dropout_prob", s.attentionDropout},
                                                          {"layer_drop", s.layerDrop}};
  for (const auto& [field, value] : probabilities) RETURN_IF_ERROR(checkProbability(field, value));
  if (!(s.initializerRange > 0) || !(s.layerNormEps > 0) || !(s.attentionLogitL2 >= 0))
    return Error::config(
        "model.initializer_range and model.layer_norm_eps must be above 0, and model.attention_logit_l2 must be 0 or "
        "more");
  return {};
}

/// Applies the options that are set; the others stay those of the folder or the family.
ModelShape withOptions(ModelShape shape, const ModelConfig& config) {
  shape.activation = config.hiddenAct.value_or(shape.activation);
  shape.norm = config.norm.value_or(shape.norm);
  shape.hiddenDropout = config.hiddenDropoutProb.value_or(shape.hiddenDropout);
  shape.attentionDropout = config.attentionProbsDropoutProb;
  shape.initializerRange = config.initializerRange.value_or(shape.initializerRange);
  shape.layerNormEps = config.layerNormEps.value_or(shape.layerNormEps);
  shape.ropeTheta = config.ropeTheta.value_or(shape.ropeTheta);
  shape.localRopeTheta = config.localRopeTheta.value_or(shape.localRopeTheta);
  shape.attentionLogitL2 = config.attentionLogitL2;
  shape.layerDrop = config.layerDrop;
  if (config.tieWordEmbeddings) shape.tieWordEmbeddings = *config.tieWordEmbeddings == WeightTying::Tied;
  return shape;
}

/// Refuses options that have no meaning in the family, rather than ignoring them.
Result<void> checkOptions(const ModelConfig& config, ModelFamily family) {
  const std::pair<const char*, bool> options[] = {
      {"model.num_key_value_heads", config.numKeyValueHeads.has_value()},
      {"model.type_vocab_size", config.typeVocabSize.has_value()},
      {"model.global_attn_every_n_layers", config.globalAttnEveryNLayers.has_value()},
      {"model.local_attention", config.localAttention.has_value()},
      {"model.local_rope_theta", config.localRopeTheta.has_value()},
      {"model.rope_theta", config.ropeTheta.has_value()},
      {"model.norm", config.norm && !isFixedByFamily(config, family, "model.norm")}};
  for (const auto& [field, given] : options)
    if (given && !familyHasOption(family, field))
      return Error::config(field, formatText("has no meaning in {}; leave it out", choiceName(family)));
  return {};
}

Result<void> checkMatches(const char* field, const std::optional<std::int64_t>& wanted, std::int64_t found) {
  if (!wanted || *wanted == found) return {};
  return Error::config(formatText("model.{} is {}, but model.init_from has {}: leave it out to take the folder's",
                                  field, *wanted, found));
}

std::int64_t roundedUp(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Returns whether `rows` are `tokens` rounded up to a power of two from 8 to 1,024, as models are padded.
bool isPadded(std::int64_t tokens, std::int64_t rows) {
  for (std::int64_t multiple = 8; multiple <= 1024; multiple *= 2)
    if (roundedUp(tokens, multiple) == rows) return true;
  return false;
}

/// Returns the rows of the word embeddings of a model that starts from a folder with `rows`.
Result<std::int64_t> rowsFor(const ModelConfig& config, std::int64_t rows, std::int64_t tokens) {
  if (tokens < rows && !isPadded(tokens, rows) && roundedUp(tokens, config.padVocabToMultipleOf) != rows)
    return Error::config(
        formatText("the vocabulary has {} tokens, {} fewer than the weights of model.init_from ({}); set "
                   "tokenizer.path to the tokenizer that came with these weights, unchanged",
                   tokens, rows - tokens, rows));
  if (tokens > rows && !config.extendVocab)
    return Error::config(
        formatText("the vocabulary has {} tokens, {} more than the weights of model.init_from ({}); set tokenizer.path "
                   "to the tokenizer that came with these weights, or, if it is that one with tokens added at its end, "
                   "set model.extend_vocab: true",
                   tokens, tokens - rows, rows));
  return roundedUp(std::max(tokens, rows), config.padVocabToMultipleOf);
}

}  // namespace

const FamilyTraits& traitsOf(ModelFamily family) {
  return formatOf(family).traits;
}

ModelShape inFamily(ModelShape shape, ModelFamily family) {
  const FamilyTraits& traits = traitsOf(family);
  shape.family = family;
  shape.norm = traits.placement;
  shape.typeVocabSize = traits.segmentTypes;
  shape.globalAttentionEvery = traits.globalAttentionEvery;
  shape.localAttention = traits.localAttention;
  shape.ropeTheta = traits.ropeTheta;
  shape.localRopeTheta = traits.localRopeTheta;
  shape.activation = traits.activation;
  shape.layerNormEps = traits.normEps;
  shape.hiddenDropout = traits.hiddenDropout;
  shape.tieWordEmbeddings = traits.tied;
  return shape;
}

std::int64_t ModelShape::positionRows() const {
  const FamilyTraits& fixed = traits();
  return fixed.positions == PositionKind::Learned ? maxPositions + fixed.firstPosition : 0;
}

std::int64_t ModelShape::parameterCount() const {
  std::int64_t count = 0;
  for (const ParameterTensor& tensor : parameterTensors(*this))
    count += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
  return count;
}

Result<ModelShape> resolveModelShape(const ModelConfig& config, std::int64_t vocabSize, std::int64_t maxSeqLen) {
  const ModelFamily family = config.family.value_or(ModelFamily::Bert);
  RETURN_IF_ERROR(checkOptions(config, family));
  const auto preset = sizesOf(family, config.preset);
  if (!preset)
    return Error::config("model.preset",
                         formatText("{} is not a size of {}", choiceName(config.preset), choiceName(family)));
  ModelShape shape = inFamily({}, family);
  shape.maxPositions = std::max(maxSeqLen, traitsOf(family).maxPositions);
  shape.vocabSize = roundedUp(vocabSize, config.padVocabToMultipleOf);
  shape.hiddenSize = config.hiddenSize.value_or(preset->hiddenSize);
  shape.layers = config.numHiddenLayers.value_or(preset->layers);
  shape.heads = config.numAttentionHeads.value_or(preset->heads);
  const bool presetHeads = shape.heads == preset->heads;
  shape.keyValueHeads = config.numKeyValueHeads.value_or(presetHeads ? preset->keyValueHeads : shape.heads);
  if (shape.hiddenSize < 1 || shape.hiddenSize > kLargestSize)
    return checkSize("hidden_size", shape.hiddenSize, kLargestSize).error();
  // A width other than the preset's keeps its proportion.
  const bool presetWidth = shape.hiddenSize == preset->hiddenSize;
  shape.intermediateSize = config.intermediateSize.value_or(
      presetWidth ? preset->intermediateSize : shape.hiddenSize * preset->intermediateSize / preset->hiddenSize);
  shape.maxPositions = config.maxPositionEmbeddings.value_or(shape.maxPositions);
  shape.typeVocabSize = config.typeVocabSize.value_or(shape.typeVocabSize);
  shape.globalAttentionEvery = config.globalAttnEveryNLayers.value_or(shape.globalAttentionEvery);
  shape.localAttention = config.localAttention.value_or(shape.localAttention);
  const ModelShape complete = withOptions(shape, config);
  RETURN_IF_ERROR(checkShape(complete, maxSeqLen));
  return complete;
}

Result<ModelShape> resolveModelShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen) {
  if (config.family && *config.family != folder.family)
    return Error::config(
        "model.family",
        formatText("{} contradicts model.init_from, whose config.json describes {}; leave model.family out",
                   choiceName(*config.family), choiceName(folder.family)));
  RETURN_IF_ERROR(checkOptions(config, folder.family));
  const std::pair<const char*, std::pair<std::optional<std::int64_t>, std::int64_t>> sizes[] = {
      {"hidden_size", {config.hiddenSize, folder.hiddenSize}},
      {"num_hidden_layers", {config.numHiddenLayers, folder.layers}},
      {"num_attention_heads", {config.numAttentionHeads, folder.heads}},
      {"num_key_value_heads", {config.numKeyValueHeads, folder.keyValueHeads}},
      {"intermediate_size", {config.intermediateSize, folder.intermediateSize}},
      {"global_attn_every_n_layers", {config.globalAttnEveryNLayers, folder.globalAttentionEvery}},
      {"local_attention", {config.localAttention, folder.localAttention}},
      {"type_vocab_size", {config.typeVocabSize, folder.typeVocabSize}}};
  for (const auto& [field, values] : sizes) RETURN_IF_ERROR(checkMatches(field, values.first, values.second));
  ModelShape sized = folder;
  if (folder.positionRows() > 0)
    RETURN_IF_ERROR(checkMatches("max_position_embeddings", config.maxPositionEmbeddings, folder.maxPositions));
  if (folder.positionRows() == 0 && config.maxPositionEmbeddings) sized.maxPositions = *config.maxPositionEmbeddings;
  ASSIGN_OR_RETURN(sized.vocabSize, rowsFor(config, folder.vocabSize, vocabSize));
  const ModelShape complete = withOptions(sized, config);
  RETURN_IF_ERROR(checkShape(complete, maxSeqLen));
  return complete;
}

Result<ModelShape> resolveTiledShape(const ModelConfig& config, const ModelShape& folder, std::int64_t vocabSize,
                                     std::int64_t maxSeqLen) {
  ASSIGN_OR_RETURN(const auto rows, rowsFor(config, folder.vocabSize, vocabSize));
  ModelConfig larger = config;
  if (!larger.family) larger.family = folder.family;
  ASSIGN_OR_RETURN(auto shape, resolveModelShape(larger, rows, maxSeqLen));
  shape.unplacedToken = folder.unplacedToken;
  return shape;
}

bool familyHasOption(ModelFamily family, std::string_view field) {
  const FamilyTraits& traits = traitsOf(family);
  if (field == "model.num_key_value_heads") return traits.groupsKeys;
  if (field == "model.type_vocab_size") return traits.segmentTypes > 0;
  if (field == "model.norm") return traits.eitherPlacement;
  if (field == "model.rope_theta") return traits.positions != PositionKind::Learned;
  const bool ofWindows = field == "model.global_attn_every_n_layers" || field == "model.local_attention" ||
                         field == "model.local_rope_theta";
  return !ofWindows || traits.localAttention > 0;
}

bool isFixedByFamily(const ModelConfig& config, ModelFamily family, std::string_view field) {
  return field == "model.norm" && !familyHasOption(family, field) && config.norm == traitsOf(family).placement;
}

Result<void> checkGpuHeadSize(const ModelShape& shape, bool halfPrecision) {
  constexpr std::int64_t kLargestInHalf = 256;
  const std::int64_t step = halfPrecision ? 8 : 4;
  const std::int64_t size = shape.headSize();
  if (size % step == 0 && (!halfPrecision || size <= kLargestInHalf)) return {};
  return Error::config("model.num_attention_heads",
                       formatText("each of {} heads has {} features; on a GPU, fp32 and tf32 need a multiple of 4, "
                                  "bf16 and fp16 a multiple of 8 up to 256",
                                  shape.heads, size));
}

}  // namespace batchwise
