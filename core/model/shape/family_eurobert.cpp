// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/model/shape/family_format.h"

// EuroBERT (Boizard et al. 2025): names and fields of transformers' model eurobert.

namespace batchwise {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void readEuroBert(ConfigFields& fields, ModelShape& shape) {
  fields.requireFlag("attention_bias", false);
  fields.requireFlag("mlp_bias", false);
  fields.requireNull("rope_scaling");
  shape.tieWordEmbeddings = false;
  shape.layerNormEps = 1e-5;
  shape.hiddenDropout = 0;
  shape.ropeTheta = 10'000;
  fields.flag("tie_word_embeddings", shape.tieWordEmbeddings);
  fields.size("num_key_value_heads", shape.keyValueHeads);
  std::int64_t headSize = shape.headSize();
  fields.size("head_dim", headSize);
  if (headSize != shape.headSize())
    fields.fail(Error::config(
        modelConfigOptionUnsupportedText("head_dim", std::to_string(headSize), std::to_string(shape.headSize()))));
  shape.activation = Activation::Silu;
  fields.activation("hidden_act", shape.activation);
  fields.real("rms_norm_eps", shape.layerNormEps);
  fields.real("attention_dropout", shape.attentionDropout);
  fields.real("hidden_dropout_prob", shape.hiddenDropout);
  readTheta(fields, fields.find("rope_parameters"), "rope_parameters", "rope_theta", shape.ropeTheta);
}

void writeEuroBert(const ModelShape& shape, const SpecialIds& special, ordered_json& config) {
  config["num_key_value_heads"] = shape.keyValueHeads;
  config["head_dim"] = shape.headSize();
  config["hidden_act"] = choiceName(shape.activation);
  config["rms_norm_eps"] = shape.layerNormEps;
  config["attention_dropout"] = shape.attentionDropout;
  config["attention_bias"] = false;
  config["mlp_bias"] = false;
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", shape.ropeTheta}};
  config["rope_theta"] = shape.ropeTheta;
  config["classifier_pooling"] = "late";
  config["pad_token_id"] = special.pad;
  config["bos_token_id"] = special.cls;
  config["eos_token_id"] = special.sep;
  config["mask_token_id"] = special.mask;
  if (shape.hiddenDropout > 0) config["hidden_dropout_prob"] = shape.hiddenDropout;
}

constexpr FamilyTraits euroBertTraits() {
  FamilyTraits traits = rotaryFamily(NormKind::RmsNorm, 250'000);
  traits.embeddingNorm = false;
  traits.groupsKeys = true;
  traits.taskHead.meanPooling = true;
  traits.taskHead.tanh = false;
  traits.head = HeadKind::Decoder;
  traits.decoderBias = false;
  traits.activation = Activation::Silu;
  traits.tied = false;
  return traits;
}

std::string euroBertName(std::string_view name) {
  return withPrefix("model.", name, "embed_tokens.", "layers.", "norm.");
}

}  // namespace

constexpr FamilyFormat kEuroBertFormat = {.traits = euroBertTraits(),
                                          .architecture = "EuroBertForMaskedLM",
                                          .names = {.words = "model.embed_tokens",
                                                    .layers = "model.layers.",
                                                    .query = "self_attn.q_proj",
                                                    .key = "self_attn.k_proj",
                                                    .value = "self_attn.v_proj",
                                                    .attentionOutput = "self_attn.o_proj",
                                                    .attentionNorm = "input_layernorm",
                                                    .gate = "mlp.gate_proj",
                                                    .up = "mlp.up_proj",
                                                    .output = "mlp.down_proj",
                                                    .outputNorm = "post_attention_layernorm",
                                                    .finalNorm = "model.norm",
                                                    .decoder = "lm_head"},
                                          .taskHead = {.dense = "dense"},
                                          .readConfig = readEuroBert,
                                          .writeConfig = writeEuroBert,
                                          .canonicalName = euroBertName,
                                          .isKept = [](std::string_view) { return false; }};

}  // namespace batchwise
