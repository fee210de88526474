// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <map>

#include "core/config/import/import_session.h"
#include "core/config/schema.h"

// Imports Composer's YAML as used by bert24 and ModernBERT.

namespace batchwise::config {
namespace {

constexpr const char* kImportTokensOfTokenizer = "special tokens are those of the tokenizer";

constexpr const char* kImportStartsOwnClock = "a run that starts from weights has clocks and a schedule of its own";

constexpr DirectName kComposerDirect[] = {
    {"run_name name", "name"},
    {"seed global_seed variables.global_seed", "seed"},
    {"scale_schedule_ratio", "scale_schedule_ratio"},
    {"global_train_batch_size train_batch_size", "batch.global_train_batch_size"},  // the second in older files
    {"device_train_microbatch_size", "batch.device_train_microbatch_size"},
    {"device_eval_microbatch_size", "eval.microbatch_size"},
    {"train_loader.dataset.max_seq_len max_seq_len variables.max_seq_len eval_loader.dataset.max_seq_len",
     "data.max_seq_len"},
    {"train_loader.dataset.mlm_probability mlm_probability", "data.mlm_probability"},
    {"eval_loader.dataset.mlm_probability", "eval.mlm_probability"},
    {"train_loader.dataset.shuffle", "data.shuffle"},
    {"deterministic_mode", "devices.deterministic"},
};

constexpr auto kComposerDiffers = ImportEffect::Differs;
constexpr auto kComposerAsks = ImportEffect::ToBeGiven;

// The first that fits counts.
constexpr SectionReason kComposerReasons[] = {
    {"train_loader.dataset.shuffle_seed", "the order follows from seed"},
    {"train_loader.dataset.suppress_masking", "the models here predict masked tokens", kComposerDiffers},
    {"train_loader.dataset.use_decoder_attn_mask", kImportDecoderModel, kComposerDiffers},
    {"train_loader.drop_last", "no sample is dropped here: the last global batch of an epoch may be short"},
    {"train_loader.sequence_packing", "sequences are not packed; unpadded, each of them is computed at its own length"},
    {"train_loader.packing_buffer_size", "packs are chosen from windows of 262,144 sequences"},
    {"train_loader.packing_prefetch_factor train_loader.num_workers train_loader.prefetch_factor "
     "train_loader.persistent_workers train_loader.pin_memory",
     kImportReadsAhead},
    {"train_loader.bos_token_id train_loader.eos_token_id train_loader.pad_token_id train_loader.cls_token_id "
     "train_loader.sep_token_id train_loader.mask_token_id",
     kImportTokensOfTokenizer},
    {"train_loader", kImportTextPreparedIntoCache},
    {"eval_loader", kImportEvaluationText},
    {"evaluators",
     "evaluation text is named in data.eval and eval.sets; the loss and accuracy of masked tokens are measured"},
    {"data_local", kImportTextFromFiles},
    {"data_remote", "the text is read from files named in data.train; there is no streaming"},
    {"pretrain_data_local pretrain_data_remote", kImportEvaluationText},
    {"model.pretrained_checkpoint", kImportWeightsNotRead, kComposerAsks},
    {"model.disable_train_metrics model.recompute_metric_loss", kImportChangesNothingLearned},
    {"model", "no family here has this; model.family lists them", kComposerDiffers},
    {"optimizer.filter_bias_norm_wd", "biases and layer norms are always left out of weight decay"},
    {"optimizer.log_grad_norm", "the gradient norm is always recorded"},
    {"optimizer.name", kImportOptimizerNotAdamw, kComposerDiffers},
    {"optimizer", kImportNoSuchOptimizerSetting, kComposerDiffers},
    {"scheduler", "no schedule here has this parameter"},
    {"batch_rampup", "see batch.rampup"},
    {"global_eval_batch_size device_eval_batch_size", kImportEvaluationBatchIsFree},
    {"device_train_batch_size", "follows from batch.global_train_batch_size and the devices"},
    {"grad_accum", "accumulation follows from batch.device_train_microbatch_size; give that instead"},
    {"save_folder", "checkpoints are kept in the workspace (--workspace)"},
    {"save_overwrite", "a run never overwrites the checkpoints of another run"},
    {"load_path", kImportWeightsNotRead, kComposerAsks},
    {"init_from_checkpoint", "name the folder of the smaller model (config.json, model.safetensors) in model.tile_from",
     kComposerAsks},
    {"pretrain_run_name context_extension_run_name", "names the run whose weights load_path takes"},
    {"load_weights_only", kImportStartsOwnClock},
    {"autoresume", kImportResumeIsACommand},
    {"reset_time reset_time_once restart_override", kImportStartsOwnClock},
    {"callbacks.ema", "weights are not averaged over training here", kComposerDiffers},
    {"callbacks.early_stopper", "guard.early_stop ends a run whose evaluations no longer improve"},
    {"callbacks.speed_monitor callbacks.lr_monitor callbacks.memory_monitor callbacks.runtime_estimator "
     "callbacks.optimizer_monitor callbacks.log_grad_norm callbacks.dataloader_speed callbacks.packing_efficiency",
     kImportAlwaysRecorded},
    {"callbacks", "callbacks of other trainers are not run"},
    {"loggers", kImportMetricsInWorkspace},
    {"progress_bar log_to_console console_log_interval python_log_level", kImportTerminalShowsProgress},
    {"fsdp_config", kImportWholeModelPerDevice},
    {"deepspeed_config", "each device holds the whole model; import that file by itself for its batch settings"},
    {"dist_timeout", kImportSetByLauncher},
    {"compile_config", kImportNothingToCompile},
    {"algorithms.fused_layernorm", kImportChangesNothingLearned},
    {"algorithms.low_precision_layernorm", "norms are computed in fp32"},
    {"algorithms.alibi", "no family here has ALiBi; positions are learned or rotary", kComposerDiffers},
    {"algorithms.gated_linear_units", "bert has no gated linear units; modernbert, eurobert and neobert have",
     kComposerDiffers},
    {"algorithms.ema", "weights are not averaged over training here", kComposerDiffers},
    {"algorithms", "of Composer's algorithms, only gradient_clipping by norm has a field, optimizer.grad_clip_norm",
     kComposerDiffers},
    {"eval_subset_num_batches", "the whole of data.eval is evaluated"},
    {"train_subset_num_batches", "an epoch holds all of data.train; shorten the run with max_duration"},
    {"spin_dataloaders", "not needed: a resumed run seeks to its position in the data"},
    {"variables", "a value that other settings refer to"},
};

/// Converts a Composer Time, where a plain integer counts epochs.
std::string composerTime(const ExternalValue& value) {
  return value.integer() ? std::to_string(*value.integer()) + "ep" : value.text;
}

/// Whether a Time is too large to be counted, which switches an interval off in files of the field.
bool isNever(const ExternalValue& value) {
  constexpr std::size_t kDigits = 18;
  const std::string digits = withoutUnderscores(value.text);
  return std::min(digits.find_first_not_of("0123456789"), digits.size()) > kDigits;
}

void importInterval(ImportSession& session, const std::string& key, const std::string& field) {
  const ExternalValue* value = session.open(key);
  if (value == nullptr) return;
  if (isNever(*value)) {
    session.importSetting(key, field, "[]", "a time that no run reaches: never");
    return;
  }
  const bool never = value->integer() == 0;
  session.importSetting(key, field, never ? "[]" : "[" + composerTime(*value) + "]",
                        value->integer() && !never ? "a number without a unit counts epochs" : std::string());
}

void importComposerLength(ImportSession& session) {
  if (const ExternalValue* value = session.open("max_duration"))
    session.importSetting("max_duration", "max_duration", composerTime(*value),
                          value->integer() ? "a number without a unit counts epochs" : std::string());
  importInterval(session, "eval_interval", "eval.interval");
  importInterval(session, "save_interval", "checkpoint.interval");
  const ExternalValue* keep = session.open("save_num_checkpoints_to_keep");
  if (keep == nullptr) return;
  if (keep->integer() == -1)
    session.importSetting(keep->key, "checkpoint.keep_last", "1000000", "all: the most that can be kept");
  else
    session.importAsIs(keep->key, "checkpoint.keep_last");
}

void importComposerPrecision(ImportSession& session) {
  static const std::map<std::string, std::string> names = {
      {"amp_bf16", "bf16"}, {"amp_fp16", "fp16"}, {"amp", "fp16"}, {"fp32", "fp32"}};
  if (const ExternalValue* value = session.open("precision")) {
    const auto found = names.find(value->text);
    if (found == names.end())
      session.skip("precision", "the formats here are fp32, tf32, bf16 and fp16, with weights in fp32",
                   kComposerDiffers);
    else
      session.importSetting("precision", "precision", found->second);
  }
  const ExternalValue* device = session.open("device");
  if (device != nullptr && (device->text == "gpu" || device->text == "cpu"))
    session.importSetting("device", "devices.use", device->text == "gpu" ? "cuda" : "cpu");
}

struct TheirOptimizer {
  const char* name;
  const char* ours;
  bool decoupled;     ///< decay by rate / initial rate, as our decouple_lr
  const char* betas;  ///< defaults of the class
  const char* eps;
  const char* decay;
};
constexpr TheirOptimizer kOptimizers[] = {
    {"decoupled_adamw", "adamw", true, "[0.9, 0.95]", "1e-8", "1e-5"},
    {"adamw", "adamw", false, "[0.9, 0.999]", "1e-8", "0.01"},
    {"AdamW", "adamw", false, "[0.9, 0.999]", "1e-8", "0.01"},
    {"decoupled_stableadamw", "stable_adamw", true, "[0.9, 0.99]", "1e-6", "0.01"},
    {"stableadamw", "stable_adamw", false, "[0.9, 0.99]", "1e-6", "0.01"},
};

void importComposerOptimizer(ImportSession& session) {
  if (!session.document().has("optimizer")) return;
  const ExternalValue* name = session.open("optimizer.name");
  const auto known = std::ranges::find_if(
      kOptimizers, [&](const TheirOptimizer& row) { return name != nullptr && name->text == row.name; });
  const ExternalValue* filter = session.document().find("optimizer.filter_bias_norm_wd");
  const std::string decay = filter != nullptr && filter->isTrue()
                                ? std::string()
                                : "biases and layer norms are always left out of weight decay";
  session.importAsIs("optimizer.weight_decay", "optimizer.weight_decay", decay);
  constexpr DirectName names[] = {
      {"optimizer.lr", "optimizer.lr"}, {"optimizer.betas", "optimizer.betas"}, {"optimizer.eps", "optimizer.eps"}};
  session.importAll(names);
  if (known == std::end(kOptimizers)) return;
  session.importSetting("optimizer.name", "optimizer.name", known->ours);
  if (known->decoupled)
    session.derive("optimizer.name", "optimizer.decouple_lr", "true",
                   "weight_decay x lr / (initial lr), as in a decoupled optimizer");
  const std::string note = importDefaultOfText(known->name);
  session.assume("optimizer.lr", "optimizer.lr", "1e-3", note);
  session.assume("optimizer.betas", "optimizer.betas", known->betas, note);
  session.assume("optimizer.eps", "optimizer.eps", known->eps, note);
  session.assume("optimizer.weight_decay", "optimizer.weight_decay", known->decay, note);
}

void importComposerClipping(ImportSession& session) {
  const std::string section = "algorithms.gradient_clipping.";
  const ExternalValue* type = session.open(section + "clipping_type");
  const ExternalValue* threshold = session.open(section + "clipping_threshold");
  if (type != nullptr && threshold != nullptr && type->text == "norm") {
    session.importAsIs(section + "clipping_threshold", "optimizer.grad_clip_norm");
    session.importSetting(section + "clipping_type", "optimizer.grad_clip_norm", threshold->text);
    return;
  }
  session.assume("algorithms.gradient_clipping", "optimizer.grad_clip_norm", "0", "without it nothing is clipped");
}

std::string nativeSchedule(const std::string& name) {
  static const std::map<std::string, std::string> names = {{"linear_decay_with_warmup", "linear_with_warmup"},
                                                           {"cosine_with_warmup", "cosine_annealing_with_warmup"},
                                                           {"cosine", "cosine_annealing"},
                                                           {"cosine_warmup", "cosine_annealing_with_warmup"}};
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

void importComposerSchedule(ImportSession& session) {
  const ExternalValue* name = session.open("scheduler.name");
  if (name == nullptr) {
    if (!session.document().has("scheduler"))
      session.assume("scheduler", "scheduler.name", "constant", "without a scheduler the learning rate is constant");
    return;
  }
  const std::string given = name->text;
  if (!session.importSetting("scheduler.name", "scheduler.name", nativeSchedule(given))) {
    session.assume("scheduler", "scheduler.name", "constant", kImportScheduleToBeChosen);
    return session.skipBelow("scheduler", "belongs to a schedule that is not taken");
  }
  if (nativeSchedule(given) == "one_minus_sqrt")
    session.skip("scheduler.t_warmup", "this schedule has no warm-up, there and here");
  for (const std::string& parameter : scheduleParameters(nativeSchedule(given)))
    session.importAsIs("scheduler." + parameter, "scheduler." + parameter);
}

void importRamp(ImportSession& session) {
  session.importAsIs("batch_rampup", "batch.rampup.duration",
                     "stages of equal samples; every step has exactly its size, none is cut short");
  for (const char* key : {"inital_global_train_batch_size", "initial_global_train_batch_size"})
    session.importAsIs(key, "batch.rampup.initial_global_train_batch_size");
}

/// Packs of max_seq_len tokens, which every size counts. There each device packs rows of micro-batch x max_seq_len.
void importPacking(ImportSession& session) {
  const ExternalValue* packing = session.open("train_loader.sequence_packing");
  if (packing == nullptr || !packing->isTrue()) return;
  const std::string tokens = std::to_string(session.config().data.maxSeqLen);
  session.importSetting(
      packing->key, "batch.tokens.max_tokens", tokens,
      "packs of max_seq_len tokens, which all sizes count; there a device fills rows of micro-batch x max_seq_len");
  session.derive(packing->key, "batch.tokens.packing", "best_fit");
}

void importTokenCount(ImportSession& session) {
  if (const ExternalValue* padding = session.open("count_padding_tokens"))
    session.skip(padding->key, padding->isFalse()
                                   ? kImportSoInAnyCase
                                   : "padding is never counted here: a duration in tokens lasts longer than there");
}

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

void importComposer(ImportSession& session) {
  importComposerModel(session);
  session.importAll(kComposerDirect);
  const std::int64_t samples = session.config().batch.globalTrainBatchSize, devices = session.devices().value_or(1);
  if (session.has("batch.global_train_batch_size") && samples % devices != 0)
    session.refuse(
        formatText("global_train_batch_size {} is not a multiple of {} devices; Composer's programs refuse "
                   "such a file. Correct the size, or the number of devices (--devices)",
                   samples, devices));
  importComposerLength(session);
  importComposerPrecision(session);
  importComposerOptimizer(session);
  importComposerClipping(session);
  importComposerSchedule(session);
  importRamp(session);
  importPacking(session);
  importSizeWarmup(session);
  importTokenCount(session);
  session.importAsIs("model.gradient_checkpointing", "devices.activation_checkpointing");
  session.skipRest(kComposerReasons);
}

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
