// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/import/import_session.h"
#include "core/config/model_presets.h"

// Imports FlexBERT, the building set of ModernBERT's training code: a model of family modernbert is one choice of its
// parts. Defaults: its configuration class, with yamls/defaults.yaml over it.

namespace batchwise::config {
namespace {

const std::string kChoices = "model.model_config.";

/// A choice that has to be ModernBERT's.
struct Choice {
  const char* key;
  std::vector<std::string> accepted;
  const char* byDefault;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> rows = {
      {"attention_layer", {"rope"}, "base"},
      {"bert_layer", {"prenorm"}, "prenorm"},
      {"embedding_layer", {"sans_pos"}, "absolute_pos"},
      {"encoder_layer", {"base"}, "base"},
      {"mlp_layer", {"glu", "geglu"}, "mlp"},
      {"normalization", {"layernorm"}, "layernorm"},
      {"norm_kwargs.bias", {"false"}, "true"},
      {"embed_norm", {"true"}, "true"},
      {"skip_first_prenorm", {"true"}, "false"},
      {"final_norm", {"true"}, "false"},
      {"attn_qkv_bias", {"false"}, "false"},
      {"attn_out_bias", {"false"}, "false"},
      {"mlp_in_bias", {"false"}, "false"},
      {"mlp_out_bias", {"false"}, "false"},
      {"head_pred_bias", {"false"}, "false"},
      {"decoder_bias", {"true"}, "true"},
      {"head_pred_norm", {"true"}, "true"},
      {"head_pred_act", {"gelu"}, "silu"},
      {"embed_dropout_prob", {"0"}, "0"},
      {"mlp_dropout_prob", {"0"}, "0"},
      {"head_pred_dropout", {"0"}, "0"},
      {"rotary_emb_scale_base", {"null"}, "null"},
      {"rotary_emb_interleaved", {"false"}, "false"},
      {"init_method", {"full_megatron"}, "default"},
      {"init_cutoff_factor", {"2"}, "2"},
      {"init_small_embedding", {"false"}, "false"},
      {"initial_attention_layer", {"null", "rope"}, "null"},
      {"initial_bert_layer", {"null", "prenorm"}, "null"},
      {"initial_mlp_layer", {"null", "glu", "geglu"}, "null"},
      {"padding", {"unpadded", "padded"}, "unpadded"},  // the same numbers
      {"loss_function", {"cross_entropy", "fa_cross_entropy"}, "cross_entropy"},
      {"loss_kwargs.reduction", {"mean"}, "mean"},
      {"loss_kwargs.return_z_loss", {"false"}, "false"},
      {"loss_kwargs.label_smoothing", {"0"}, "0"},
      {"causal_mask", {"false"}, "false"},
  };
  return rows;
}

/// Settings on which nothing that is learned depends.
constexpr const char* kWithoutEffect =
    "unpad_embeddings pad_logits masked_prediction sparse_prediction compile_model use_fa2 "
    "use_sdpa_attn_mask deterministic_fa2 allow_embedding_resizing num_initial_layers pooling_type "
    "head_class_act head_class_bias head_class_dropout head_class_norm layer_norm_eps hidden_dropout_prob "
    "initializer_range type_vocab_size max_position_embeddings pad_token_id position_embedding_type "
    "loss_kwargs.inplace_backward loss_kwargs.ignore_index";

constexpr DirectName kDirect[] = {
    {"model.model_config.hidden_act", "model.hidden_act"},
    {"model.model_config.attention_probs_dropout_prob", "model.attention_probs_dropout_prob"},
    {"model.model_config.attn_out_dropout_prob", "model.hidden_dropout_prob",
     "modernbert drops the output of attention only"},
    {"model.model_config.norm_kwargs.eps", "model.layer_norm_eps"},
    {"model.model_config.init_std", "model.initializer_range"},
    {"model.model_config.rotary_emb_base", "model.rope_theta"},
    {"model.model_config.tie_word_embeddings", "model.tie_word_embeddings"},
};

/// Returns a value as the table spells it: "false", "null", "0".
std::string spelled(const ExternalValue& value) {
  if (value.null) return "null";
  if (value.isTrue()) return "true";
  if (value.isFalse()) return "false";
  if (const auto number = value.number()) return shortNumber(*number);
  const std::string text = inLowerCase(value.text);
  for (const char* prefix : {"unpadded_", "padded_"})
    if (text.starts_with(prefix)) return text.substr(std::string(prefix).size());
  return text;
}

void checkChoice(ImportSession& session, const Choice& choice) {
  const std::string key = kChoices + choice.key;
  const std::string why = formatText("modernbert has {}", joined(choice.accepted));
  const auto accepts = [&](const std::string& text) {
    return std::ranges::find(choice.accepted, text) != choice.accepted.end();
  };
  const ExternalValue* value = session.document().find(key);
  if (value == nullptr) {
    if (!accepts(choice.byDefault))
      session.reportDefault(
          key, choice.byDefault,
          formatText("left out, it is {} in FlexBERT; modernbert has {}", choice.byDefault, joined(choice.accepted)));
  } else if (value->problem.empty() && accepts(spelled(*value))) {
    session.importSetting(key, "model.family", "modernbert");
  } else if (session.open(key) != nullptr || value->null) {
    session.skip(key, why, ImportEffect::Differs);
  }
}

struct BertSize {
  const char* key;
  std::int64_t value;
};

/// Sizes that the file omits are those of the BERT whose configuration FlexBERT starts from.
void importFlexBertSizes(ImportSession& session) {
  const ExternalValue* name = session.open("model.pretrained_model_name");
  const bool large = name != nullptr && name->text.find("bert-large") != std::string::npos;
  const PresetSizes bert = *sizesOf(ModelFamily::Bert, large ? ModelPreset::Large : ModelPreset::Base);
  for (const BertSize& size :
       {BertSize{"num_hidden_layers", bert.layers}, BertSize{"hidden_size", bert.hiddenSize},
        BertSize{"num_attention_heads", bert.heads}, BertSize{"intermediate_size", bert.intermediateSize}}) {
    const std::string field = std::string("model.") + size.key;
    if (!session.importAsIs(kChoices + size.key, field))
      session.assume(kChoices + size.key, field, std::to_string(size.value),
                     formatText("the size of {}", large ? "bert-large" : "bert-base"));
  }
  session.skip("model.pretrained_model_name", "names the sizes that the file omits, no weights");
}

void importWindows(ImportSession& session) {
  const auto valueOf = [&](const char* key) {
    const ExternalValue* value = session.open(kChoices + key);
    return value == nullptr ? std::int64_t{-1} : value->integer().value_or(-1);
  };
  const std::int64_t window = valueOf("sliding_window"), every = valueOf("global_attn_every_n_layers");
  const std::string windowKey = kChoices + "sliding_window", everyKey = kChoices + "global_attn_every_n_layers";
  if (window <= 0) {
    session.importSetting(windowKey, "model.global_attn_every_n_layers", "1",
                          "no windows: every layer attends to the whole sequence");
    session.importSetting(everyKey, "model.global_attn_every_n_layers", "1");
    session.assume(windowKey, "model.global_attn_every_n_layers", "1",
                   "no windows: every layer attends to the whole sequence");
    return;
  }
  session.importAsIs(windowKey, "model.local_attention");
  if (every > 0) {
    session.importAsIs(everyKey, "model.global_attn_every_n_layers");
  } else if (session.document().has(everyKey)) {
    session.skip(everyKey, "a modernbert attends to the whole sequence in its first layer at least",
                 ImportEffect::Differs);
  } else {
    session.reportDefault(everyKey, "-1", "a modernbert attends to the whole sequence in its first layer at least");
  }
}

void importRotary(ImportSession& session) {
  const std::string local = kChoices + "local_attn_rotary_emb_base", base = kChoices + "rotary_emb_base";
  session.assume(base, "model.rope_theta", "10000");
  const std::string theta = shortNumber(*session.config().model.ropeTheta);
  const ExternalValue* given = session.open(local);
  if (given != nullptr && given->number() != -1.0)
    session.importAsIs(local, "model.local_rope_theta");
  else if (given == nullptr ||
           !session.importSetting(local, "model.local_rope_theta", theta, "the base of the other layers"))
    session.assume(local, "model.local_rope_theta", theta, "the base of the other layers");
  const ModelConfig& model = session.config().model;
  const std::int64_t head = *model.hiddenSize / *model.numAttentionHeads;
  for (const char* key : {"rotary_emb_dim", "local_attn_rotary_emb_dim"})
    checkChoice(session, {key, {"null", std::to_string(head)}, "null"});
}

void derivePreset(ImportSession& session) {
  const ModelConfig& model = session.config().model;
  for (const std::string& preset : presetNames(ModelFamily::ModernBert)) {
    const PresetSizes sizes = *sizesOf(ModelFamily::ModernBert, *choiceFromName<ModelPreset>(preset));
    if (sizes.layers == model.numHiddenLayers && sizes.hiddenSize == model.hiddenSize &&
        sizes.heads == model.numAttentionHeads && sizes.intermediateSize == model.intermediateSize)
      session.derive("model.model_config", "model.preset", preset, "its sizes");
  }
}

}  // namespace

void importFlexBert(ImportSession& session) {
  if (!session.importSetting("model.name", "model.family", "modernbert", "FlexBERT with the choices of ModernBERT"))
    session.derive("model.model_config", "model.family", "modernbert", "FlexBERT with the choices of ModernBERT");
  importFlexBertSizes(session);
  session.importAll(kDirect);
  for (const Choice& choice : choices()) checkChoice(session, choice);
  importWindows(session);
  importRotary(session);
  derivePreset(session);
  if (const ExternalValue* act = session.open(kChoices + "activation_function")) {
    if (spelled(*act) == choiceName(session.config().model.hiddenAct.value_or(Activation::Gelu)))
      session.importSetting(act->key, "model.family", "modernbert");
    else
      session.skip(act->key, "modernbert has gelu", ImportEffect::Differs);
  }
  for (const std::string& key : partsOf(kWithoutEffect, ' '))
    session.skip(kChoices + key, kImportChangesNothingLearned);
  session.skipBelow("model.model_config", "not known of ModernBERT", ImportEffect::Differs);
}

}  // namespace batchwise::config
