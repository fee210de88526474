// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/config/import/import_session.h"

// Imports TrainingArguments of Hugging Face transformers, as its Trainer reads them from JSON, YAML or a command. Names
// and defaults: training_args.py and optimization.py of version 5, and the names of version 4 that it has dropped.

namespace batchwise::config {
namespace {

constexpr auto kTrainerDiffers = ImportEffect::Differs;

constexpr SectionReason kTransformersReasons[] = {
    {"optim_args", kImportNoSuchOptimizerSetting, kTrainerDiffers},
    {"optim adafactor optim_target_modules", kImportOptimizerNotAdamw, kTrainerDiffers},
    {"lr_scheduler_kwargs", "not known of a schedule here", kTrainerDiffers},
    {"label_smoothing_factor", "labels are not smoothed here", kTrainerDiffers},
    {"neftune_noise_alpha", "no noise is added to embeddings here", kTrainerDiffers},
    {"train_sampling_strategy group_by_length length_column_name", kImportSamplesInRandomOrder},
    {"data_seed", "the order follows from seed"},
    {"dataloader_drop_last", "no sample is dropped here: the last global batch of an epoch may be short"},
    {"dataloader_", kImportReadsAhead},
    {"remove_unused_columns label_names", kImportTextFromFiles},
    {"output_dir overwrite_output_dir", kImportRunsInWorkspace},
    {"logging_ report_to project", kImportMetricsInWorkspace},
    {"log_level log_level_replica log_on_each_node disable_tqdm", kImportTerminalShowsProgress},
    {"push_to_hub push_to_hub_", "the command export writes a model folder; nothing is sent to a hub"},
    {"eval_ evaluation_strategy evaluate_during_training", kImportEvaluationText},
    {"per_device_eval_batch_size per_gpu_eval_batch_size", kImportEvaluationBatchIsFree},
    {"prediction_loss_only batch_eval_metrics include_for_metrics", kImportEvaluationText},
    {"save_strategy", "the strategies here are no, epoch and steps; checkpoint.keep_best keeps the best"},
    {"save_", "checkpoints are kept in the workspace (--workspace)"},
    {"load_best_model_at_end metric_for_best_model greater_is_better", kImportKeepsBestCheckpoint},
    {"resume_from_checkpoint ignore_data_skip restore_callback_states_from_checkpoint enable_jit_checkpoint",
     kImportResumeIsACommand},
    {"full_determinism", "runs repeat bit for bit unless devices.deterministic is false"},
    {"deepspeed", "each device holds the whole model; import that file by itself for its batch settings"},
    {"fsdp fsdp_ sharded_ddp parallelism_config", kImportWholeModelPerDevice},
    {"accelerator_config ddp_ local_rank", kImportSetByLauncher},
    {"nproc_per_node nnodes num_processes num_gpus num_nodes", kImportDevicesOfLauncher},
    {"average_tokens_across_devices", "gradients are divided by the number of predicted tokens, once"},
    {"activation_checkpointing_kwargs gradient_checkpointing_kwargs", kImportChangesNothingLearned},
    {"torch_compile torch_compile_ jit_mode_eval", kImportNothingToCompile},
    {"use_liger_kernel liger_kernel_config use_cache torch_empty_cache_steps", kImportChangesNothingLearned},
    {"skip_memory_metrics", "memory is always recorded"},
    {"include_num_input_tokens_seen include_tokens_per_second", kImportAlwaysRecorded},
    {"debug", kImportChangesNothingLearned},
    {"do_", kImportCommandDecides},
    {"past_index", kImportChangesNothingLearned},
    {"fp16_full_eval bf16_full_eval", "evaluations compute in precision"},
    {"fp16", "the loss scale of fp16 is adjusted during the run"},
    {"bf16 tf32 half_precision_backend", kImportSeePrecision},
    {"use_cpu no_cuda use_mps_device", "devices.use: auto takes the GPUs there are"},
    {"auto_find_batch_size", "is off; see batch.device_train_microbatch_size"},
    {"hub_", "the command export writes a model folder; nothing is sent to a hub"},
    {"trackio_", kImportMetricsInWorkspace},
};

/// Returns what a value of an enumeration stands for: "cosine" of SchedulerType.COSINE.
std::string lastNameOf(const std::string& text) {
  return inLowerCase(text.substr(text.rfind('.') + 1));
}

std::string ofTransformers() {
  return importDefaultOfText("transformers");
}

void importTrainerSizes(ImportSession& session) {
  const ExternalValue* size = session.open("per_device_train_batch_size");
  if (size == nullptr) size = session.open("per_gpu_train_batch_size");
  const std::int64_t each = size == nullptr ? 8 : size->integer().value_or(8);
  const std::string key = size == nullptr ? "per_device_train_batch_size" : size->key;
  const ExternalValue* search = session.open("auto_find_batch_size");
  if (search != nullptr && search->isTrue())
    session.importSetting(search->key, "batch.device_train_microbatch_size", "auto");
  session.importSetting(key, "batch.device_train_microbatch_size", std::to_string(each));
  if (size == nullptr)
    session.assume(key, "batch.device_train_microbatch_size", std::to_string(each), ofTransformers());
  importGlobalBatch(session, key, each, "gradient_accumulation_steps");
}

void importTrainerLength(ImportSession& session) {
  const auto steps = givenMaxSteps(session);
  if (steps) {
    session.importSetting("max_steps", "max_duration", std::to_string(*steps) + "ba");
    return session.skip("num_train_epochs", "max_steps counts instead");
  }
  session.skip("max_steps", "no number of steps: the epochs count");
  if (session.open("num_train_epochs") == nullptr)
    return session.assume("num_train_epochs", "max_duration", "3ep", ofTransformers());
  session.importSetting("num_train_epochs", "max_duration",
                        shortNumber(numberOr(session, "num_train_epochs", 3)) + "ep");
}

void importTrainerOptimizer(ImportSession& session) {
  constexpr std::array kAdamW = {"adamw_torch",      "adamw_torch_fused", "adamw_hf",
                                 "adamw_apex_fused", "adamw_torch_xla",   "adamw_torch_npu_fused"};
  if (const ExternalValue* optim = session.open("optim")) {
    const std::string given = lastNameOf(optim->text);
    if (std::ranges::find(kAdamW, given) != kAdamW.end()) session.importSetting(optim->key, "optimizer.name", "adamw");
    if (given == "stable_adamw") session.importSetting(optim->key, "optimizer.name", "stable_adamw");
  } else {
    session.assume("optim", "optimizer.name", "adamw", ofTransformers());
  }
  if (const ExternalValue* adafactor = session.open("adafactor"); adafactor != nullptr && adafactor->isFalse())
    session.importSetting(adafactor->key, "optimizer.name", "adamw");
  constexpr DirectName names[] = {{"learning_rate", "optimizer.lr", nullptr, "5e-5"},
                                  {"adam_epsilon", "optimizer.eps", nullptr, "1e-8"},
                                  {"weight_decay", "optimizer.weight_decay", nullptr, "0"},
                                  {"max_grad_norm", "optimizer.grad_clip_norm", nullptr, "1.0"}};
  if (const ExternalValue* norm = session.document().find("max_grad_norm"); norm != nullptr && norm->null)
    session.derive("max_grad_norm", "optimizer.grad_clip_norm", "0", "null there: nothing is clipped");
  session.importAll(names, "transformers");
  const std::string betas = "[" + shortNumber(numberOr(session, "adam_beta1", 0.9)) + ", " +
                            shortNumber(numberOr(session, "adam_beta2", 0.999)) + "]";
  for (const char* key : {"adam_beta1", "adam_beta2"}) session.importSetting(key, "optimizer.betas", betas);
  session.assume("adam_beta1", "optimizer.betas", betas, ofTransformers());
}

void importTrainerPrecision(ImportSession& session) {
  session.refuseBoth("fp16", "bf16", "transformers");
  for (const char* key : {"bf16", "fp16", "tf32"}) {
    const ExternalValue* on = session.open(key);
    if (on == nullptr) continue;
    if (on->isTrue())
      session.importSetting(key, "precision", key, kStateStaysFp32);
    else
      session.skip(key, kDeepspeedPrecisionIsOff);
  }
  session.assume("bf16", "precision", "fp32", ofTransformers());
}

/// Returns an interval of strategy and steps: "no", "epoch", or every so many steps, below 1 a share of all. Empty for
/// others, such as "best".
std::string intervalOf(const std::string& strategy, double steps) {
  if (strategy == "no") return "[]";
  if (strategy == "epoch") return "[1ep]";
  if (strategy != "steps" || !(steps > 0)) return "";
  return steps < 1 ? "[" + shortNumber(steps) + "dur]" : "[" + std::to_string(static_cast<std::int64_t>(steps)) + "ba]";
}

void importTrainerInterval(ImportSession& session, const std::string& strategyKey, const std::string& stepsKey,
                           const char* field, double defaultSteps) {
  const ExternalValue* strategy = session.open(strategyKey);
  const ExternalValue* steps = session.open(stepsKey);
  if (strategy == nullptr && steps == nullptr) return;
  const std::string given = strategy == nullptr ? "steps" : lastNameOf(strategy->text);
  const std::string interval = intervalOf(given, numberOr(session, stepsKey, defaultSteps));
  if (interval.empty()) return;
  session.importSetting(strategyKey, field, interval);
  if (strategy == nullptr || given == "steps") session.importSetting(stepsKey, field, interval);
  session.skip(stepsKey, "has no effect with this strategy");
}

void importRecords(ImportSession& session) {
  for (const char* strategy : {"evaluation_strategy", "eval_strategy"})
    if (session.open(strategy) != nullptr && !session.has("eval.interval"))
      importTrainerInterval(session, strategy, "eval_steps", "eval.interval", numberOr(session, "logging_steps", 500));
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
    if (numberOr(session, key, -1) == 0) session.skip(key, kDeepspeedPrecisionIsOff);
  for (const char* key : {"lr_scheduler_kwargs", "optim_args", "optim_target_modules"})
    if (const ExternalValue* value = session.open(key);
        value != nullptr && (value->text == "{}" || value->text.empty()))
      session.skip(key, "holds no value");
  if (const ExternalValue* order = session.open("train_sampling_strategy");
      order != nullptr && order->text == "sequential")
    session.importSetting(order->key, "data.shuffle", "false");
}

/// A warm-up counts steps, or below 1 a share of all steps, rounded up.
struct TrainerWarmup {
  std::string key;
  std::string time;
  bool none = false;
};

TrainerWarmup readTrainerWarmup(ImportSession& session) {
  const double steps = numberOr(session, "warmup_steps", 0), ratio = numberOr(session, "warmup_ratio", 0);
  if (steps >= 1) return {"warmup_steps", std::to_string(static_cast<std::int64_t>(steps)) + "ba"};
  const double share = steps > 0 ? steps : ratio;
  const std::string key = steps > 0 || session.open("warmup_ratio") == nullptr ? "warmup_steps" : "warmup_ratio";
  if (!(share > 0)) return {key, "0ba", true};
  if (const auto all = givenMaxSteps(session))
    return {key, std::to_string(static_cast<std::int64_t>(std::ceil(static_cast<double>(*all) * share))) + "ba"};
  return {key, shortNumber(share) + "dur"};
}

void importTrainerWarmup(ImportSession& session, const TrainerWarmup& warmup) {
  const std::string note = warmup.time.ends_with("dur") ? "there rounded up to a whole step" : std::string();
  if (session.open(warmup.key) != nullptr)
    session.importSetting(warmup.key, "scheduler.t_warmup", warmup.time, note);
  else
    session.assume(warmup.key, "scheduler.t_warmup", warmup.time, ofTransformers());
  for (const char* other : {"warmup_steps", "warmup_ratio"})
    session.skip(other, "the other of warmup_steps and warmup_ratio counts");
}

std::string keyword(const char* name) {
  return std::string("lr_scheduler_kwargs.") + name;
}

/// The least rate of cosine_with_min_lr, given as a rate or as a share.
void importLeastRate(ImportSession& session) {
  session.importAsIs(keyword("min_lr_rate"), "scheduler.alpha_f");
  const double rate = session.config().optimizer.lr;
  if (const ExternalValue* least = session.open(keyword("min_lr")); least != nullptr && least->number() && rate > 0)
    session.importSetting(least->key, "scheduler.alpha_f", shortNumber(*least->number() / rate),
                          "divided by the learning rate: a factor here");
}

void importPolynomial(ImportSession& session) {
  const double rate = session.config().optimizer.lr;
  if (!session.importAsIs(keyword("power"), "scheduler.power"))
    session.assume(keyword("power"), "scheduler.power", "1", ofTransformers());
  const std::string end = shortNumber(rate > 0 ? numberOr(session, keyword("lr_end"), 1e-7) / rate : 0);
  if (!session.importSetting(keyword("lr_end"), "scheduler.alpha_f", end,
                             "divided by the learning rate: a factor here"))
    session.assume(keyword("lr_end"), "scheduler.alpha_f", end, "divided by the learning rate: a factor here");
}

void importStableDecay(ImportSession& session, const TrainerWarmup& warmup) {
  if (const ExternalValue* steps = session.open(keyword("num_decay_steps")))
    session.importSetting(steps->key, "scheduler.t_decay", steps->text + "ba");
  if (!session.importAsIs(keyword("decay_type"), "scheduler.decay_schedule"))
    session.assume(keyword("decay_type"), "scheduler.decay_schedule", "cosine", ofTransformers());
  const double least = numberOr(session, keyword("min_lr_ratio"), 0);
  if (least > 0 && !warmup.none) {
    session.skip(keyword("min_lr_ratio"), "the warm-up there rises from this share of the rate, here from 0",
                 ImportEffect::Differs);
    session.derive(keyword("min_lr_ratio"), "scheduler.alpha_f", shortNumber(least), "at the end of the decay");
  } else if (!session.importAsIs(keyword("min_lr_ratio"), "scheduler.alpha_f"))
    session.assume(keyword("min_lr_ratio"), "scheduler.alpha_f", "0", ofTransformers());
  if (const ExternalValue* type = session.open(keyword("warmup_type")); type != nullptr && type->text == "linear")
    session.skip(type->key, kImportSoInAnyCase);
}

struct TrainerSchedule {
  const char* name;
  const char* ours;
};
constexpr TrainerSchedule kTrainerSchedules[] = {
    {"linear", "linear_with_warmup"},
    {"cosine", "cosine_annealing_with_warmup"},
    {"constant", "constant"},
    {"constant_with_warmup", "constant_with_warmup"},
    {"polynomial", "polynomial_with_warmup"},
    {"inverse_sqrt", "inverse_sqrt"},
    {"cosine_with_min_lr", "cosine_annealing_with_warmup"},
    {"warmup_stable_decay", "warmup_stable_decay"},
    {"cosine_with_restarts", "cosine_annealing_with_warmup"},
};

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

std::optional<std::int64_t> givenMaxSteps(const ImportSession& session) {
  const ExternalValue* steps = session.document().find("max_steps");
  const auto count = steps == nullptr ? std::nullopt : steps->integer();
  return count && *count > 0 ? count : std::nullopt;
}

void importTransformersSchedule(ImportSession& session) {
  const ExternalValue* type = session.open("lr_scheduler_type");
  std::string given = type == nullptr ? "linear" : type->text;
  if (given.find('.') != std::string::npos) given = lastNameOf(given);
  const auto known =
      std::ranges::find_if(kTrainerSchedules, [&](const TrainerSchedule& row) { return given == row.name; });
  const TrainerWarmup warmup = readTrainerWarmup(session);
  const bool restarts = given == "cosine_with_restarts" && numberOr(session, keyword("num_cycles"), 1) != 1;
  if (known == std::end(kTrainerSchedules) || restarts || (given == "inverse_sqrt" && warmup.none)) {
    session.skip("lr_scheduler_type", "no schedule here is known by this name", ImportEffect::Differs);
    for (const char* key : {"warmup_steps", "warmup_ratio"})
      session.skip(key, "belongs to a schedule that is not taken");
    return session.assume("lr_scheduler_type", "scheduler.name", "constant", kImportScheduleToBeChosen);
  }
  if (type != nullptr)
    session.importSetting(type->key, "scheduler.name", known->ours);
  else
    session.assume("lr_scheduler_type", "scheduler.name", known->ours, ofTransformers());
  if (given == "constant") {
    for (const char* key : {"warmup_steps", "warmup_ratio"})
      session.skip(key, "this schedule has no warm-up, there and here");
    return;
  }
  importTrainerWarmup(session, warmup);
  const double cycles = given == "cosine_with_restarts" ? 1 : 0.5;
  if (numberOr(session, keyword("num_cycles"), -1) == cycles) session.skip(keyword("num_cycles"), kImportSoInAnyCase);
  if (given == "cosine_with_min_lr") importLeastRate(session);
  if (given == "polynomial") importPolynomial(session);
  if (given == "warmup_stable_decay") importStableDecay(session, warmup);
}

}  // namespace batchwise::config
