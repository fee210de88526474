// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/hugging_face_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// Returns tokenizer.json as it was read, with the frame of each sequence if the file has none: the run found the
/// tokens of the frame by their names then, which no reader of the file does.
std::string framedTokenizer(const Tokenizer& tokenizer, const json& file, std::int64_t segmentTypes) {
  const auto read = parseTokenizerJson(tokenizer.texts().json);
  if (read.ok() && read->before >= 0 && read->behind >= 0) return tokenizer.texts().json;
  json framed = file;
  framed["post_processor"] = json::parse(postProcessor(tokenizer.vocabulary(), segmentTypes).dump());
  return framed.dump(1) + "\n";
}

bool hasSecondSegment(const json& file) {
  const json pair = file.value(json::json_pointer("/post_processor/pair"), json::array());
  return std::ranges::any_of(pair, [](const json& piece) {
    return std::ranges::any_of(piece,
                               [](const json& part) { return part.is_object() && part.value("type_id", 0) == 1; });
  });
}

json inputNames(const json& read, const json& file, std::int64_t segmentTypes) {
  json names = {"input_ids", "attention_mask"};
  if (const auto given = read.find("model_input_names"); given != read.end() && given->is_array())
    names = *given;
  else if (hasSecondSegment(file))
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

}  // namespace

std::vector<std::pair<std::string, std::string>> tokenizerFiles(const Tokenizer& tokenizer, std::int64_t maxSeqLen,
                                                                std::int64_t segmentTypes) {
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  if (tokenizer.isBert())
    return {{"vocab.txt", vocabulary.text()},
            {"tokenizer.json", tokenizerJson(vocabulary, tokenizer.lowercase(), segmentTypes)},
            {"tokenizer_config.json", tokenizerConfigJson(vocabulary, tokenizer.lowercase(), maxSeqLen, segmentTypes)},
            {"special_tokens_map.json", specialTokensJson(vocabulary)}};
  const json file = json::parse(tokenizer.texts().json, nullptr, /*allow_exceptions=*/false);
  return {{"tokenizer.json", framedTokenizer(tokenizer, file, segmentTypes)},
          {"tokenizer_config.json", plainTokenizerConfig(tokenizer, file, maxSeqLen, segmentTypes)},
          {"special_tokens_map.json", specialTokensJson(vocabulary)}};
}

}  // namespace batchwise
