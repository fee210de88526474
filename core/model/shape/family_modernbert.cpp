// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/model/shape/family_format.h"

// ModernBERT (Warner et al. 2024), also Ettin and mmBERT: names and fields of transformers' model modernbert. Version 5
// spells windows and thetas anew; both spellings are read, and written, because each version knows only one.

namespace batchwise {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFull = "full_attention";
constexpr const char* kSliding = "sliding_attention";
/// Dropout of the output of attention, under the name of the family's own training code. transformers does not know it:
/// there attention_dropout applies to the output, too.
constexpr const char* kOutputDropout = "attn_out_dropout_prob";

json layerTypes(std::int64_t layers, std::int64_t every) {
  json types = json::array();
  for (std::int64_t layer = 0; layer < layers; ++layer) types.push_back(layer % every == 0 ? kFull : kSliding);
  return types;
}

/// Returns n where every n-th layer has global attention; 0 if there is no such n.
std::int64_t globalEvery(const json& types, std::int64_t layers) {
  std::int64_t second = 1;
  while (second < layers && static_cast<std::size_t>(second) < types.size() &&
         types[static_cast<std::size_t>(second)] != kFull)
    ++second;
  return layerTypes(layers, second) == types ? second : 0;
}

void readLayerTypes(ConfigFields& fields, ModelShape& shape) {
  constexpr const char *kNew = "layer_types", *kOld = "global_attn_every_n_layers";
  shape.globalAttentionEvery = 3;
  fields.size(kOld, shape.globalAttentionEvery);
  const json* types = fields.find(kNew);
  if (types == nullptr || fields.error()) return;
  if (fields.find(kOld) != nullptr) {
    if (layerTypes(shape.layers, shape.globalAttentionEvery) != *types)
      fields.fail(Error::config(
          modelConfigSpellingsDifferText(kOld, fields.find(kOld)->dump(), kNew, types->dump().substr(0, 100))));
    return;
  }
  shape.globalAttentionEvery = types->is_array() ? globalEvery(*types, shape.layers) : 0;
  if (shape.globalAttentionEvery == 0)
    fields.fail(
        Error::config("layer_types of config.json is not supported: it must name one of full_attention and "
                      "sliding_attention per layer, with full attention in every n-th layer from the first on"));
}

void readThetas(ConfigFields& fields, ModelShape& shape) {
  shape.ropeTheta = 160'000;
  shape.localRopeTheta = 10'000;
  fields.requireNull("rope_scaling");
  const json* all = fields.find("rope_parameters");
  if (all != nullptr && !all->is_object())
    return fields.fail(
        Error::config(formatText("\"rope_parameters\" of config.json is {}, not {}", all->dump(), kObjectNoun)));
  if (all != nullptr && !all->empty() && !all->contains(kFull) && !all->contains(kSliding))
    return fields.fail(Error::config(
        modelConfigOptionUnsupportedText("rope_parameters", all->dump(), json({kFull, kSliding}).dump())));
  const auto part = [all](const char* kind) { return all != nullptr && all->contains(kind) ? &(*all)[kind] : nullptr; };
  readTheta(fields, part(kFull), "rope_parameters.full_attention", "global_rope_theta", shape.ropeTheta);
  // In transformers 4, null is the theta of the global layers. Version 5 cannot load it.
  readTheta(fields, part(kSliding), "rope_parameters.sliding_attention", "local_rope_theta", shape.localRopeTheta,
            shape.ropeTheta);
}

void readModernBert(ConfigFields& fields, ModelShape& shape) {
  for (const char* bias : {"norm_bias", "attention_bias", "mlp_bias", "classifier_bias"})
    fields.requireFlag(bias, false);
  fields.requireFlag("decoder_bias", true);
  fields.requireText("classifier_activation", "gelu");
  fields.requireText("position_embedding_type", "absolute");  // in published files, without effect
  readLayerTypes(fields, shape);
  readThetas(fields, shape);
  shape.localAttention = 128;
  shape.layerNormEps = 1e-5;
  fields.size("local_attention", shape.localAttention);
  fields.activation("hidden_activation", shape.activation);
  fields.real("norm_eps", shape.layerNormEps);  // published files have layer_norm_eps too, without effect
  fields.real("attention_dropout", shape.attentionDropout);
  shape.hiddenDropout = shape.attentionDropout;
  fields.real(kOutputDropout, shape.hiddenDropout);
  shape.classifierMean = fields.text("classifier_pooling", "cls") == "mean";
  for (const char* unused : {"embedding_dropout", "mlp_dropout"}) fields.noteUnused(unused);
}

void writeModernBert(const ModelShape& shape, const SpecialIds& special, ordered_json& config) {
  config["hidden_activation"] = choiceName(shape.activation);
  config["norm_eps"] = shape.layerNormEps;
  config["local_attention"] = shape.localAttention;
  config["layer_types"] = layerTypes(shape.layers, shape.globalAttentionEvery);
  config["global_attn_every_n_layers"] = shape.globalAttentionEvery;
  config["rope_parameters"] = {{kFull, {{"rope_type", "default"}, {"rope_theta", shape.ropeTheta}}},
                               {kSliding, {{"rope_type", "default"}, {"rope_theta", shape.localRopeTheta}}}};
  config["global_rope_theta"] = shape.ropeTheta;
  config["local_rope_theta"] = shape.localRopeTheta;
  for (const char* unused : {"embedding_dropout", "mlp_dropout"}) config[unused] = 0.0;
  config["attention_dropout"] = shape.attentionDropout;
  if (shape.hiddenDropout != shape.attentionDropout) config[kOutputDropout] = shape.hiddenDropout;
  for (const char* bias : {"norm_bias", "attention_bias", "mlp_bias", "classifier_bias"}) config[bias] = false;
  config["decoder_bias"] = true;
  config["classifier_activation"] = "gelu";
  config["classifier_pooling"] = shape.classifierMean ? "mean" : "cls";
  config["initializer_cutoff_factor"] = 2.0;
  config["pad_token_id"] = special.pad;
  for (const char* begin : {"bos_token_id", "cls_token_id"}) config[begin] = special.cls;
  for (const char* end : {"eos_token_id", "sep_token_id"}) config[end] = special.sep;
}

constexpr FamilyTraits modernBertTraits() {
  FamilyTraits traits = rotaryFamily(NormKind::LayerNormNoBias, 160'000);
  traits.firstNormIsIdentity = true;
  traits.globalAttentionEvery = 3;
  traits.localAttention = 128;
  traits.localRopeTheta = 10'000;
  traits.queryKeyValue = QueryKeyValueLayout::Stacked;
  traits.transformBias = false;
  traits.init = InitKind::Truncated;
  traits.taskHead.tanh = false;
  traits.taskHead.denseOfTokens = true;
  traits.dropsAttentionOutputOnly = true;  // as its training code: attn_out_dropout_prob
  return traits;
}

std::string modernBertName(std::string_view name) {
  return withPrefix("model.", name, "embeddings.", "layers.", "final_norm.");
}

constexpr TaskHeadNames kModernBertHead = {.dense = "head.dense", .norm = "head.norm", .denseBias = false};

}  // namespace

constexpr FamilyFormat kModernBertFormat = {.traits = modernBertTraits(),
                                            .architecture = "ModernBertForMaskedLM",
                                            .names = {.words = "model.embeddings.tok_embeddings",
                                                      .embeddingNorm = "model.embeddings.norm",
                                                      .layers = "model.layers.",
                                                      .queryKeyValue = "attn.Wqkv",
                                                      .attentionOutput = "attn.Wo",
                                                      .attentionNorm = "attn_norm",
                                                      .gateUp = "mlp.Wi",
                                                      .output = "mlp.Wo",
                                                      .outputNorm = "mlp_norm",
                                                      .finalNorm = "model.final_norm",
                                                      .transform = "head.dense",
                                                      .transformNorm = "head.norm",
                                                      .decoder = "decoder",
                                                      .decoderBias = "decoder"},
                                            .taskHead = kModernBertHead,
                                            .readConfig = readModernBert,
                                            .writeConfig = writeModernBert,
                                            .canonicalName = modernBertName,
                                            .isKept = [](std::string_view) { return false; }};

}  // namespace batchwise
