// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <string>

#include "core/base/format.h"
#include "core/config/import/import_session.h"
#include "core/config/schema.h"

// Imports the arguments of transformers' example run_mlm.py (and of run_language_modeling.py before it) beside those of
// the Trainer: model, tokenizer and text.

namespace batchwise::config {
namespace {

constexpr const char* kImportNothingFetched = "nothing is fetched from a hub";

constexpr auto kScriptDiffers = ImportEffect::Differs;
constexpr auto kScriptAsks = ImportEffect::ToBeGiven;

constexpr SectionReason kScriptReasons[] = {
    {"config_name config_overrides model_type model_name_or_path", kImportModelUnknown, kScriptDiffers},
    {"mlm", "the models here predict masked tokens", kScriptDiffers},
    {"tokenizer_name", kImportHubTokenizerNotFetched, kScriptAsks},
    {"dataset_name", "nothing is fetched from a hub; save its text to files and name them in data.train", kScriptAsks},
    {"dataset_config_name", "nothing is fetched from a hub; save its text to files and name them in data.train"},
    {"train_file validation_file train_data_file eval_data_file", kImportTextFormatUnknown, kScriptAsks},
    {"validation_split_percentage", "the evaluation text is named"},
    {"max_train_samples", "an epoch holds all of data.train; shorten the run with max_duration", kScriptDiffers},
    {"max_eval_samples", "the whole of data.eval is evaluated"},
    {"pad_to_max_length", "sequences are never padded here, with the same result"},
    {"line_by_line", kImportTextFromFiles},
    {"cache_dir overwrite_cache preprocessing_num_workers", kImportTextPreparedIntoCache},
    {"streaming", "the text is read from files named in data.train; there is no streaming"},
    {"use_fast_tokenizer", kImportSoInAnyCase},
    {"model_revision token use_auth_token trust_remote_code", kImportNothingFetched},
    {"torch_dtype dtype", "weights are always kept in fp32"},
    {"low_cpu_mem_usage", kImportChangesNothingLearned},
};

bool isTrueIn(ImportSession& session, const char* key) {
  const ExternalValue* value = session.open(key);
  return value != nullptr && value->isTrue();
}

/// Sizes given as "hidden_size=256,num_hidden_layers=4".
void importOverrides(ImportSession& session) {
  const ExternalValue* given = session.open("config_overrides");
  if (given == nullptr) return;
  std::string rest = given->text + ",";
  for (std::size_t comma = rest.find(','); comma != std::string::npos;
       rest.erase(0, comma + 1), comma = rest.find(',')) {
    const std::size_t equals = rest.substr(0, comma).find('=');
    if (equals == std::string::npos) continue;
    const std::string field = "model." + rest.substr(0, equals);
    if (findField(field) == nullptr)
      return session.skip(given->key, formatText("{} is no setting of a model here", rest.substr(0, comma)),
                          kScriptDiffers);
    const std::string value = rest.substr(equals + 1, comma - equals - 1);
    if (!session.takes(field, value))
      return session.skip(given->key, formatText("{} is no setting of a model here", rest.substr(0, comma)),
                          kScriptDiffers);
    session.derive("config_overrides", field, value);
  }
  session.importSetting("config_overrides", "model.init_from", "", "fresh weights");
}

void importTheModel(ImportSession& session) {
  const ExternalValue* name = session.open("model_name_or_path");
  const std::string given = name == nullptr ? "" : name->text;
  if (isFolderName(given)) {
    session.importAsIs("model_name_or_path", "model.init_from");
  } else if (importKnownModel(session, "model_name_or_path")) {
    importCase(session, "model_name_or_path", given);
    session.ask("model_name_or_path", given,
                "nothing is fetched from a hub; name a folder with its weights in model.init_from");
  }
  importKnownModel(session, "config_name");
  if (const ExternalValue* type = session.open("model_type")) {
    if (name != nullptr)
      session.skip(type->key, "model_name_or_path names the model");
    else
      session.importAsIs(type->key, "model.family", "fresh weights");
  }
  importOverrides(session);
  const ModelFamily family = session.config().model.family.value_or(ModelFamily::EuroBert);
  if (family == ModelFamily::Bert || family == ModelFamily::Roberta || family == ModelFamily::XlmRoberta)
    session.assume("attention_probs_dropout_prob", "model.attention_probs_dropout_prob", "0.1",
                   importDefaultOfText("transformers"));
}

void importTheTokenizer(ImportSession& session) {
  const ExternalValue* name = session.open("tokenizer_name");
  if (name == nullptr) return;
  if (isFolderName(name->text))
    session.importAsIs(name->key, "tokenizer.path");
  else
    importCase(session, name->key, name->text);
}

/// Imports a text file as documents: lines, or JSON objects or rows with a text.
bool importText(ImportSession& session, const char* key, const char* field) {
  const ExternalValue* file = session.open(key);
  if (file == nullptr) return false;
  const std::string path = file->text;
  const bool isJson = path.ends_with(".json") || path.ends_with(".jsonl");
  YAML::Node files;
  files.push_back(path);
  if (!session.importSetting(key, field, flowText(files))) return false;
  session.derive(key, "data.format", isJson ? "jsonl" : path.ends_with(".csv") ? "csv" : "lines");
  return true;
}

/// Without line_by_line the script puts all texts of a file one after the other, with their special tokens, and cuts.
void importLines(ImportSession& session) {
  if (isTrueIn(session, "line_by_line")) {
    session.importSetting("line_by_line", "data.join_documents", "false");
    return;
  }
  session.importSetting("line_by_line", "data.join_documents", "true",
                        "the texts stand one after the other there, cut into pieces of the longest length");
  session.assume("line_by_line", "data.join_documents", "true",
                 "the texts stand one after the other there, cut into pieces of the longest length");
  session.derive("line_by_line", "data.attention_across_documents", "true",
                 "the texts stand one after the other there, cut into pieces of the longest length");
}

void importLongest(ImportSession& session) {
  for (const char* key : {"max_seq_length", "block_size"})
    if (const ExternalValue* length = session.open(key); length != nullptr && length->integer() > 0)
      session.importAsIs(key, "data.max_seq_len");
  const ModelFamily family = session.config().model.family.value_or(ModelFamily::Bert);
  const bool learned =
      family == ModelFamily::Bert || family == ModelFamily::Roberta || family == ModelFamily::XlmRoberta;
  session.assume("max_seq_length", "data.max_seq_len", learned ? "512" : "1024",
                 "run_mlm takes the tokenizer's longest, at most 1024");
}

void importHoldout(ImportSession& session, bool hasOwnText) {
  const ExternalValue* share = session.open("validation_split_percentage");
  if (hasOwnText) return;
  const double percent = share == nullptr ? 5 : share->number().value_or(5);
  if (share != nullptr)
    session.importSetting(share->key, "data.holdout", shortNumber(percent / 100));
  else
    session.assume("validation_split_percentage", "data.holdout", shortNumber(percent / 100),
                   importDefaultOfText("run_mlm"));
}

}  // namespace

void importMaskedModelScript(ImportSession& session) {
  constexpr std::array kOfScript = {
      "model_name_or_path", "model_type",      "config_name",     "train_file", "dataset_name", "line_by_line",
      "max_seq_length",     "mlm_probability", "train_data_file", "block_size", "mlm"};
  const auto given = [&](const char* key) { return session.document().has(key); };
  if (std::none_of(kOfScript.begin(), kOfScript.end(), given)) return;
  importTheModel(session);
  importTheTokenizer(session);
  const bool hasText =
      importText(session, "train_file", "data.train") || importText(session, "train_data_file", "data.train");
  const bool hasOwnText =
      importText(session, "validation_file", "data.eval") || importText(session, "eval_data_file", "data.eval");
  if (hasText) importHoldout(session, hasOwnText);
  importLines(session);
  importLongest(session);
  if (!session.importAsIs("mlm_probability", "data.mlm_probability"))
    session.assume("mlm_probability", "data.mlm_probability", "0.15", importDefaultOfText("run_mlm"));
  session.derive("mlm_probability", "eval.mlm_probability", shortNumber(session.config().data.mlmProbability),
                 "the same masks in training and evaluation there");
  if (isTrueIn(session, "mlm")) session.skip("mlm", kImportSoInAnyCase);
  session.skipSections(kScriptReasons);
}

}  // namespace batchwise::config
