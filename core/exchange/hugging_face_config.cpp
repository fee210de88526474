// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"
#include "core/exchange/hugging_face.h"
#include "core/exchange/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr JsonLimits kConfigLimits{.depth = 32};

/// Reads values of a config.json and records the first error.
class ConfigReader {
 public:
  explicit ConfigReader(const json& object) : object_(object) {}

  void size(const char* name, std::int64_t& target, bool required) {
    const json* value = find(name, required);
    if (value == nullptr) return;
    if (!value->is_number_integer() || value->get<std::int64_t>() < 1)
      return wrong(name, *value, messages::positiveIntegerNoun());
    target = value->get<std::int64_t>();
  }

  void real(const char* name, double& target) {
    const json* value = find(name, false);
    if (value == nullptr) return;
    if (!value->is_number()) return wrong(name, *value, messages::numberNoun());
    target = value->get<double>();
  }

  void flag(const char* name, bool& target) {
    const json* value = find(name, false);
    if (value == nullptr) return;
    if (!value->is_boolean()) return wrong(name, *value, messages::booleanNoun());
    target = value->get<bool>();
  }

  std::string text(const char* name, const std::string& otherwise) {
    const json* value = find(name, false);
    if (value == nullptr) return otherwise;
    if (value->is_string()) return value->get<std::string>();
    wrong(name, *value, messages::textNoun());
    return otherwise;
  }

  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const json* find(const char* name, bool required) {
    const auto found = object_.find(name);
    if (found != object_.end() && !found->is_null()) return &*found;
    if (required) fail(Error::config(messages::modelConfigFieldMissing(name)));
    return nullptr;
  }

  void wrong(const char* name, const json& value, const Message& expected) {
    fail(Error::config(messages::modelConfigFieldInvalid(name, value.dump(), expected)));
  }

  const json& object_;
  std::optional<Error> error_;
};

}  // namespace

Result<ModelShape> parseHuggingFaceConfig(std::string_view text) {
  const auto parsed = parseStrictJson(text, kConfigLimits);
  if (!parsed) return Error::config(messages::modelConfigCannotBeRead(parsed.error().message));
  if (!parsed->is_object()) return Error::config(messages::modelConfigNotJsonObject());
  ConfigReader reader(*parsed);
  const std::string type = reader.text("model_type", "bert");
  if (type != "bert") return Error::config(messages::modelConfigTypeUnsupported(type));
  const std::string positions = reader.text("position_embedding_type", "absolute");
  if (positions != "absolute") return Error::config(messages::modelConfigPositionsUnsupported(positions));
  ModelShape shape;
  reader.size("vocab_size", shape.vocabSize, true);
  reader.size("hidden_size", shape.hiddenSize, true);
  reader.size("num_hidden_layers", shape.layers, true);
  reader.size("num_attention_heads", shape.heads, true);
  reader.size("intermediate_size", shape.intermediateSize, true);
  reader.size("max_position_embeddings", shape.maxPositions, true);
  reader.size("type_vocab_size", shape.typeVocabSize, false);
  reader.real("hidden_dropout_prob", shape.hiddenDropout);
  reader.real("attention_probs_dropout_prob", shape.attentionDropout);
  reader.real("initializer_range", shape.initializerRange);
  reader.real("layer_norm_eps", shape.layerNormEps);
  reader.real("attention_logit_l2", shape.attentionLogitL2);
  reader.real("layer_drop", shape.layerDrop);
  reader.flag("tie_word_embeddings", shape.tieWordEmbeddings);
  const std::string norm = reader.text("norm", "post");
  const auto activation = parseActivation(reader.text("hidden_act", "gelu"));
  if (reader.error()) return *reader.error();
  if (!activation) return activation.error().within("config.json");
  if (norm != "post" && norm != "pre") return Error::config(messages::modelConfigNormUnknown(norm));
  shape.norm = norm == "pre" ? NormPlacement::Pre : NormPlacement::Post;
  shape.activation = *activation;
  if (shape.hiddenSize % shape.heads != 0) return Error::config(messages::modelConfigWidthNotDivisible());
  return shape;
}

std::string huggingFaceConfig(const ModelShape& shape, const SpecialIds& special) {
  nlohmann::ordered_json config = {{"architectures", {"BertForMaskedLM"}},
                                   {"model_type", "bert"},
                                   {"vocab_size", shape.vocabSize},
                                   {"hidden_size", shape.hiddenSize},
                                   {"num_hidden_layers", shape.layers},
                                   {"num_attention_heads", shape.heads},
                                   {"intermediate_size", shape.intermediateSize},
                                   {"hidden_act", activationName(shape.activation)},
                                   {"hidden_dropout_prob", shape.hiddenDropout},
                                   {"attention_probs_dropout_prob", shape.attentionDropout},
                                   {"max_position_embeddings", shape.maxPositions},
                                   {"type_vocab_size", shape.typeVocabSize},
                                   {"initializer_range", shape.initializerRange},
                                   {"layer_norm_eps", shape.layerNormEps},
                                   {"pad_token_id", special.pad},
                                   {"tie_word_embeddings", shape.tieWordEmbeddings},
                                   {"dtype", "float32"}};
  if (shape.norm == NormPlacement::Pre) config["norm"] = "pre";
  if (shape.layerDrop > 0) config["layer_drop"] = shape.layerDrop;
  if (shape.attentionLogitL2 > 0) config["attention_logit_l2"] = shape.attentionLogitL2;
  return config.dump(2) + "\n";
}

}  // namespace batchwise
