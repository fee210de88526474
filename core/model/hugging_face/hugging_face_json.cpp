// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/hugging_face_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/shape/family_format.h"
#include "core/text/tokenizer_json.h"

namespace batchwise {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

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

ordered_json postProcessor(const Vocabulary& v, std::int64_t segmentTypes) {
  const std::int32_t second = segmentTypes > 1 ? 1 : 0;
  const SpecialIds& s = v.special();
  const ordered_json cls = frameToken(v, s.cls, 0);
  const ordered_json sep = frameToken(v, s.sep, 0);
  ordered_json result = {{"type", "TemplateProcessing"}};
  result["single"] = ordered_json::array({cls, framedSequence("A", 0), sep});
  result["pair"] = ordered_json::array(
      {cls, framedSequence("A", 0), sep, framedSequence("B", second), frameToken(v, s.sep, second)});
  result["special_tokens"] = {{v.token(s.cls), frameEntry(v, s.cls)}, {v.token(s.sep), frameEntry(v, s.sep)}};
  return result;
}

/// Returns tokenizer.json for `tokenizers`: normalizer, pre-tokenizer, WordPiece and post-processor.
std::string tokenizerJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t segmentTypes) {
  const SpecialIds& s = vocabulary.special();
  ordered_json added = ordered_json::array();
  for (const std::int32_t id : vocabulary.specialIds()) added.push_back(addedToken(vocabulary, id));
  ordered_json ids = ordered_json::object();  // operator[] would search all of it for each token
  for (std::int32_t id = 0; id < vocabulary.size(); ++id)
    ids.get_ref<ordered_json::object_t&>().push_back({vocabulary.token(id), id});
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
  file["post_processor"] = postProcessor(vocabulary, segmentTypes);
  file["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  file["model"] = std::move(model);
  return file.dump(1) + "\n";
}

std::string specialTokensJson(const Vocabulary& vocabulary) {
  const SpecialIds& s = vocabulary.special();
  ordered_json map = {{"cls_token", vocabulary.token(s.cls)},
                      {"mask_token", vocabulary.token(s.mask)},
                      {"pad_token", vocabulary.token(s.pad)},
                      {"sep_token", vocabulary.token(s.sep)}};
  if (s.unknown >= 0) map["unk_token"] = vocabulary.token(s.unknown);
  return map.dump(2) + "\n";
}

std::string tokenizerConfigJson(const Vocabulary& vocabulary, bool lowercase, std::int64_t maxSeqLen,
                                std::int64_t segmentTypes) {
  ordered_json config = ordered_json::parse(specialTokensJson(vocabulary));
  config["tokenizer_class"] = "BertTokenizer";
  config["do_lower_case"] = lowercase;
  config["strip_accents"] = nullptr;
  config["tokenize_chinese_chars"] = true;
  config["model_max_length"] = maxSeqLen;
  if (segmentTypes < 2) config["model_input_names"] = ordered_json::array({"input_ids", "attention_mask"});
  return config.dump(2) + "\n";
}

/// Returns tokenizer.json as it was read, with the frame of each sequence, also in `file`, if it has none: the run
/// found the tokens of the frame by their names then, which no reader of the file does.
std::string framedTokenizer(const Tokenizer& tokenizer, json& file, std::int64_t segmentTypes) {
  const auto read = parseTokenizerJson(tokenizer.texts().json);
  if (read.ok() && read->before >= 0 && read->behind >= 0) return tokenizer.texts().json;
  file["post_processor"] = json::parse(postProcessor(tokenizer.vocabulary(), segmentTypes).dump());
  return file.dump(1) + "\n";
}

/// Returns whether a post-processor that was read gives the second text of a pair the type 1.
bool hasSecondSegment(const json& processor) {
  if (!processor.is_object()) return false;
  if (processor.value("type", "") == "BertProcessing") return true;
  if (const auto parts = processor.find("processors"); parts != processor.end())
    return std::ranges::any_of(*parts, hasSecondSegment);
  if (processor.value("type", "") != "TemplateProcessing") return false;
  return std::ranges::any_of(processor.value("pair", json::array()), [](const json& piece) {
    return std::ranges::any_of(piece,
                               [](const json& part) { return part.is_object() && part.value("type_id", 0) == 1; });
  });
}

json inputNames(const json& read, const json& file, std::int64_t segmentTypes) {
  json names = {"input_ids", "attention_mask"};
  if (const auto given = read.find("model_input_names"); given != read.end() && given->is_array())
    names = *given;
  else if (hasSecondSegment(file.value("post_processor", json())))
    names.insert(names.begin() + 1, "token_type_ids");
  if (segmentTypes < 2) names.erase(std::remove(names.begin(), names.end(), json("token_type_ids")), names.end());
  return names;
}

/// Returns a tokenizer_config.json with which transformers does what tokenizer.json says. What was read need not:
/// version 5 makes the steps of the classes of its families anew, and version 4 lets options change them.
std::string plainTokenizerConfig(const Tokenizer& tokenizer, const json& file, std::int64_t maxSeqLen,
                                 std::int64_t segmentTypes) {
  json read = json::parse(tokenizer.texts().config, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object()) read = json::object();
  ordered_json config = ordered_json::parse(specialTokensJson(tokenizer.vocabulary()));
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  const json steps = file.value("pre_tokenizer", json());
  if (steps.is_object() && steps.value("type", json()) == "ByteLevel")  // version 4 takes false otherwise
    config["add_prefix_space"] = steps.value("add_prefix_space", json(true));
  config["model_input_names"] = inputNames(read, file, segmentTypes);
  config["model_max_length"] = maxSeqLen;
  for (const char* kept : {"model_max_length", "padding_side", "truncation_side", "clean_up_tokenization_spaces"})
    if (const auto given = read.find(kept); given != read.end() && given->is_primitive() && !given->is_null())
      config[kept] = *given;
  return config.dump(2) + "\n";
}

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
  if (fields.isNull("tie_word_embeddings"))  // version 4 of transformers took it for false, version 5 refuses it
    fields.fail(
        Error::config("\"tie_word_embeddings\" of config.json is null: use true if the output layer has the weights of "
                      "the word embeddings, else false"));
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

std::vector<std::pair<std::string, std::string>> tokenizerFiles(const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                                                                std::int64_t segmentTypes) {
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  if (tokenizer.isBert())
    return {{"vocab.txt", vocabulary.text()},
            {"tokenizer.json", tokenizerJson(vocabulary, tokenizer.lowercase(), segmentTypes)},
            {"tokenizer_config.json", tokenizerConfigJson(vocabulary, tokenizer.lowercase(), maxSeqLen, segmentTypes)},
            {"special_tokens_map.json", specialTokensJson(vocabulary)}};
  json file = json::parse(tokenizer.texts().json, nullptr, /*allow_exceptions=*/false);
  std::string framed = framedTokenizer(tokenizer, file, segmentTypes);
  return {{"tokenizer.json", std::move(framed)},
          {"tokenizer_config.json", plainTokenizerConfig(tokenizer, file, maxSeqLen, segmentTypes)},
          {"special_tokens_map.json", specialTokensJson(vocabulary)}};
}

std::int64_t paddingIdOf(const ModelShape& shape, const SpecialIds& special) {
  if (shape.unplacedToken >= 0) return shape.unplacedToken;
  const bool inSequences = special.pad == special.cls || special.pad == special.sep || special.pad == special.mask ||
                           special.pad == special.unknown;
  return shape.traits().firstPosition > 0 && inSequences ? -1 : special.pad;
}

Result<FolderConfig> parseFolderConfig(std::string_view text) {
  return parseConfigOf(text, WrittenBy::Anyone);
}

Result<ModelShape> parseStoredConfig(std::string_view text) {
  ASSIGN_OR_RETURN(auto config, parseConfigOf(text, WrittenBy::Run));
  return config.shape;
}

std::string huggingFaceConfig(const ModelShape& shape, const SpecialIds& special,
                              const std::vector<std::string>& classes) {
  ordered_json config = configOf(shape, special);
  if (shape.taskHead == TaskHead::None) return config.dump(2) + "\n";
  std::string architecture = formatOf(shape.family).architecture;
  const bool vectors = shape.taskHead == TaskHead::Vectors;
  replaceSuffix(architecture, "ForMaskedLM",
                vectors                                ? "Model"
                : shape.taskHead == TaskHead::Sequence ? "ForSequenceClassification"
                                                       : "ForTokenClassification");
  config["architectures"] = ordered_json::array({architecture});
  if (vectors) return config.dump(2) + "\n";
  if (shape.poolsMean()) config["classifier_pooling"] = "mean";
  config["id2label"] = config["label2id"] = ordered_json::object();
  const std::vector<std::string> names = classes.empty() ? std::vector<std::string>{"LABEL_0"} : classes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    config["id2label"][std::to_string(i)] = names[i];
    config["label2id"][names[i]] = i;
  }
  if (shape.taskHead == TaskHead::Sequence)
    config["problem_type"] = classes.empty() ? "regression" : "single_label_classification";
  return config.dump(2) + "\n";
}

std::vector<std::pair<std::string, std::string>> sentenceTransformersFiles(const ModelShape& shape,
                                                                           std::int64_t maxSeqLen,
                                                                           std::string_view pooling) {
  const auto entry = [](int index, const char* path, const char* type) -> ordered_json {
    return {{"idx", index}, {"name", std::to_string(index)}, {"path", path}, {"type", type}};
  };
  const ordered_json modules = ordered_json::array({entry(0, "", "sentence_transformers.models.Transformer"),
                                                    entry(1, "1_Pooling", "sentence_transformers.models.Pooling")});
  ordered_json pooled = {{"word_embedding_dimension", shape.hiddenSize},
                         {"pooling_mode_cls_token", pooling == "cls"},
                         {"pooling_mode_mean_tokens", pooling == "mean"}};
  for (const char* other : {"max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"})
    pooled[std::string("pooling_mode_") + other] = false;
  const ordered_json transformer = {{"max_seq_length", maxSeqLen}, {"do_lower_case", false}};
  const ordered_json all = {
      {"prompts", ordered_json::object()}, {"default_prompt_name", nullptr}, {"similarity_fn_name", "cosine"}};
  return {{"1_Pooling/config.json", pooled.dump(2) + "\n"},
          {"sentence_bert_config.json", transformer.dump(2) + "\n"},
          {"config_sentence_transformers.json", all.dump(2) + "\n"},
          {"modules.json", modules.dump(2) + "\n"}};
}

std::string storedConfig(const ModelShape& shape, const SpecialIds& special) {
  ordered_json config = configOf(shape, special);
  const FamilyFormat& format = formatOf(shape.family);
  if (format.writeStored != nullptr) format.writeStored(shape, config);
  return config.dump(2) + "\n";
}

}  // namespace batchwise
