// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "core/config/import/import_session.h"
#include "core/config/messages.h"
#include "core/config/schema.h"

// Imports Composer's YAML as used by bert24 and ModernBERT.

namespace batchwise::config {
namespace {

constexpr DirectName kComposerDirect[] = {
    {"run_name", "name"},
    {"name", "name"},
    {"seed", "seed"},
    {"global_seed", "seed"},
    {"variables.global_seed", "seed"},
    {"scale_schedule_ratio", "scale_schedule_ratio"},
    {"global_train_batch_size", "batch.global_train_batch_size"},
    {"train_batch_size", "batch.global_train_batch_size"},  // in older files
    {"device_train_microbatch_size", "batch.device_train_microbatch_size"},
    {"device_eval_microbatch_size", "eval.microbatch_size"},
    {"train_loader.dataset.max_seq_len", "data.max_seq_len"},
    {"max_seq_len", "data.max_seq_len"},
    {"variables.max_seq_len", "data.max_seq_len"},
    {"eval_loader.dataset.max_seq_len", "data.max_seq_len"},
    {"train_loader.dataset.mlm_probability", "data.mlm_probability"},
    {"mlm_probability", "data.mlm_probability"},
    {"eval_loader.dataset.mlm_probability", "eval.mlm_probability"},
    {"train_loader.dataset.shuffle", "data.shuffle"},
    {"deterministic_mode", "devices.deterministic"},
};

constexpr auto kComposerDiffers = ImportEffect::Differs;
constexpr auto kComposerAsks = ImportEffect::ToBeGiven;

// The first that fits counts.
constexpr SectionReason kComposerReasons[] = {
    {"train_loader.dataset.shuffle_seed", messages::importComposerTrainLoaderDatasetShuffleSeedReason},
    {"train_loader.dataset.suppress_masking", messages::importNoMasking, kComposerDiffers},
    {"train_loader.dataset.use_decoder_attn_mask", messages::importDecoderModel, kComposerDiffers},
    {"train_loader.drop_last", messages::importComposerTrainLoaderDropLastReason},
    {"train_loader.sequence_packing", messages::importNotPackedThere},
    {"train_loader.packing_buffer_size", messages::importPacksOverWindows},
    {"train_loader.packing_prefetch_factor", messages::importReadsAhead},
    {"train_loader.num_workers", messages::importReadsAhead},
    {"train_loader.prefetch_factor", messages::importReadsAhead},
    {"train_loader.persistent_workers", messages::importReadsAhead},
    {"train_loader.pin_memory", messages::importReadsAhead},
    {"train_loader.bos_token_id", messages::importTokensOfTokenizer},
    {"train_loader.eos_token_id", messages::importTokensOfTokenizer},
    {"train_loader.pad_token_id", messages::importTokensOfTokenizer},
    {"train_loader.cls_token_id", messages::importTokensOfTokenizer},
    {"train_loader.sep_token_id", messages::importTokensOfTokenizer},
    {"train_loader.mask_token_id", messages::importTokensOfTokenizer},
    {"train_loader", messages::importComposerTrainLoaderReason},
    {"eval_loader", messages::importComposerEvalLoaderReason},
    {"evaluators", messages::importComposerEvaluatorsReason},
    {"data_local", messages::importComposerDataLocalReason},
    {"data_remote", messages::importComposerDataRemoteReason},
    {"pretrain_data_local", messages::importComposerEvalLoaderReason},
    {"pretrain_data_remote", messages::importComposerEvalLoaderReason},
    {"model.pretrained_checkpoint", messages::importWeightsNotRead, kComposerAsks},
    {"model.disable_train_metrics", messages::importChangesNothingLearned},
    {"model.recompute_metric_loss", messages::importChangesNothingLearned},
    {"model", messages::importComposerModelReason, kComposerDiffers},
    {"optimizer.filter_bias_norm_wd", messages::importComposerOptimizerFilterBiasNormWdReason},
    {"optimizer.log_grad_norm", messages::importGradientNormRecorded},
    {"optimizer.name", messages::importOptimizerNotAdamw, kComposerDiffers},
    {"optimizer", messages::importComposerOptimizerReason, kComposerDiffers},
    {"scheduler", messages::importComposerSchedulerReason},
    {"batch_rampup", messages::importComposerBatchRampupReason},
    {"global_eval_batch_size", messages::importComposerGlobalEvalBatchSizeReason},
    {"device_eval_batch_size", messages::importComposerGlobalEvalBatchSizeReason},
    {"device_train_batch_size", messages::importComposerDeviceTrainBatchSizeReason},
    {"grad_accum", messages::importComposerGradAccumReason},
    {"save_folder", messages::importComposerSaveFolderReason},
    {"save_overwrite", messages::importComposerSaveOverwriteReason},
    {"load_path", messages::importWeightsNotRead, kComposerAsks},
    {"init_from_checkpoint", messages::importTiledWeights, kComposerAsks},
    {"pretrain_run_name", messages::importNamesRunOfWeights},
    {"context_extension_run_name", messages::importNamesRunOfWeights},
    {"load_weights_only", messages::importStartsOwnClock},
    {"autoresume", messages::importComposerAutoresumeReason},
    {"reset_time", messages::importStartsOwnClock},
    {"reset_time_once", messages::importStartsOwnClock},
    {"restart_override", messages::importStartsOwnClock},
    {"callbacks.ema", messages::importNoAveragedWeights, kComposerDiffers},
    {"callbacks.early_stopper", messages::importEarlyStopElsewhere},
    {"callbacks.speed_monitor", messages::importComposerCallbacksReason},
    {"callbacks.lr_monitor", messages::importComposerCallbacksReason},
    {"callbacks.memory_monitor", messages::importComposerCallbacksReason},
    {"callbacks.runtime_estimator", messages::importComposerCallbacksReason},
    {"callbacks.optimizer_monitor", messages::importComposerCallbacksReason},
    {"callbacks.log_grad_norm", messages::importComposerCallbacksReason},
    {"callbacks.dataloader_speed", messages::importComposerCallbacksReason},
    {"callbacks.packing_efficiency", messages::importComposerCallbacksReason},
    {"callbacks", messages::importCallbacksNotRun},
    {"loggers", messages::importComposerLoggersReason},
    {"progress_bar", messages::importComposerProgressBarReason},
    {"log_to_console", messages::importComposerProgressBarReason},
    {"console_log_interval", messages::importComposerProgressBarReason},
    {"python_log_level", messages::importComposerProgressBarReason},
    {"fsdp_config", messages::importComposerFsdpConfigReason},
    {"deepspeed_config", messages::importComposerDeepspeedConfigReason},
    {"dist_timeout", messages::importComposerDistTimeoutReason},
    {"compile_config", messages::importComposerCompileConfigReason},
    {"algorithms.fused_layernorm", messages::importChangesNothingLearned},
    {"algorithms.low_precision_layernorm", messages::importNormsInFp32},
    {"algorithms.alibi", messages::importNoAlibi, kComposerDiffers},
    {"algorithms.gated_linear_units", messages::importNoGatedUnits, kComposerDiffers},
    {"algorithms.ema", messages::importNoAveragedWeights, kComposerDiffers},
    {"algorithms", messages::importComposerAlgorithmsReason, kComposerDiffers},
    {"eval_subset_num_batches", messages::importComposerEvalSubsetNumBatchesReason},
    {"train_subset_num_batches", messages::importComposerTrainSubsetNumBatchesReason},
    {"spin_dataloaders", messages::importComposerSpinDataloadersReason},
    {"variables", messages::importComposerVariablesReason},
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
    session.importSetting(key, field, "[]", messages::importIntervalNeverReached());
    return;
  }
  const bool never = value->integer() == 0;
  session.importSetting(key, field, never ? "[]" : "[" + composerTime(*value) + "]",
                        value->integer() && !never ? messages::importPlainNumberCountsEpochs() : Message());
}

void importComposerLength(ImportSession& session) {
  if (const ExternalValue* value = session.open("max_duration"))
    session.importSetting("max_duration", "max_duration", composerTime(*value),
                          value->integer() ? messages::importPlainNumberCountsEpochs() : Message());
  importInterval(session, "eval_interval", "eval.interval");
  importInterval(session, "save_interval", "checkpoint.interval");
  const ExternalValue* keep = session.open("save_num_checkpoints_to_keep");
  if (keep == nullptr) return;
  if (keep->integer() == -1)
    session.importSetting(keep->key, "checkpoint.keep_last", "1000000", messages::importKeepsAllCheckpoints());
  else
    session.importAsIs(keep->key, "checkpoint.keep_last");
}

void importComposerPrecision(ImportSession& session) {
  static const std::map<std::string, std::string> names = {
      {"amp_bf16", "bf16"}, {"amp_fp16", "fp16"}, {"amp", "fp16"}, {"fp32", "fp32"}};
  if (const ExternalValue* value = session.open("precision")) {
    const auto found = names.find(value->text);
    if (found == names.end())
      session.skip("precision", messages::importPrecisionUnsupported(), kComposerDiffers);
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
  const Message decay =
      filter != nullptr && filter->isTrue() ? Message() : messages::importComposerOptimizerFilterBiasNormWdReason();
  session.importAsIs("optimizer.weight_decay", "optimizer.weight_decay", decay);
  constexpr DirectName names[] = {
      {"optimizer.lr", "optimizer.lr"}, {"optimizer.betas", "optimizer.betas"}, {"optimizer.eps", "optimizer.eps"}};
  session.importAll(names);
  if (known == std::end(kOptimizers)) return;
  session.importSetting("optimizer.name", "optimizer.name", known->ours);
  if (known->decoupled)
    session.derive("optimizer.name", "optimizer.decouple_lr", "true", messages::importDecayDecoupled());
  const Message note = messages::importDefaultOf(known->name);
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
  session.assume("algorithms.gradient_clipping", "optimizer.grad_clip_norm", "0",
                 messages::importClippingDefaultsToNone());
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
      session.assume("scheduler", "scheduler.name", "constant", messages::importConstantWithoutScheduler());
    return;
  }
  const std::string given = name->text;
  if (!session.importSetting("scheduler.name", "scheduler.name", nativeSchedule(given))) {
    session.assume("scheduler", "scheduler.name", "constant", messages::importScheduleToBeChosen());
    return session.skipBelow("scheduler", messages::importScheduleNotTaken());
  }
  if (nativeSchedule(given) == "one_minus_sqrt")
    session.skip("scheduler.t_warmup", messages::importNoWarmupInSchedule());
  for (const std::string& parameter : scheduleParameters(nativeSchedule(given)))
    session.importAsIs("scheduler." + parameter, "scheduler." + parameter);
}

void importRamp(ImportSession& session) {
  session.importAsIs("batch_rampup", "batch.rampup.duration", messages::importRampupStepsUncut());
  for (const char* key : {"inital_global_train_batch_size", "initial_global_train_batch_size"})
    session.importAsIs(key, "batch.rampup.initial_global_train_batch_size");
}

/// Packs of max_seq_len tokens, which every size counts. There each device packs rows of micro-batch x max_seq_len.
void importPacking(ImportSession& session) {
  const ExternalValue* packing = session.open("train_loader.sequence_packing");
  if (packing == nullptr || !packing->isTrue()) return;
  const std::string tokens = std::to_string(session.config().data.maxSeqLen);
  session.importSetting(packing->key, "batch.tokens.max_tokens", tokens, messages::importPacksOfMaxSeqLen());
  session.derive(packing->key, "batch.tokens.packing", "best_fit");
}

void importTokenCount(ImportSession& session) {
  if (const ExternalValue* padding = session.open("count_padding_tokens"))
    session.skip(padding->key, padding->isFalse() ? messages::importSoInAnyCase() : messages::importCountsRealTokens());
}

void importCheckpointing(ImportSession& session) {
  session.importAsIs("model.gradient_checkpointing", "devices.activation_checkpointing");
}

}  // namespace

void importComposer(ImportSession& session) {
  importComposerModel(session);
  session.importAll(kComposerDirect);
  importComposerLength(session);
  importComposerPrecision(session);
  importComposerOptimizer(session);
  importComposerClipping(session);
  importComposerSchedule(session);
  importRamp(session);
  importPacking(session);
  importSizeWarmup(session);
  importTokenCount(session);
  importCheckpointing(session);
  session.skipRest(kComposerReasons);
}

}  // namespace batchwise::config
