// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "core/config/import/import_session.h"
#include "core/config/texts.h"

namespace batchwise::config {
namespace {

/// A published model, whose sizes one of our presets has.
struct KnownModel {
  const char* name;  ///< without the owner
  const char* family;
  const char* preset;
};
constexpr KnownModel kKnownModels[] = {
    {"bert-base-uncased", "bert", "base"},
    {"bert-base-cased", "bert", "base"},
    {"bert-large-uncased", "bert", "large"},
    {"bert-large-cased", "bert", "large"},
    {"bert-tiny", "bert", "tiny"},
    {"bert-mini", "bert", "mini"},
    {"bert-small", "bert", "small"},
    {"bert_uncased_L-2_H-128_A-2", "bert", "tiny"},
    {"bert_uncased_L-4_H-256_A-4", "bert", "mini"},
    {"bert_uncased_L-4_H-512_A-8", "bert", "small"},
    {"bert_uncased_L-12_H-768_A-12", "bert", "base"},
    {"roberta-base", "roberta", "base"},
    {"roberta-large", "roberta", "large"},
    {"xlm-roberta-base", "xlm-roberta", "base"},
    {"xlm-roberta-large", "xlm-roberta", "large"},
    {"ModernBERT-base", "modernbert", "base"},
    {"ModernBERT-large", "modernbert", "large"},
    {"EuroBERT-210m", "eurobert", "210m"},
    {"EuroBERT-610m", "eurobert", "610m"},
    {"EuroBERT-2.1B", "eurobert", "2.1b"},
    {"NeoBERT", "neobert", "base"},
};
constexpr const char* kOwners[] = {"",          "google-bert/", "google/",   "prajjwal1/",  "FacebookAI/",
                                   "facebook/", "answerdotai/", "EuroBERT/", "chandar-lab/"};

constexpr std::int64_t kVocabularyMultiple = 64;

constexpr std::array kSizes = {"hidden_size",       "num_hidden_layers",       "num_attention_heads",
                               "intermediate_size", "max_position_embeddings", "type_vocab_size",
                               "hidden_act",        "hidden_dropout_prob",     "attention_probs_dropout_prob",
                               "initializer_range", "layer_norm_eps",          "tie_word_embeddings"};

const std::string kSection = "model.model_config.";
const std::array<std::string, 2> kModelSections = {kSection, "model.config_overrides."};

void importWeights(ImportSession& session) {
  const ExternalValue* pretrained = session.open("model.use_pretrained");
  if (pretrained == nullptr) return;
  if (pretrained->isFalse())
    session.importSetting("model.use_pretrained", "model.init_from", "", "fresh weights");
  else
    session.skip("model.use_pretrained",
                 "nothing is fetched from a hub; name a folder with its weights in model.init_from",
                 ImportEffect::ToBeGiven);
}

/// Imports a model of transformers: the sizes of a published one, and what the file changes.
void importHuggingFaceModel(ImportSession& session) {
  const std::string name = "model.pretrained_model_name";
  if (const ExternalValue* given = session.open(name); given != nullptr && isFolderName(given->text))
    session.importAsIs(name, "model.init_from");
  else if (given != nullptr && !importKnownModel(session, name))
    session.skip(name, kImportModelUnknown, ImportEffect::Differs);
  importWeights(session);
  for (const std::string& section : kModelSections) {
    for (const char* size : kSizes) session.importAsIs(section + size, std::string("model.") + size);
    session.skip(section + "max_position_embedding",
                 "transformers ignores this name; it means max_position_embeddings");
    if (const ExternalValue* positions = session.open(section + "position_embedding_type");
        positions != nullptr && positions->text == "absolute")
      session.skip(positions->key, kImportSoInAnyCase);
  }
  const ModelFamily family = session.config().model.family.value_or(ModelFamily::Bert);
  if (family == ModelFamily::Bert || family == ModelFamily::Roberta || family == ModelFamily::XlmRoberta)
    session.assume(kSection + "attention_probs_dropout_prob", "model.attention_probs_dropout_prob", "0.1",
                   importDefaultOfText("transformers"));
}

void importVocabularySize(ImportSession& session) {
  for (const std::string& section : kModelSections) {
    const ExternalValue* size = session.open(section + "vocab_size");
    if (size == nullptr) continue;
    const bool padded = size->integer() && *size->integer() % kVocabularyMultiple == 0;
    const std::string key = size->key;
    session.importAsIs(key, "tokenizer.train.vocab_size",
                       "used if a vocabulary is trained; a given vocabulary has its own size");
    if (padded)
      session.derive(key, "model.pad_vocab_to_multiple_of", std::to_string(kVocabularyMultiple),
                     "embeddings have a multiple of 64 rows there");
  }
}

void importTokenizer(ImportSession& session) {
  std::string asked;
  for (const std::string key : {"tokenizer_name", "variables.tokenizer_name", "tokenizer.name", "model.tokenizer_name",
                                "train_loader.dataset.tokenizer_name", "eval_loader.dataset.tokenizer_name"}) {
    const ExternalValue* name = session.open(key);
    if (name == nullptr) continue;
    const std::string text = name->text;
    if (isFolderName(text)) {
      session.importAsIs(key, "tokenizer.path");
    } else {
      importCase(session, key, text);
      if (session.config().model.family == ModelFamily::ModernBert && text.find("cased") == std::string::npos)
        session.derive(key, "tokenizer.train.kind", "byte_bpe", "the kind of its vocabulary, if one is trained");
      const auto effect = text == asked ? ImportEffect::None : ImportEffect::ToBeGiven;
      session.skip(key, kImportHubTokenizerNotFetched, effect);
      asked = text;
    }
  }
}

/// Whether the model is built of FlexBERT's parts: by its name, or by parts that only FlexBERT has.
bool isFlexBert(const ImportSession& session) {
  const ExternalValue* name = session.document().find("model.name");
  if (name != nullptr && !name->null) return name->text == "flex_bert";
  return session.document().has(kSection + "attention_layer") || session.document().has(kSection + "bert_layer");
}

void importModelOfName(ImportSession& session) {
  const ExternalValue* name = session.open("model.name");
  const std::string given = name == nullptr ? "" : name->text;
  if (given == "hf_bert" || given == "bert")
    session.importSetting("model.name", "model.family",
                          std::string(choiceName(session.config().model.family.value_or(ModelFamily::Bert))));
  else if (given == "mosaic_bert")
    session.skip("model.name",
                 "MosaicBERT has ALiBi in place of positions and gated linear units; no family here has ALiBi",
                 ImportEffect::Differs);
  else if (given.find("gpt") != std::string::npos)
    session.skip("model.name", kImportDecoderModel, ImportEffect::Differs);
  else if (name != nullptr)
    session.skip("model.name", kImportModelUnknown, ImportEffect::Differs);
}

}  // namespace

bool isFolderName(const std::string& name) {
  return !name.empty() && (name[0] == '/' || name[0] == '.' || name[0] == '~');
}

void importCase(ImportSession& session, const std::string& key, const std::string& name) {
  if (name.find("uncased") != std::string::npos) return session.derive(key, "tokenizer.lowercase", "true");
  if (name.find("cased") != std::string::npos) session.derive(key, "tokenizer.lowercase", "false");
}

bool importKnownModel(ImportSession& session, const std::string& key) {
  const ExternalValue* name = session.open(key);
  if (name == nullptr) return false;
  for (const KnownModel& model : kKnownModels) {
    const auto fits = [&](const std::string& owner) { return name->text == owner + model.name; };
    if (std::ranges::none_of(kOwners, fits)) continue;
    if (!session.importSetting(key, "model.preset", model.preset, "its sizes, with fresh weights")) return false;
    session.derive(key, "model.family", model.family);
    return true;
  }
  return false;
}

void importComposerModel(ImportSession& session) {
  if (session.document().has("model")) {
    if (isFlexBert(session)) {
      importVocabularySize(session);
      importFlexBert(session);
    } else {
      importHuggingFaceModel(session);
      importModelOfName(session);
      importVocabularySize(session);
    }
  }
  importTokenizer(session);
}

}  // namespace batchwise::config
