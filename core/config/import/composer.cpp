// SPDX-License-Identifier: GPL-3.0-or-later
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

// Sections of bert24's ramp and of its successor in ModernBERT.
constexpr const char* kWarmupSections[] = {"", "train_loader."};

constexpr SectionReason kComposerReasons[] = {
    {"train_loader.dataset.shuffle_seed", messages::importComposerTrainLoaderDatasetShuffleSeedReason},
    {"train_loader.drop_last", messages::importComposerTrainLoaderDropLastReason},
    {"train_loader.sequence_packing", messages::importComposerTrainLoaderSequencePackingReason},
    {"train_loader", messages::importComposerTrainLoaderReason},
    {"eval_loader", messages::importComposerEvalLoaderReason},
    {"evaluators", messages::importComposerEvaluatorsReason},
    {"data_local", messages::importComposerDataLocalReason},
    {"data_remote", messages::importComposerDataRemoteReason},
    {"model", messages::importComposerModelReason},
    {"optimizer.filter_bias_norm_wd", messages::importComposerOptimizerFilterBiasNormWdReason},
    {"optimizer", messages::importComposerOptimizerReason},
    {"scheduler", messages::importComposerSchedulerReason},
    {"batch_rampup", messages::importComposerBatchRampupReason},
    {"global_eval_batch_size", messages::importComposerGlobalEvalBatchSizeReason},
    {"device_eval_batch_size", messages::importComposerGlobalEvalBatchSizeReason},
    {"device_train_batch_size", messages::importComposerDeviceTrainBatchSizeReason},
    {"grad_accum", messages::importComposerGradAccumReason},
    {"save_folder", messages::importComposerSaveFolderReason},
    {"save_overwrite", messages::importComposerSaveOverwriteReason},
    {"load_path", messages::importComposerLoadPathReason},
    {"autoresume", messages::importComposerAutoresumeReason},
    {"reset_time", messages::importComposerResetTimeReason},
    {"callbacks", messages::importComposerCallbacksReason},
    {"loggers", messages::importComposerLoggersReason},
    {"progress_bar", messages::importComposerProgressBarReason},
    {"log_to_console", messages::importComposerProgressBarReason},
    {"console_log_interval", messages::importComposerProgressBarReason},
    {"python_log_level", messages::importComposerProgressBarReason},
    {"fsdp_config", messages::importComposerFsdpConfigReason},
    {"deepspeed_config", messages::importComposerDeepspeedConfigReason},
    {"dist_timeout", messages::importComposerDistTimeoutReason},
    {"compile_config", messages::importComposerCompileConfigReason},
    {"algorithms", messages::importComposerAlgorithmsReason},
    {"eval_subset_num_batches", messages::importComposerEvalSubsetNumBatchesReason},
    {"train_subset_num_batches", messages::importComposerTrainSubsetNumBatchesReason},
    {"spin_dataloaders", messages::importComposerSpinDataloadersReason},
    {"variables", messages::importComposerVariablesReason},
};

/// Converts a Composer Time, where a plain integer counts epochs.
std::string composerTime(const ExternalValue& value) {
  return value.integer() ? std::to_string(*value.integer()) + "ep" : value.text;
}

void importInterval(ImportSession& session, const std::string& key, const std::string& field) {
  const ExternalValue* value = session.open(key);
  if (value == nullptr) return;
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
      session.skip("precision", messages::importPrecisionUnsupported());
    else
      session.importSetting("precision", "precision", found->second);
  }
  const ExternalValue* device = session.open("device");
  if (device != nullptr && (device->text == "gpu" || device->text == "cpu"))
    session.importSetting("device", "devices.use", device->text == "gpu" ? "cuda" : "cpu");
}

/// Composer's decoupled optimizers multiply the weights by 1 - weight_decay x lr / (initial lr), ours by 1 -
/// weight_decay x lr.
void importDecoupledDecay(ImportSession& session) {
  const double rate = session.config().optimizer.lr;
  const ExternalValue* decay = session.open("optimizer.weight_decay");
  const std::string key = "optimizer.weight_decay";
  if (decay == nullptr && !session.document().has(key)) {
    if (rate > 0)
      session.assume(key, "optimizer.weight_decay", shortNumber(1e-5 / rate), messages::importDefaultDecayDivided());
    return;
  }
  if (decay == nullptr) return;
  if (!(rate > 0) || !decay->number()) return session.skip(key, messages::importDecayNotDivisible());
  session.importSetting(key, "optimizer.weight_decay", shortNumber(*decay->number() / rate),
                        messages::importDecayDividedByRate(decay->text));
}

void importComposerOptimizer(ImportSession& session) {
  if (!session.document().has("optimizer")) return;
  const ExternalValue* name = session.open("optimizer.name");
  const std::string given = name == nullptr ? "" : name->text;
  const bool decoupled = given.rfind("decoupled_", 0) == 0;
  const bool isAdamw = given == "decoupled_adamw" || given == "adamw" || given == "AdamW";
  if (isAdamw)
    session.importSetting("optimizer.name", "optimizer.name", "adamw");
  else
    session.skip("optimizer.name", messages::importOptimizerNotAdamw());
  constexpr DirectName names[] = {
      {"optimizer.lr", "optimizer.lr"}, {"optimizer.betas", "optimizer.betas"}, {"optimizer.eps", "optimizer.eps"}};
  session.importAll(names);
  if (isAdamw) session.assume("optimizer.lr", "optimizer.lr", "1e-3", messages::importDefaultOf(given));
  if (decoupled)
    importDecoupledDecay(session);
  else
    session.importAsIs("optimizer.weight_decay", "optimizer.weight_decay");
  if (isAdamw)
    assumeAdamDefaults(session, "optimizer", given, decoupled ? "[0.9, 0.95]" : "[0.9, 0.999]",
                       decoupled ? "" : "0.01");
}

void importComposerClipping(ImportSession& session) {
  const std::string section = "algorithms.gradient_clipping.";
  const ExternalValue* type = session.open(section + "clipping_type");
  const ExternalValue* threshold = session.open(section + "clipping_threshold");
  if (type != nullptr && threshold != nullptr && type->text == "norm") {
    session.importAsIs(section + "clipping_threshold", "optimizer.grad_clip_norm");
    session.derive(section + "clipping_type", "optimizer.grad_clip_norm", threshold->text);
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
  for (const std::string& parameter : scheduleParameters(nativeSchedule(given)))
    session.importAsIs("scheduler." + parameter, "scheduler." + parameter);
}

void importRamp(ImportSession& session) {
  session.importAsIs("batch_rampup", "batch.rampup.duration", messages::importRampupStepsUncut());
  for (const char* key : {"inital_global_train_batch_size", "initial_global_train_batch_size"})
    session.importAsIs(key, "batch.rampup.initial_global_train_batch_size");
}

/// Imports the packer's per-device size, which grows by one sample, as a linear ramp over all devices.
void importSizeWarmup(ImportSession& session) {
  for (const std::string section : kWarmupSections) {
    const std::string tokens = section + "batch_size_warmup_tokens", least = section + "batch_size_warmup_min_size";
    const ExternalValue* length = session.open(tokens);
    const ExternalValue* size = session.open(least);
    if (length == nullptr || size == nullptr) continue;
    if (!session.devices() || !size->integer()) {
      session.skip(least, messages::importDeviceCountMissing());
      session.skip(tokens, messages::importRampupNeedsMinimumSize());
      continue;
    }
    const std::string text = length->integer() ? length->text + "tok" : length->text;
    if (!session.importSetting(tokens, "batch.rampup.duration", text, messages::importRampupStagesBySamples()))
      continue;
    session.importSetting(least, "batch.rampup.initial_global_train_batch_size",
                          std::to_string(*size->integer() * *session.devices()), messages::importBatchSizeAllDevices());
    session.derive(tokens, "batch.rampup.growth", "linear", messages::importRampupGrowsEvenly());
  }
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
  importSizeWarmup(session);
  session.skipRest(kComposerReasons);
}

}  // namespace batchwise::config
