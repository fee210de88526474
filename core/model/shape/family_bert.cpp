// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/model/shape/family_format.h"

// BERT (Devlin et al. 2019), RoBERTa (Liu et al. 2019) and XLM-RoBERTa (Conneau et al. 2020): names and fields of
// transformers' models bert, roberta and xlm_roberta.

namespace batchwise {
namespace {

using nlohmann::ordered_json;

/// The fields that the three share. Defaults are those of their configuration classes.
void readShared(ConfigFields& fields, ModelShape& shape) {
  fields.requireText("position_embedding_type", "absolute");
  fields.requireFlag("is_decoder", false);
  fields.requireFlag("add_cross_attention", false);
  shape.hiddenDropout = 0.1;
  shape.layerNormEps = 1e-12;
  shape.typeVocabSize = 2;
  fields.size("type_vocab_size", shape.typeVocabSize);
  fields.activation("hidden_act", shape.activation);
  fields.real("hidden_dropout_prob", shape.hiddenDropout);
  fields.real("attention_probs_dropout_prob", shape.attentionDropout);
  fields.real("layer_norm_eps", shape.layerNormEps);
}

void writeShared(const ModelShape& shape, ordered_json& config) {
  config["hidden_act"] = choiceName(shape.activation);
  config["hidden_dropout_prob"] = shape.hiddenDropout;
  config["attention_probs_dropout_prob"] = shape.attentionDropout;
  config["type_vocab_size"] = shape.typeVocabSize;
  config["layer_norm_eps"] = shape.layerNormEps;
}

void readBert(ConfigFields& fields, ModelShape& shape) {
  readShared(fields, shape);
  const std::string norm = fields.text("norm", "post");
  if (norm != "post" && norm != "pre")
    return fields.fail(Error::config(formatText("\"norm\" of config.json is \"{}\", not post or pre", norm)));
  shape.norm = norm == "pre" ? NormPlacement::Pre : NormPlacement::Post;
}

void writeBert(const ModelShape& shape, const SpecialIds& special, ordered_json& config) {
  writeShared(shape, config);
  config["pad_token_id"] = special.pad;
  if (shape.norm == NormPlacement::Pre) config["norm"] = "pre";
}

/// transformers counts positions from the padding token's id + 1, so that many rows come before the first. Tokens of
/// that id take none: they have the row of the id.
constexpr std::int64_t kPadOfRoberta = 1;
constexpr const char* kUnplacedToken = "unplaced_token_id";

void readRoberta(ConfigFields& fields, ModelShape& shape) {
  readShared(fields, shape);
  std::int64_t pad = kPadOfRoberta;
  if (fields.isNull("pad_token_id"))
    return fields.fail(
        Error::config("pad_token_id of config.json is null, but this family counts positions behind it; write the id "
                      "with which the model was trained, such as 1"));
  if (const auto* given = fields.find("pad_token_id"); given != nullptr) {
    if (!given->is_number_integer())
      return fields.fail(Error::config(
          formatText("pad_token_id of config.json is {}, but this family counts positions behind it; write the whole "
                     "number with which the model was trained, such as 1",
                     given->dump())));
    pad = given->get<std::int64_t>();
  }
  if (pad < -1 || pad >= shape.maxPositions - 1)
    return fields.fail(
        Error::config(formatText("max_position_embeddings of config.json is {}, but positions begin after pad_token_id "
                                 "{}: none is left for a token",
                                 shape.maxPositions, pad)));
  shape.maxPositions -= pad + 1;
  shape.unplacedToken = pad;
}

/// The padding of a file that writeRoberta() made may have a position in training.
void readStoredRoberta(ConfigFields& fields, ModelShape& shape) {
  const auto* given = fields.find(kUnplacedToken);
  if (given != nullptr && given->is_number_integer()) shape.unplacedToken = given->get<std::int64_t>();
}

void writeStoredRoberta(const ModelShape& shape, ordered_json& config) {
  config[kUnplacedToken] = shape.unplacedToken;
}

void writeRoberta(const ModelShape& shape, const SpecialIds& special, ordered_json& config) {
  writeShared(shape, config);
  const std::int64_t pad = paddingIdOf(shape, special);
  config["max_position_embeddings"] = shape.maxPositions + pad + 1;
  config["pad_token_id"] = pad;
  config["bos_token_id"] = special.cls;
  config["eos_token_id"] = special.sep;
}

std::string currentNormName(std::string_view name) {
  std::string result(name);
  replaceSuffix(result, "LayerNorm.gamma", "LayerNorm.weight");
  replaceSuffix(result, "LayerNorm.beta", "LayerNorm.bias");
  return result;
}

std::string bertName(std::string_view name) {
  std::string result = withPrefix("bert.", currentNormName(name), "embeddings.", "encoder.", "pooler.");
  return result == "cls.predictions.decoder.bias" ? "cls.predictions.bias" : result;
}

std::string robertaName(std::string_view name) {
  std::string result = withPrefix("roberta.", currentNormName(name), "embeddings.", "encoder.", "pooler.");
  return result == "lm_head.decoder.bias" ? "lm_head.bias" : result;
}

bool bertKeeps(std::string_view name) {
  return name.starts_with("bert.pooler.") || name.starts_with("cls.seq_relationship.");
}
bool robertaKeeps(std::string_view name) {
  return name.starts_with("roberta.pooler.");
}

constexpr TensorNames kBertNames = {.words = "bert.embeddings.word_embeddings",
                                    .positions = "bert.embeddings.position_embeddings",
                                    .types = "bert.embeddings.token_type_embeddings",
                                    .embeddingNorm = "bert.embeddings.LayerNorm",
                                    .layers = "bert.encoder.layer.",
                                    .query = "attention.self.query",
                                    .key = "attention.self.key",
                                    .value = "attention.self.value",
                                    .attentionOutput = "attention.output.dense",
                                    .attentionNorm = "attention.output.LayerNorm",
                                    .intermediate = "intermediate.dense",
                                    .output = "output.dense",
                                    .outputNorm = "output.LayerNorm",
                                    .finalNorm = "bert.encoder.LayerNorm",
                                    .transform = "cls.predictions.transform.dense",
                                    .transformNorm = "cls.predictions.transform.LayerNorm",
                                    .decoder = "cls.predictions.decoder",
                                    .decoderBias = "cls.predictions"};

constexpr TensorNames robertaNames() {
  TensorNames names = kBertNames;
  names.words = "roberta.embeddings.word_embeddings";
  names.positions = "roberta.embeddings.position_embeddings";
  names.types = "roberta.embeddings.token_type_embeddings";
  names.embeddingNorm = "roberta.embeddings.LayerNorm";
  names.layers = "roberta.encoder.layer.";
  names.finalNorm = "roberta.encoder.LayerNorm";
  names.transform = "lm_head.dense";
  names.transformNorm = "lm_head.layer_norm";
  names.decoder = "lm_head.decoder";
  names.decoderBias = "lm_head";
  return names;
}

constexpr FamilyTraits bertTraits() {
  FamilyTraits traits;
  traits.eitherPlacement = true;
  return traits;
}

constexpr FamilyTraits robertaTraits() {
  FamilyTraits traits;
  traits.firstPosition = kPadOfRoberta + 1;
  traits.segmentTypes = 1;
  traits.taskHead.dropsPooled = true;
  traits.normEps = 1e-5;
  return traits;
}

constexpr FamilyFormat robertaFormat(const char* architecture) {
  return {
      .traits = robertaTraits(),
      .architecture = architecture,
      .names = robertaNames(),
      .taskHead = {.dense = "classifier.dense", .sequence = "classifier.out_proj", .pooler = "roberta.pooler.dense"},
      .readConfig = readRoberta,
      .writeConfig = writeRoberta,
      .canonicalName = robertaName,
      .isKept = robertaKeeps,
      .readStored = readStoredRoberta,
      .writeStored = writeStoredRoberta,
      .writesDecoderBiasTwice = true};
}

}  // namespace

constexpr FamilyFormat kBertFormat = {.traits = bertTraits(),
                                      .architecture = "BertForMaskedLM",
                                      .names = kBertNames,
                                      .taskHead = {.dense = "bert.pooler.dense", .pooler = "bert.pooler.dense"},
                                      .readConfig = readBert,
                                      .writeConfig = writeBert,
                                      .canonicalName = bertName,
                                      .isKept = bertKeeps,
                                      .writesDecoderBiasTwice = true};
constexpr FamilyFormat kRobertaFormat = robertaFormat("RobertaForMaskedLM");
constexpr FamilyFormat kXlmRobertaFormat = robertaFormat("XLMRobertaForMaskedLM");

}  // namespace batchwise
