// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/hugging_face_json.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/json.h"
#include "core/exchange/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr JsonLimits kConfigLimits{.depth = 32};

Result<Activation> parseActivation(const std::string& name) {
  if (name == "gelu_pytorch_tanh") return Activation::GeluTanh;
  if (const auto activation = choiceFromName<Activation>(name)) return *activation;
  return Error::config(messages::hiddenActivationUnknown(name));
}

/// Reads values of a config.json and records the first error. A value that is missing or null stays as it is.
class ConfigReader {
 public:
  explicit ConfigReader(const json& object) : object_(object) {}

  void requiredSize(const char* name, std::int64_t& target) {
    if (find(name) == nullptr) return fail(Error::config(messages::modelConfigFieldMissing(name)));
    size(name, target);
  }
  void size(const char* name, std::int64_t& target) {
    read(name, target, messages::positiveIntegerNoun(),
         [](const json& value) { return value.is_number_integer() && value.get<std::int64_t>() >= 1; });
  }
  void real(const char* name, double& target) { read(name, target, messages::numberNoun(), &json::is_number); }
  void flag(const char* name, bool& target) { read(name, target, messages::booleanNoun(), &json::is_boolean); }
  std::string text(const char* name, std::string otherwise) {
    read(name, otherwise, messages::textNoun(), &json::is_string);
    return otherwise;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const json* find(const char* name) const {
    const auto found = object_.find(name);
    return found != object_.end() && !found->is_null() ? &*found : nullptr;
  }

  template <typename Value, typename Fits>
  void read(const char* name, Value& target, const Message& expected, Fits fits) {
    const json* value = find(name);
    if (value == nullptr) return;
    if (!std::invoke(fits, *value))
      return fail(Error::config(messages::modelConfigFieldInvalid(name, value->dump(), expected)));
    target = value->get<Value>();
  }

  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  const json& object_;
  std::optional<Error> error_;
};

ordered_json addedToken(const Vocabulary& vocabulary, std::int32_t id) {
  return {{"id", id},
          {"content", vocabulary.token(id)},
          {"single_word", false},
          {"lstrip", false},
          {"rstrip", false},
          {"normalized", false},
          {"special", true}};
}

ordered_json frameToken(const Vocabulary& vocabulary, std::int32_t id, std::int32_t type) {
  return {{"SpecialToken", {{"id", vocabulary.token(id)}, {"type_id", type}}}};
}

ordered_json framedSequence(const char* name, std::int32_t type) {
  return {{"Sequence", {{"id", name}, {"type_id", type}}}};
}

ordered_json frameEntry(const Vocabulary& vocabulary, std::int32_t id) {
  const std::string& token = vocabulary.token(id);
  return {{"id", token}, {"ids", ordered_json::array({id})}, {"tokens", ordered_json::array({token})}};
}

ordered_json postProcessor(const Vocabulary& v) {
  const SpecialIds& s = v.special();
  const ordered_json cls = frameToken(v, s.cls, 0);
  const ordered_json sep = frameToken(v, s.sep, 0);
  ordered_json result = {{"type", "TemplateProcessing"}};
  result["single"] = ordered_json::array({cls, framedSequence("A", 0), sep});
  result["pair"] =
      ordered_json::array({cls, framedSequence("A", 0), sep, framedSequence("B", 1), frameToken(v, s.sep, 1)});
  result["special_tokens"] = {{v.token(s.cls), frameEntry(v, s.cls)}, {v.token(s.sep), frameEntry(v, s.sep)}};
  return result;
}

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
  reader.requiredSize("vocab_size", shape.vocabSize);
  reader.requiredSize("hidden_size", shape.hiddenSize);
  reader.requiredSize("num_hidden_layers", shape.layers);
  reader.requiredSize("num_attention_heads", shape.heads);
  reader.requiredSize("intermediate_size", shape.intermediateSize);
  reader.requiredSize("max_position_embeddings", shape.maxPositions);
  reader.size("type_vocab_size", shape.typeVocabSize);
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
  ordered_json config = {{"architectures", {"BertForMaskedLM"}},
                         {"model_type", "bert"},
                         {"vocab_size", shape.vocabSize},
                         {"hidden_size", shape.hiddenSize},
                         {"num_hidden_layers", shape.layers},
                         {"num_attention_heads", shape.heads},
                         {"intermediate_size", shape.intermediateSize},
                         {"hidden_act", choiceName(shape.activation)},
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

std::string tokenizerJson(const Vocabulary& vocabulary, bool lowercase) {
  const SpecialIds& s = vocabulary.special();
  ordered_json added = ordered_json::array();
  for (const std::int32_t id : vocabulary.specialIds()) added.push_back(addedToken(vocabulary, id));
  ordered_json ids = ordered_json::object();
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) ids[vocabulary.token(id)] = id;
  ordered_json model = {{"type", "WordPiece"},
                        {"unk_token", vocabulary.token(s.unknown)},
                        {"continuing_subword_prefix", "##"},
                        {"max_input_chars_per_word", 100}};
  model["vocab"] = std::move(ids);
  ordered_json file = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  file["added_tokens"] = std::move(added);
  file["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", true},
                        {"strip_accents", nullptr},
                        {"lowercase", lowercase}};
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["post_processor"] = postProcessor(vocabulary);
  file["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  file["model"] = std::move(model);
  return file.dump(1) + "\n";
}

std::string specialTokensJson(const Vocabulary& vocabulary) {
  const SpecialIds& s = vocabulary.special();
  const ordered_json map = {{"cls_token", vocabulary.token(s.cls)},
                            {"mask_token", vocabulary.token(s.mask)},
                            {"pad_token", vocabulary.token(s.pad)},
                            {"sep_token", vocabulary.token(s.sep)},
                            {"unk_token", vocabulary.token(s.unknown)}};
  return map.dump(2) + "\n";
}

std::string tokenizerConfigJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t maxSeqLen) {
  ordered_json config = ordered_json::parse(specialTokensJson(vocabulary));
  config["tokenizer_class"] = "BertTokenizer";
  config["do_lower_case"] = lowercase;
  config["strip_accents"] = nullptr;
  config["tokenize_chinese_chars"] = true;
  config["model_max_length"] = maxSeqLen;
  return config.dump(2) + "\n";
}

}  // namespace batchwise
