// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/model/shape/family_format.h"

// NeoBERT (Le Breton et al. 2025): names and fields of the code that its authors publish beside the weights.

namespace batchwise {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The authors' code takes two thirds of intermediate_size, rounded up to a multiple of 8.
constexpr std::int64_t kMultiple = 8;

std::int64_t gatedSize(std::int64_t intermediateSize) {
  return (2 * intermediateSize / 3 + kMultiple - 1) / kMultiple * kMultiple;
}

void readNeoBert(ConfigFields& fields, ModelShape& shape) {
  shape.tieWordEmbeddings = false;  // the published model never ties
  fields.flag("tie_word_embeddings", shape.tieWordEmbeddings);
  shape.intermediateSize = gatedSize(shape.intermediateSize);
  shape.layerNormEps = 1e-6;
  shape.hiddenDropout = 0;
  shape.ropeTheta = 10'000;
  shape.activation = Activation::Silu;
  fields.requireText("hidden_act", "SwiGLU");
  fields.requireFlag("rms_norm", true);
  fields.requireFlag("rope", true);
  fields.requireFlag("ngpt", false);
  fields.real("embedding_init_range", shape.initializerRange);
  fields.real("norm_eps", shape.layerNormEps);
  fields.real("hidden_dropout_prob", shape.hiddenDropout);
  fields.real("attention_dropout", shape.attentionDropout);
  fields.requireNull("rope_parameters");
  readTheta(fields, nullptr, "rope_parameters", "rope_theta", shape.ropeTheta);
}

void writeNeoBert(const ModelShape& shape, const SpecialIds& special, ordered_json& config) {
  config["intermediate_size"] = shape.intermediateSize * 3 / 2;
  config["dim_head"] = shape.headSize();
  config["hidden_act"] = "SwiGLU";
  config["norm_eps"] = shape.layerNormEps;
  for (const char* range : {"embedding_init_range", "decoder_init_range", "classifier_init_range"})
    config[range] = shape.initializerRange;
  config["pad_token_id"] = special.pad;
  config["auto_map"] = {{"AutoConfig", "chandar-lab/NeoBERT--model.NeoBERTConfig"},
                        {"AutoModel", "chandar-lab/NeoBERT--model.NeoBERT"},
                        {"AutoModelForMaskedLM", "chandar-lab/NeoBERT--model.NeoBERTLMHead"}};
  constexpr double kTheta = 10'000;  // fixed in the authors' code
  if (shape.ropeTheta != kTheta) config["rope_theta"] = shape.ropeTheta;
  if (shape.attentionDropout > 0) config["attention_dropout"] = shape.attentionDropout;
  if (shape.hiddenDropout > 0) config["hidden_dropout_prob"] = shape.hiddenDropout;
}

constexpr FamilyTraits neoBertTraits() {
  FamilyTraits traits = rotaryFamily(NormKind::RmsNorm, 10'000);
  traits.embeddingNorm = false;
  traits.positions = PositionKind::RotaryInterleaved;
  traits.taskHead.meanPooling = true;  // BERT's head over the mean: transformers has no class of this family
  traits.queryKeyValue = QueryKeyValueLayout::PerHead;
  traits.head = HeadKind::Decoder;
  traits.init = InitKind::Uniform;
  traits.activation = Activation::Silu;
  traits.tied = false;
  return traits;
}

std::string neoBertName(std::string_view name) {
  return withPrefix("model.", name, "encoder.", "transformer_encoder.", "layer_norm.");
}

}  // namespace

constexpr FamilyFormat kNeoBertFormat = {.traits = neoBertTraits(),
                                         .architecture = "NeoBERTLMHead",
                                         .names = {.words = "model.encoder",
                                                   .layers = "model.transformer_encoder.",
                                                   .queryKeyValue = "qkv",
                                                   .attentionOutput = "wo",
                                                   .attentionNorm = "attention_norm",
                                                   .gateUp = "ffn.w12",
                                                   .output = "ffn.w3",
                                                   .outputNorm = "ffn_norm",
                                                   .finalNorm = "model.layer_norm",
                                                   .decoder = "decoder",
                                                   .decoderBias = "decoder"},
                                         .taskHead = {.dense = "dense"},
                                         .readConfig = readNeoBert,
                                         .writeConfig = writeNeoBert,
                                         .canonicalName = neoBertName,
                                         .isKept = [](std::string_view) { return false; },
                                         .maxPositionsField = "max_length",
                                         .writesTiedDecoder = true};

}  // namespace batchwise
