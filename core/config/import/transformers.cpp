// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/config/import/import_session.h"
#include "core/config/messages.h"

// Imports TrainingArguments of Hugging Face transformers, as its Trainer reads them from JSON, YAML or a command. Names
// and defaults: training_args.py and optimization.py of version 5, and the names of version 4 that it has dropped.

namespace batchwise::config {
namespace {

constexpr auto kTrainerDiffers = ImportEffect::Differs;

constexpr SectionReason kTransformersReasons[] = {
    {"optim_args", messages::importComposerOptimizerReason, kTrainerDiffers},
    {"optim", messages::importOptimizerNotAdamw, kTrainerDiffers},
    {"adafactor", messages::importOptimizerNotAdamw, kTrainerDiffers},
    {"optim_target_modules", messages::importOptimizerNotAdamw, kTrainerDiffers},
    {"lr_scheduler_kwargs", messages::importScheduleKeywords, kTrainerDiffers},
    {"label_smoothing_factor", messages::importNoLabelSmoothing, kTrainerDiffers},
    {"neftune_noise_alpha", messages::importNoNoise, kTrainerDiffers},
    {"train_sampling_strategy", messages::importSamplesInRandomOrder},
    {"group_by_length", messages::importSamplesInRandomOrder},
    {"length_column_name", messages::importSamplesInRandomOrder},
    {"data_seed", messages::importComposerTrainLoaderDatasetShuffleSeedReason},
    {"dataloader_drop_last", messages::importComposerTrainLoaderDropLastReason},
    {"dataloader_", messages::importReadsAhead},
    {"remove_unused_columns", messages::importComposerDataLocalReason},
    {"label_names", messages::importComposerDataLocalReason},
    {"output_dir", messages::importTorchtuneOutputDirReason},
    {"overwrite_output_dir", messages::importTorchtuneOutputDirReason},
    {"logging_", messages::importComposerLoggersReason},
    {"report_to", messages::importComposerLoggersReason},
    {"project", messages::importComposerLoggersReason},
    {"log_level", messages::importComposerProgressBarReason},
    {"log_level_replica", messages::importComposerProgressBarReason},
    {"log_on_each_node", messages::importComposerProgressBarReason},
    {"disable_tqdm", messages::importComposerProgressBarReason},
    {"push_to_hub", messages::importExportsToHub},
    {"push_to_hub_", messages::importExportsToHub},
    {"eval_", messages::importComposerEvalLoaderReason},
    {"evaluation_strategy", messages::importComposerEvalLoaderReason},
    {"evaluate_during_training", messages::importComposerEvalLoaderReason},
    {"per_device_eval_batch_size", messages::importComposerGlobalEvalBatchSizeReason},
    {"per_gpu_eval_batch_size", messages::importComposerGlobalEvalBatchSizeReason},
    {"prediction_loss_only", messages::importComposerEvalLoaderReason},
    {"batch_eval_metrics", messages::importComposerEvalLoaderReason},
    {"include_for_metrics", messages::importComposerEvalLoaderReason},
    {"save_", messages::importComposerSaveFolderReason},
    {"load_best_model_at_end", messages::importKeepsBestCheckpoint},
    {"metric_for_best_model", messages::importKeepsBestCheckpoint},
    {"greater_is_better", messages::importKeepsBestCheckpoint},
    {"resume_from_checkpoint", messages::importComposerAutoresumeReason},
    {"ignore_data_skip", messages::importComposerAutoresumeReason},
    {"restore_callback_states_from_checkpoint", messages::importComposerAutoresumeReason},
    {"enable_jit_checkpoint", messages::importComposerAutoresumeReason},
    {"full_determinism", messages::importTorchtuneCudnnDeterministicModeReason},
    {"deepspeed", messages::importComposerDeepspeedConfigReason},
    {"fsdp", messages::importComposerFsdpConfigReason},
    {"fsdp_", messages::importComposerFsdpConfigReason},
    {"sharded_ddp", messages::importComposerFsdpConfigReason},
    {"parallelism_config", messages::importComposerFsdpConfigReason},
    {"accelerator_config", messages::importComposerDistTimeoutReason},
    {"ddp_", messages::importComposerDistTimeoutReason},
    {"local_rank", messages::importComposerDistTimeoutReason},
    {"nproc_per_node", messages::importDevicesOfLauncher},
    {"nnodes", messages::importDevicesOfLauncher},
    {"num_processes", messages::importDevicesOfLauncher},
    {"average_tokens_across_devices", messages::importDeepspeedPrescaleGradientsReason},
    {"activation_checkpointing_kwargs", messages::importChangesNothingLearned},
    {"gradient_checkpointing_kwargs", messages::importChangesNothingLearned},
    {"torch_compile", messages::importComposerCompileConfigReason},
    {"torch_compile_", messages::importComposerCompileConfigReason},
    {"jit_mode_eval", messages::importComposerCompileConfigReason},
    {"use_liger_kernel", messages::importChangesNothingLearned},
    {"liger_kernel_config", messages::importChangesNothingLearned},
    {"use_cache", messages::importChangesNothingLearned},
    {"torch_empty_cache_steps", messages::importChangesNothingLearned},
    {"skip_memory_metrics", messages::importTorchtuneLogPeakMemoryStatsReason},
    {"include_num_input_tokens_seen", messages::importComposerCallbacksReason},
    {"include_tokens_per_second", messages::importComposerCallbacksReason},
    {"debug", messages::importChangesNothingLearned},
    {"do_", messages::importCommandDecides},
    {"past_index", messages::importChangesNothingLearned},
    {"fp16_full_eval", messages::importEvaluatesInPrecision},
    {"bf16_full_eval", messages::importEvaluatesInPrecision},
    {"fp16", messages::importDeepspeedFp16Reason},
    {"bf16", messages::importDeepspeedAmpReason},
    {"tf32", messages::importDeepspeedAmpReason},
    {"half_precision_backend", messages::importDeepspeedAmpReason},
    {"use_cpu", messages::importDevicesFound},
    {"no_cuda", messages::importDevicesFound},
    {"use_mps_device", messages::importDevicesFound},
    {"auto_find_batch_size", messages::importMicrobatchIsGiven},
    {"hub_", messages::importExportsToHub},
    {"trackio_", messages::importComposerLoggersReason},
};

Message ofTransformers() {
  return messages::importDefaultOf("transformers");
}

/// Size per device x accumulation x devices.
void importTrainerSizes(ImportSession& session) {
  const ExternalValue* accumulation = session.open("gradient_accumulation_steps");
  const std::int64_t passes = accumulation == nullptr ? 1 : accumulation->integer().value_or(1);
  const std::int64_t devices = session.devices().value_or(1);
  const ExternalValue* size = session.open("per_device_train_batch_size");
  if (size == nullptr) size = session.open("per_gpu_train_batch_size");
  const std::int64_t each = size == nullptr ? 8 : size->integer().value_or(8);
  Message note = messages::importTransformersAccumulation(each, passes, devices);
  if (!session.devices()) note = messages::importDevicesUnknown(std::move(note));
  const std::string key = size == nullptr ? "per_device_train_batch_size" : size->key;
  const std::string global = std::to_string(each * passes * devices);
  const ExternalValue* search = session.open("auto_find_batch_size");
  if (search != nullptr && search->isTrue())
    session.importSetting(search->key, "batch.device_train_microbatch_size", "auto");
  if (size != nullptr)
    session.importSetting(key, "batch.device_train_microbatch_size", std::to_string(each));
  else
    session.assume(key, "batch.device_train_microbatch_size", std::to_string(each), ofTransformers());
  session.importSetting("gradient_accumulation_steps", "batch.global_train_batch_size", global, note);
  session.derive(key, "batch.global_train_batch_size", global, note);
}

void importTrainerLength(ImportSession& session) {
  const auto steps = givenMaxSteps(session);
  if (steps) {
    session.importSetting("max_steps", "max_duration", std::to_string(*steps) + "ba");
    return session.skip("num_train_epochs", messages::importStepsGivenInstead());
  }
  session.skip("max_steps", messages::importNoStepsGiven());
  if (session.open("num_train_epochs") == nullptr)
    return session.assume("num_train_epochs", "max_duration", "3ep", ofTransformers());
  session.importSetting("num_train_epochs", "max_duration",
                        shortNumber(numberOr(session, "num_train_epochs", 3)) + "ep");
}

void importTrainerOptimizer(ImportSession& session) {
  constexpr std::array kAdamW = {"adamw_torch",      "adamw_torch_fused", "adamw_hf",
                                 "adamw_apex_fused", "adamw_torch_xla",   "adamw_torch_npu_fused"};
  if (const ExternalValue* optim = session.open("optim")) {
    std::string given = optim->text.substr(optim->text.rfind('.') + 1);
    std::ranges::transform(given, given.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(kAdamW, given) != kAdamW.end()) session.importSetting(optim->key, "optimizer.name", "adamw");
    if (given == "stable_adamw") session.importSetting(optim->key, "optimizer.name", "stable_adamw");
  } else {
    session.assume("optim", "optimizer.name", "adamw", ofTransformers());
  }
  if (const ExternalValue* adafactor = session.open("adafactor"); adafactor != nullptr && adafactor->isFalse())
    session.importSetting(adafactor->key, "optimizer.name", "adamw");
  constexpr DirectName names[] = {{"learning_rate", "optimizer.lr"},
                                  {"adam_epsilon", "optimizer.eps"},
                                  {"weight_decay", "optimizer.weight_decay"},
                                  {"max_grad_norm", "optimizer.grad_clip_norm"}};
  session.importAll(names);
  session.assume("learning_rate", "optimizer.lr", "5e-5", ofTransformers());
  session.assume("adam_epsilon", "optimizer.eps", "1e-8", ofTransformers());
  session.assume("weight_decay", "optimizer.weight_decay", "0", ofTransformers());
  session.assume("max_grad_norm", "optimizer.grad_clip_norm", "1.0", ofTransformers());
  const std::string betas = "[" + shortNumber(numberOr(session, "adam_beta1", 0.9)) + ", " +
                            shortNumber(numberOr(session, "adam_beta2", 0.999)) + "]";
  for (const char* key : {"adam_beta1", "adam_beta2"}) session.importSetting(key, "optimizer.betas", betas);
  session.assume("adam_beta1", "optimizer.betas", betas, ofTransformers());
}

void importTrainerPrecision(ImportSession& session) {
  for (const char* key : {"bf16", "fp16", "tf32"}) {
    const ExternalValue* on = session.open(key);
    if (on == nullptr) continue;
    if (on->isTrue())
      session.importSetting(key, "precision", key, messages::stateStaysFp32());
    else
      session.skip(key, messages::deepspeedPrecisionIsOff());
  }
  session.assume("bf16", "precision", "fp32", ofTransformers());
}

/// Returns an interval of strategy and steps: "no", "epoch", or every so many steps, below 1 a share of all.
std::string intervalOf(const std::string& strategy, double steps) {
  if (strategy == "no") return "[]";
  if (strategy == "epoch") return "[1ep]";
  if (!(steps > 0)) return "";
  return steps < 1 ? "[" + shortNumber(steps) + "dur]" : "[" + std::to_string(static_cast<std::int64_t>(steps)) + "ba]";
}

void importTrainerInterval(ImportSession& session, const std::string& strategyKey, const std::string& stepsKey,
                           const char* field, double defaultSteps) {
  const ExternalValue* strategy = session.open(strategyKey);
  const ExternalValue* steps = session.open(stepsKey);
  if (strategy == nullptr && steps == nullptr) return;
  std::string given = strategy == nullptr ? "steps" : strategy->text.substr(strategy->text.rfind('.') + 1);
  std::ranges::transform(given, given.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string interval = intervalOf(given, numberOr(session, stepsKey, defaultSteps));
  if (interval.empty()) return;
  session.importSetting(strategyKey, field, interval);
  if (strategy == nullptr || given == "steps") session.importSetting(stepsKey, field, interval);
  session.skip(stepsKey, messages::importStrategyDecides());
}

void importRecords(ImportSession& session) {
  if (session.open("evaluation_strategy") != nullptr)
    importTrainerInterval(session, "evaluation_strategy", "eval_steps", "eval.interval",
                          numberOr(session, "logging_steps", 500));
  else if (session.open("eval_strategy") != nullptr)
    importTrainerInterval(session, "eval_strategy", "eval_steps", "eval.interval",
                          numberOr(session, "logging_steps", 500));
  importTrainerInterval(session, "save_strategy", "save_steps", "checkpoint.interval", 500);
  session.importAsIs("save_total_limit", "checkpoint.keep_last");
  if (const ExternalValue* steps = session.open("logging_steps");
      steps != nullptr && steps->number() && *steps->number() >= 1)
    session.importSetting(steps->key, "log.interval",
                          std::to_string(static_cast<std::int64_t>(*steps->number())) + "ba");
}

void importTrainerMachine(ImportSession& session) {
  for (const char* key : {"gradient_checkpointing", "activation_checkpointing"})
    session.importAsIs(key, "devices.activation_checkpointing");
  for (const char* key : {"use_cpu", "no_cuda"})
    if (const ExternalValue* cpu = session.open(key); cpu != nullptr && cpu->isTrue())
      session.importSetting(key, "devices.use", "cpu");
  session.importAsIs("run_name", "name");
  if (!session.importAsIs("seed", "seed")) session.assume("seed", "seed", "42", ofTransformers());
}

/// Settings that are off: what they would do is no difference.
void skipWhatIsOff(ImportSession& session) {
  for (const char* key : {"label_smoothing_factor", "neftune_noise_alpha"})
    if (numberOr(session, key, -1) == 0) session.skip(key, messages::deepspeedPrecisionIsOff());
  for (const char* key : {"lr_scheduler_kwargs", "optim_args", "optim_target_modules"})
    if (const ExternalValue* value = session.open(key);
        value != nullptr && (value->text == "{}" || value->text.empty()))
      session.skip(key, messages::importHoldsNoValue());
  if (const ExternalValue* order = session.open("train_sampling_strategy");
      order != nullptr && order->text == "sequential")
    session.importSetting(order->key, "data.shuffle", "false");
}

}  // namespace

void importTransformers(ImportSession& session) {
  skipWhatIsOff(session);
  importMaskedModelScript(session);
  importTrainerSizes(session);
  importTrainerLength(session);
  importTrainerOptimizer(session);
  importTransformersSchedule(session);
  importTrainerPrecision(session);
  importRecords(session);
  importTrainerMachine(session);
  session.skipRest(kTransformersReasons);
}

}  // namespace batchwise::config
