// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <map>

#include "core/config/import/import_session.h"

namespace batchwise::config {
namespace {

// Hugging Face names of models whose sizes are one of our presets.
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
  const PeerValue* name = session.open(key);
  if (name == nullptr) return;
  if (isFolder(name->text)) {
    session.takeAsIs(key, "model.init_from");
    return;
  }
  const auto preset = presetOfModel().find(name->text);
  if (preset != presetOfModel().end())
    session.take(key, "model.preset", preset->second, "its sizes, with fresh weights");
  else
    session.leave(key, "no preset has the sizes of this model; give them by name in the group model");
}

void importWeights(ImportSession& session) {
  const PeerValue* pretrained = session.open("model.use_pretrained");
  if (pretrained == nullptr) return;
  if (pretrained->isFalse())
    session.take("model.use_pretrained", "model.init_from", "", "fresh weights");
  else
    session.leave("model.use_pretrained", "weights are read from a folder; name it in model.init_from");
}

void importNorm(ImportSession& session, const std::string& section) {
  const std::string key = section + "bert_layer";
  const PeerValue* layer = session.open(key);
  if (layer == nullptr) return;
  if (layer->text == "prenorm" || layer->text == "postnorm")
    session.take(key, "model.norm", layer->text == "prenorm" ? "pre" : "post");
  else
    session.leave(key, "layers here are prenorm or postnorm");
}

/// The words that tell whether a vocabulary of the hub keeps capitals.
void importCase(ImportSession& session, const std::string& key, const std::string& name) {
  if (name.find("uncased") != std::string::npos) return session.derive(key, "tokenizer.lowercase", "true");
  if (name.find("cased") != std::string::npos) session.derive(key, "tokenizer.lowercase", "false");
}

void importTokenizer(ImportSession& session) {
  for (const std::string key : {"tokenizer_name", "variables.tokenizer_name", "tokenizer.name", "model.tokenizer_name",
                                "train_loader.dataset.tokenizer_name", "eval_loader.dataset.tokenizer_name"}) {
    const PeerValue* name = session.open(key);
    if (name == nullptr) continue;
    const std::string text = name->text;
    if (isFolder(text)) {
      session.takeAsIs(key, "tokenizer.path");
    } else {
      importCase(session, key, text);
      session.leave(key,
                    "nothing is fetched from a hub; put its vocab.txt into a folder and name that in tokenizer.path");
    }
  }
}

}  // namespace

void importComposerModel(ImportSession& session) {
  importWeights(session);
  importName(session, "model.pretrained_model_name");
  for (const std::string section : {"model.model_config.", "model.config_overrides."}) {
    for (const char* size : kSizes) session.takeAsIs(section + size, std::string("model.") + size);
    session.takeAsIs(section + "vocab_size", "tokenizer.train.vocab_size",
                     "used if a vocabulary is trained; one that is given brings its own size");
    importNorm(session, section);
  }
  importTokenizer(session);
}

}  // namespace batchwise::config
