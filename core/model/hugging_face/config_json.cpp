// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/config_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/shape/family_format.h"

namespace batchwise {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr JsonLimits kConfigLimits{.depth = 32};
constexpr std::int64_t kMostLayersInFolder = 1024;
constexpr std::int64_t kLargestSizeInFolder = std::int64_t{1} << 24;

/// Reads what all families spell alike.
void readShared(ConfigFields& fields, const FamilyFormat& format, ModelShape& shape) {
  const FamilyTraits& traits = shape.traits();
  shape.norm = traits.placement;
  shape.hiddenDropout = traits.hiddenDropout;
  shape.typeVocabSize = 0;
  fields.requiredSize("vocab_size", shape.vocabSize);
  fields.requiredSize("hidden_size", shape.hiddenSize);
  fields.requiredSize("num_hidden_layers", shape.layers);
  fields.requiredSize("num_attention_heads", shape.heads);
  fields.requiredSize("intermediate_size", shape.intermediateSize);
  fields.requiredSize(format.maxPositionsField, shape.maxPositions);
  fields.real("initializer_range", shape.initializerRange);
  fields.real("attention_logit_l2", shape.attentionLogitL2);
  fields.real("layer_drop", shape.layerDrop);
  fields.flag("tie_word_embeddings", shape.tieWordEmbeddings);
  shape.keyValueHeads = shape.heads;
  if (shape.layers > kMostLayersInFolder)
    fields.fail(
        Error::config(formatText("model.num_hidden_layers is {}: use 1 to {}", shape.layers, kMostLayersInFolder)));
  // Products of two sizes do not overflow; resolveModelShape() has narrower limits.
  const std::pair<const char*, std::int64_t> sizes[] = {{"vocab_size", shape.vocabSize},
                                                        {"hidden_size", shape.hiddenSize},
                                                        {"num_attention_heads", shape.heads},
                                                        {"intermediate_size", shape.intermediateSize},
                                                        {format.maxPositionsField, shape.maxPositions}};
  for (const auto& [field, value] : sizes)
    if (value > kLargestSizeInFolder)
      fields.fail(Error::config(formatText("model.{} is {}: use 1 to {}", field, value, kLargestSizeInFolder)));
  const json* type = fields.find("dtype");
  const json* oldType = fields.find("torch_dtype");
  if (type != nullptr && oldType != nullptr) fields.requireSame("dtype", *type, "torch_dtype", *oldType);
}

enum class WrittenBy { Anyone, Run };

Result<FolderConfig> parseConfigOf(std::string_view text, WrittenBy writer) {
  const auto parsed = parseStrictJson(text, kConfigLimits);
  if (!parsed) return Error::config(formatText("config.json: {}", parsed.error().message));
  if (!parsed->is_object()) return Error::config("config.json is not a JSON object");
  ConfigFields fields(*parsed);
  const std::string type = fields.text("model_type", "bert");
  if (fields.error()) return *fields.error();
  const auto family = choiceFromName<ModelFamily>(type);
  if (!family)
    return Error::config(formatText("config.json describes a model of type \"{}\"; known are {}", type,
                                    joined(kChoiceNames<ModelFamily>)));
  const FamilyFormat& format = formatOf(*family);
  FolderConfig config;
  ModelShape& shape = config.shape;
  shape.family = *family;
  readShared(fields, format, shape);
  if (fields.error()) return *fields.error();
  if (shape.hiddenSize % shape.heads != 0)
    return Error::config("hidden_size of config.json is not divisible by num_attention_heads");
  format.readConfig(fields, shape);
  if (writer == WrittenBy::Run && format.readStored != nullptr) format.readStored(fields, shape);
  if (fields.error()) return *fields.error();
  config.notes = fields.notes();
  return config;
}

ordered_json configOf(const ModelShape& shape, const SpecialIds& special) {
  const FamilyFormat& format = formatOf(shape.family);
  ordered_json config = {{"architectures", {format.architecture}},
                         {"model_type", choiceName(shape.family)},
                         {"vocab_size", shape.vocabSize},
                         {"hidden_size", shape.hiddenSize},
                         {"num_hidden_layers", shape.layers},
                         {"num_attention_heads", shape.heads},
                         {"intermediate_size", shape.intermediateSize},
                         {format.maxPositionsField, shape.maxPositions},
                         {"initializer_range", shape.initializerRange},
                         {"tie_word_embeddings", shape.tieWordEmbeddings},
                         {"dtype", "float32"},
                         {"torch_dtype", "float32"}};
  format.writeConfig(shape, special, config);
  if (shape.layerDrop > 0) config["layer_drop"] = shape.layerDrop;
  if (shape.attentionLogitL2 > 0) config["attention_logit_l2"] = shape.attentionLogitL2;
  return config;
}

}  // namespace

std::int64_t paddingIdOf(const ModelShape& shape, const SpecialIds& special) {
  if (shape.unplacedToken >= 0) return shape.unplacedToken;
  const bool inSequences = special.pad == special.cls || special.pad == special.sep || special.pad == special.mask ||
                           special.pad == special.unknown;
  return shape.traits().firstPosition > 0 && inSequences ? -1 : special.pad;
}

Result<FolderConfig> parseFolderConfig(std::string_view text) {
  return parseConfigOf(text, WrittenBy::Anyone);
}

Result<ModelShape> parseHuggingFaceConfig(std::string_view text) {
  ASSIGN_OR_RETURN(auto config, parseFolderConfig(text));
  return config.shape;
}

Result<ModelShape> parseStoredConfig(std::string_view text) {
  ASSIGN_OR_RETURN(auto config, parseConfigOf(text, WrittenBy::Run));
  return config.shape;
}

std::string huggingFaceConfig(const ModelShape& shape, const SpecialIds& special) {
  return configOf(shape, special).dump(2) + "\n";
}

std::string storedConfig(const ModelShape& shape, const SpecialIds& special) {
  ordered_json config = configOf(shape, special);
  const FamilyFormat& format = formatOf(shape.family);
  if (format.writeStored != nullptr) format.writeStored(shape, config);
  return config.dump(2) + "\n";
}

}  // namespace batchwise
