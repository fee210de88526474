// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <map>

#include "core/config/import/import_session.h"
#include "core/config/messages.h"

namespace batchwise::config {
namespace {

// Hugging Face names of models with the sizes of one of our presets.
const std::map<std::string, std::string>& presetOfModel() {
  static const std::map<std::string, std::string> names = {
      {"bert-base-uncased", "base"},
      {"bert-base-cased", "base"},
      {"google-bert/bert-base-uncased", "base"},
      {"google-bert/bert-base-cased", "base"},
      {"bert-large-uncased", "large"},
      {"bert-large-cased", "large"},
      {"google-bert/bert-large-uncased", "large"},
      {"google-bert/bert-large-cased", "large"},
      {"prajjwal1/bert-tiny", "tiny"},
      {"prajjwal1/bert-mini", "mini"},
      {"prajjwal1/bert-small", "small"},
      {"google/bert_uncased_L-2_H-128_A-2", "tiny"},
      {"google/bert_uncased_L-4_H-256_A-4", "mini"},
      {"google/bert_uncased_L-4_H-512_A-8", "small"},
  };
  return names;
}

constexpr std::array kSizes = {"hidden_size",       "num_hidden_layers",       "num_attention_heads",
                               "intermediate_size", "max_position_embeddings", "type_vocab_size",
                               "hidden_act",        "hidden_dropout_prob",     "attention_probs_dropout_prob",
                               "initializer_range", "layer_norm_eps",          "tie_word_embeddings"};

bool isFolder(const std::string& name) {
  return !name.empty() && (name[0] == '/' || name[0] == '.' || name[0] == '~');
}

void importName(ImportSession& session, const std::string& key) {
  const ExternalValue* name = session.open(key);
  if (name == nullptr) return;
  if (isFolder(name->text)) {
    session.importAsIs(key, "model.init_from");
    return;
  }
  const auto preset = presetOfModel().find(name->text);
  if (preset != presetOfModel().end())
    session.importSetting(key, "model.preset", preset->second, messages::importPresetSizesFreshWeights());
  else
    session.skip(key, messages::importModelHasNoPreset());
}

void importWeights(ImportSession& session) {
  const ExternalValue* pretrained = session.open("model.use_pretrained");
  if (pretrained == nullptr) return;
  if (pretrained->isFalse())
    session.importSetting("model.use_pretrained", "model.init_from", "", messages::importFreshWeights());
  else
    session.skip("model.use_pretrained", messages::importPretrainedWeightsNeedFolder());
}

void importNorm(ImportSession& session, const std::string& section) {
  const std::string key = section + "bert_layer";
  const ExternalValue* layer = session.open(key);
  if (layer == nullptr) return;
  if (layer->text == "prenorm" || layer->text == "postnorm")
    session.importSetting(key, "model.norm", layer->text == "prenorm" ? "pre" : "post");
  else
    session.skip(key, messages::importLayerNormUnsupported());
}

/// Detects from a vocabulary's name whether it is cased.
void importCase(ImportSession& session, const std::string& key, const std::string& name) {
  if (name.find("uncased") != std::string::npos) return session.derive(key, "tokenizer.lowercase", "true");
  if (name.find("cased") != std::string::npos) session.derive(key, "tokenizer.lowercase", "false");
}

void importTokenizer(ImportSession& session) {
  for (const std::string key : {"tokenizer_name", "variables.tokenizer_name", "tokenizer.name", "model.tokenizer_name",
                                "train_loader.dataset.tokenizer_name", "eval_loader.dataset.tokenizer_name"}) {
    const ExternalValue* name = session.open(key);
    if (name == nullptr) continue;
    const std::string text = name->text;
    if (isFolder(text)) {
      session.importAsIs(key, "tokenizer.path");
    } else {
      importCase(session, key, text);
      session.skip(key, messages::importHubTokenizerNotFetched());
    }
  }
}

}  // namespace

void importComposerModel(ImportSession& session) {
  importWeights(session);
  importName(session, "model.pretrained_model_name");
  for (const std::string section : {"model.model_config.", "model.config_overrides."}) {
    for (const char* size : kSizes) session.importAsIs(section + size, std::string("model.") + size);
    session.importAsIs(section + "vocab_size", "tokenizer.train.vocab_size",
                       messages::importVocabularySizeForTraining());
    importNorm(session, section);
  }
  importTokenizer(session);
}

}  // namespace batchwise::config
