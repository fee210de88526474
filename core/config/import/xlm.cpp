// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>
#include <string>

#include "core/base/text.h"
#include "core/config/import/import_session.h"

// Imports the flags of XLM's train.py. Names, meanings and defaults: its parser, xlm/optim.py and xlm/trainer.py.

namespace batchwise::config {
namespace {

constexpr const char* kImportXlmPart = "no family here has this part";

constexpr const char* kImportOtherObjective = "only masked tokens of running text are predicted here";

constexpr const char* kImportOneObjective = "has no effect on masked prediction";

constexpr auto kXlmDiffers = ImportEffect::Differs;
constexpr auto kXlmAsks = ImportEffect::ToBeGiven;

constexpr SectionReason kXlmReasons[] = {
    {"clm_steps mt_steps ae_steps bt_steps pc_steps mlm_steps", kImportOtherObjective, kXlmDiffers},
    {"encoder_only", kImportDecoderModel, kXlmDiffers},
    {"lgs use_lang_emb", "there are no language embeddings here, nor a share for each language", kXlmDiffers},
    {"sinusoidal_embeddings", "the positions of bert are learned", kXlmDiffers},
    {"asm asm_ use_memory mem_", kImportXlmPart, kXlmDiffers},
    {"sample_alpha", "every token is predicted with the same probability", kXlmDiffers},
    {"word_mask_keep_rand", "of the predicted tokens 80 % become the mask token, 10 % another token and 10 % stay",
     kXlmDiffers},
    {"optimizer", kImportOptimizerNotAdamw, kXlmDiffers},
    {"reload_emb reload_model reload_checkpoint", kImportWeightsNotRead, kXlmAsks},
    {"data_path",
     "a folder of binarized text and a vocabulary; name the text in data.train and a tokenizer in tokenizer.path",
     kXlmAsks},
    {"lambda_ context_size word_shuffle word_dropout word_blank beam_size length_penalty early_stopping eval_bleu "
     "max_len group_by_size tokens_per_batch max_batch_size",
     kImportOneObjective},
    {"max_vocab min_count", kImportNameTokenizer},
    {"lg_sampling_factor", kImportSamplesInRandomOrder},
    {"split_data", kImportReadsAhead},
    {"dump_path exp_id", kImportRunsInWorkspace},
    {"save_periodic", "checkpoints are kept in the workspace (--workspace)"},
    {"stopping_criterion", "guard.early_stop ends a run whose evaluations no longer improve"},
    {"validation_metrics", kImportKeepsBestCheckpoint},
    {"eval_only debug debug_train debug_slurm", kImportCommandDecides},
    {"local_rank master_port", kImportSetByLauncher},
    {"nproc_per_node nnodes", kImportDevicesOfLauncher},
    {"amp", kImportSeePrecision},
    {"fp16", kDeepspeedPrecisionIsOff},
};

constexpr const char* kXlm = "XLM";

std::string ofXlm() {
  return importDefaultOfText(kXlm);
}

bool isOn(ImportSession& session, const char* key) {
  const ExternalValue* value = session.open(key);
  return value != nullptr && (value->isTrue() || value->text == "1");
}

void importXlmModel(ImportSession& session) {
  constexpr DirectName sizes[] = {{"emb_dim", "model.hidden_size", nullptr, "512"},
                                  {"n_layers", "model.num_hidden_layers", nullptr, "4"},
                                  {"n_heads", "model.num_attention_heads", nullptr, "8"},
                                  {"dropout", "model.hidden_dropout_prob", nullptr, "0"},
                                  {"attention_dropout", "model.attention_probs_dropout_prob", nullptr, "0"}};
  session.importAll(sizes, kXlm);
  session.derive("emb_dim", "model.intermediate_size", std::to_string(4 * *session.config().model.hiddenSize),
                 "4 x emb_dim");
  const std::string act = isOn(session, "gelu_activation") ? "gelu" : "relu";
  if (!session.importSetting("gelu_activation", "model.hidden_act", act))
    session.assume("gelu_activation", "model.hidden_act", act, ofXlm());
  if (session.open("share_inout_emb") != nullptr)
    session.importSetting("share_inout_emb", "model.tie_word_embeddings",
                          isOn(session, "share_inout_emb") ? "true" : "false");
  session.reportDefault("output layer", "",
                        "XLM's output layer stands on the encoder itself; bert, the nearest family, has a dense layer "
                        "and a norm between");
}

/// Sizes count streams of bptt tokens, per device.
void importXlmBatch(ImportSession& session) {
  constexpr DirectName sizes[] = {{"bptt", "data.max_seq_len", nullptr, "256"},
                                  {"batch_size", "batch.device_train_microbatch_size", nullptr, "32"}};
  session.importAll(sizes, kXlm);
  session.derive("bptt", "data.join_documents", "true", "one stream of text, cut into pieces of bptt tokens");
  session.derive("bptt", "data.attention_across_documents", "true",
                 "one stream of text, cut into pieces of bptt tokens");
  importGlobalBatch(session, "batch_size", session.config().batch.deviceTrainMicrobatchSize.value_or(32),
                    "accumulate_gradients");
}

/// An epoch is epoch_size sequences of each device; evaluations and checkpoints come at its end.
void importXlmLength(ImportSession& session) {
  const auto valueOf = [&](const char* key) {
    const ExternalValue* value = session.open(key);
    return value == nullptr ? std::int64_t{100000} : value->integer().value_or(100000);
  };
  const std::int64_t size = valueOf("epoch_size"), epochs = valueOf("max_epoch");
  if (size <= 0 || epochs <= 0)
    return session.skip("epoch_size", "the length of an epoch follows from parallel text, which is not trained on here",
                        kXlmDiffers);
  const std::int64_t each = size * session.devices().value_or(1);
  const std::string all = std::to_string(each * epochs) + "sp", interval = "[" + std::to_string(each) + "sp]";
  if (!session.importSetting("max_epoch", "max_duration", all, "epoch_size sequences of each device"))
    session.assume("max_epoch", "max_duration", all, ofXlm());
  if (!session.importSetting("epoch_size", "eval.interval", interval, "epoch_size sequences of each device"))
    session.assume("epoch_size", "eval.interval", interval, ofXlm());
  session.derive("epoch_size", "checkpoint.interval", interval);
}

/// Parameters of "adam_inverse_sqrt,lr=0.0001,warmup_updates=4000", the name under "".
std::map<std::string, std::string> parametersOf(const std::string& text) {
  std::map<std::string, std::string> parameters;
  for (const std::string& part : partsOf(text, ',')) {
    const std::size_t equals = part.find('=');
    parameters[equals == std::string::npos ? "" : part.substr(0, equals)] =
        equals == std::string::npos ? part : part.substr(equals + 1);
  }
  return parameters;
}

void importOptimizerText(ImportSession& session) {
  const ExternalValue* given = session.open("optimizer");
  const auto parameters = parametersOf(given == nullptr ? "adam,lr=0.0001" : given->text);
  const std::string name = parameters.contains("") ? parameters.at("") : "";
  if (name != "adam" && name != "adam_inverse_sqrt") return;
  const auto set = [&](const char* field, const char* parameter, const char* byDefault) {
    const bool has = parameters.contains(parameter);
    session.derive(has ? "optimizer" : "optimizer (default)", field, has ? parameters.at(parameter) : byDefault);
  };
  const auto beta = [&](const char* parameter, const char* byDefault) {
    return parameters.contains(parameter) ? parameters.at(parameter) : byDefault;
  };
  session.importSetting("optimizer", "optimizer.name", "adamw", "its Adam decays weights as AdamW does");
  set("optimizer.lr", "lr", "1e-3");
  set("optimizer.eps", "eps", "1e-8");
  set("optimizer.weight_decay", "weight_decay", "0");
  session.derive("optimizer", "optimizer.betas", "[" + beta("beta1", "0.9") + ", " + beta("beta2", "0.999") + "]");
  if (name == "adam") return session.derive("optimizer", "scheduler.name", "constant");
  session.derive("optimizer", "scheduler.name", "inverse_sqrt");
  session.derive("optimizer", "scheduler.t_warmup", beta("warmup_updates", "4000") + "ba");
  set("scheduler.warmup_init_lr", "warmup_init_lr", "1e-7");
  set("scheduler.exp_factor", "exp_factor", "0.5");
}

void importObjective(ImportSession& session) {
  const auto without = [&](const char* key, const char* harmless) {
    if (const ExternalValue* value = session.open(key); value != nullptr && value->text == harmless)
      session.skip(key, kImportSoInAnyCase);
  };
  for (const char* key : {"clm_steps", "mt_steps", "ae_steps", "bt_steps", "pc_steps"}) without(key, "");
  for (const char* key : {"asm", "use_memory", "sinusoidal_embeddings"}) without(key, "false");
  without("encoder_only", "true");
  without("word_mask_keep_rand", "0.8,0.1,0.1");
  without("sample_alpha", "0");
  const ExternalValue* languages = session.open("lgs");
  const bool one = languages == nullptr || languages->text.find('-') == std::string::npos;
  if (languages != nullptr && one) session.skip("lgs", "one language, without an embedding of its own");
  if (one) session.skip("use_lang_emb", "one language, without an embedding of its own");
  if (const ExternalValue* steps = session.open("mlm_steps");
      steps != nullptr && steps->text.find('-') == std::string::npos)
    session.skip("mlm_steps", kImportSoInAnyCase);
  session.importAsIs("word_pred", "data.mlm_probability");
  session.assume("word_pred", "data.mlm_probability", "0.15", ofXlm());
  session.derive("word_pred", "eval.mlm_probability", shortNumber(session.config().data.mlmProbability),
                 "the same masks in training and evaluation there");
}

}  // namespace

void importXlm(ImportSession& session) {
  session.importAsIs("exp_name", "name");
  importXlmModel(session);
  importXlmBatch(session);
  importXlmLength(session);
  importOptimizerText(session);
  if (!session.importAsIs("clip_grad_norm", "optimizer.grad_clip_norm"))
    session.assume("clip_grad_norm", "optimizer.grad_clip_norm", "5", ofXlm());
  importObjective(session);
  if (isOn(session, "fp16")) session.importSetting("fp16", "precision", "fp16", kStateStaysFp32);
  session.assume("fp16", "precision", "fp32", ofXlm());
  session.skipRest(kXlmReasons);
}

}  // namespace batchwise::config
