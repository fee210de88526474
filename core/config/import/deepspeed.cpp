// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/import/import_session.h"

// Imports DeepSpeed's JSON: batch sizes, optimizer, schedule, precision, token budget.

namespace batchwise::config {
namespace {

const std::string kBudget = "data_efficiency.data_sampling.dynamic_batching.";

constexpr auto kDeepSpeedDiffers = ImportEffect::Differs;

constexpr SectionReason kDeepSpeedReasons[] = {
    {"zero_optimization zero_allow_untested_optimizer", kImportWholeModelPerDevice},
    {"optimizer.params.torch_adam", kImportChangesNothingLearned},
    {"optimizer", kImportNoSuchOptimizerSetting, kDeepSpeedDiffers},
    {"scheduler", "no schedule here has this parameter"},
    {"fp16", "the loss scale of fp16 is adjusted during the run"},
    {"bf16", kStateStaysFp32},
    {"amp", kImportSeePrecision},
    {"data_efficiency.data_sampling.dynamic_batching.verbose", "the command batches shows every pack"},
    {"data_efficiency.data_sampling.dynamic_batching", "the token budget has no such setting"},
    {"data_efficiency.data_sampling.curriculum_learning",
     "sequences come in the order of the data, shuffled or not; stages can change their length", kDeepSpeedDiffers},
    {"data_efficiency.data_routing progressive_layer_drop",
     "every token passes every layer; model.layer_drop leaves out whole layers", kDeepSpeedDiffers},
    {"sparse_attention", "attention here is full, or local as in modernbert", kDeepSpeedDiffers},
    {"compression_training", "weights are neither pruned nor quantized here", kDeepSpeedDiffers},
    {"data_efficiency.data_sampling", kImportTextFromFiles},
    {"data_efficiency", "see batch.tokens"},
    {"curriculum_learning", "sequences come in the order of the data, shuffled or not; stages can change their length",
     kDeepSpeedDiffers},
    {"gradient_accumulation_steps", "follows from the sizes of global batch and micro-batch, and the devices"},
    {"steps_per_print", kImportTerminalShowsProgress},
    {"wall_clock_breakdown memory_breakdown flops_profiler", kImportSpeedAndMemoryRecorded},
    {"tensorboard wandb", kImportMetricsInWorkspace},
    {"csv_monitor", "metrics go to the workspace; export --csv writes them out"},
    {"activation_checkpointing", "devices.activation_checkpointing computes activations again instead of keeping them"},
    {"prescale_gradients gradient_predivide_factor", "gradients are divided by the number of predicted tokens, once"},
    {"communication_data_type fp32_allreduce", "gradients are summed in fp32"},
    {"dump_state", kImportTerminalShowsProgress},
};

bool isAuto(const ExternalValue* value) {
  return value != nullptr && value->text == "auto";
}

void skipAutos(ImportSession& session) {
  for (const ExternalValue& value : session.document().values())
    if (isAuto(&value) && !value.key.starts_with("zero_optimization."))  // nothing of that is needed here
      session.skip(value.key, "is filled in by the program that starts DeepSpeed; give the number",
                   ImportEffect::ToBeGiven);
}

/// train_batch_size = micro-batch x accumulation x devices: any one of the four may be missing.
struct DeepSpeedSizes {
  std::optional<std::int64_t> global, micro, accumulation, devices;

  /// Returns the number of devices that follows from the other three; empty if one is missing, or none fits.
  std::optional<std::int64_t> devicesThatFit() const {
    if (!global || !micro || !accumulation) return devices;
    const std::int64_t one = *micro * *accumulation;
    return one > 0 && *global % one == 0 ? std::optional(*global / one) : std::nullopt;
  }
};

DeepSpeedSizes readSizes(ImportSession& session) {
  const auto number = [&](const char* key) {
    const ExternalValue* value = session.document().find(key);
    return value == nullptr ? std::nullopt : value->integer();
  };
  return {number("train_batch_size"), number("train_micro_batch_size_per_gpu"), number("gradient_accumulation_steps"),
          session.devices()};
}

/// Refuses sizes whose product is another one than the given, as DeepSpeed does.
void checkSizes(ImportSession& session, const DeepSpeedSizes& sizes) {
  if (!sizes.global) return;
  if (sizes.micro && sizes.accumulation) {
    const auto fit = sizes.devicesThatFit();
    if (sizes.devices && fit != sizes.devices)
      session.refuse(formatText(
          "train_batch_size {} is not {} x {} x {} = {}, micro-batch x gradient_accumulation_steps x devices; "
          "DeepSpeed refuses such a file. Correct the size that is not meant, or the number of devices (--devices)",
          *sizes.global, *sizes.micro, *sizes.accumulation, *sizes.devices,
          *sizes.micro * *sizes.accumulation * *sizes.devices));
    else if (!fit)
      session.refuse(
          formatText("train_batch_size {} is not {} x {} x devices for any number of devices; DeepSpeed refuses such a "
                     "file. Correct the size that is not meant",
                     *sizes.global, *sizes.micro, *sizes.accumulation));
    return;
  }
  const std::int64_t part = sizes.micro.value_or(sizes.accumulation.value_or(1)) * sizes.devices.value_or(1);
  if (part > 0 && *sizes.global % part != 0)
    session.refuse(
        formatText("train_batch_size {} is not a multiple of {}, micro-batch or accumulation times devices; DeepSpeed "
                   "refuses such a file. Correct one of the sizes, or give the number of devices (--devices)",
                   *sizes.global, part));
}

void importSizes(ImportSession& session) {
  const DeepSpeedSizes sizes = readSizes(session);
  checkSizes(session, sizes);
  session.importAsIs("train_batch_size", "batch.global_train_batch_size");
  session.importAsIs("train_micro_batch_size_per_gpu", "batch.device_train_microbatch_size");
  const std::int64_t passes = std::max<std::int64_t>(1, sizes.accumulation.value_or(1));
  const std::int64_t devices = sizes.devices.value_or(1);
  std::string counted = formatText("{} accumulated, {} devices", passes, devices);
  if (!sizes.devices) counted = importDevicesUnknownText(std::move(counted));
  if (sizes.global && sizes.micro && sizes.accumulation && sizes.devicesThatFit())
    session.importSetting("gradient_accumulation_steps", "batch.global_train_batch_size", std::to_string(*sizes.global),
                          formatText("{} = {} x {} accumulated x {} devices", *sizes.global, *sizes.micro, passes,
                                     *sizes.devicesThatFit()));
  if (sizes.global && sizes.accumulation && !sizes.micro && sizes.devices)
    session.importSetting("gradient_accumulation_steps", "batch.device_train_microbatch_size",
                          std::to_string(std::max<std::int64_t>(1, *sizes.global / (passes * devices))), counted);
  if (sizes.micro && !sizes.global) {
    const std::string global = std::to_string(*sizes.micro * passes * devices);
    session.importSetting("gradient_accumulation_steps", "batch.global_train_batch_size", global, counted);
    session.derive("train_micro_batch_size_per_gpu", "batch.global_train_batch_size", global, counted);
  }
}

void importDeepSpeedOptimizer(ImportSession& session) {
  const ExternalValue* type = session.open("optimizer.type");
  if (type == nullptr) return;
  const std::string name = inLowerCase(type->text);
  const ExternalValue* mode = session.open("optimizer.params.adam_w_mode");
  const bool decoupled = name == "adamw" || (name == "adam" && (mode == nullptr || mode->isTrue()));
  if (decoupled) {
    session.importSetting(
        "optimizer.type", "optimizer.name", "adamw",
        name == "adam" ? "DeepSpeed's Adam decays weights as AdamW does unless adam_w_mode is false" : std::string());
    if (mode != nullptr) session.importSetting(mode->key, "optimizer.name", "adamw");
  } else {
    for (const char* key : {"optimizer.type", "optimizer.params.adam_w_mode"})
      session.skip(key, "the optimizers here are adamw and stable_adamw, with decoupled weight decay",
                   kDeepSpeedDiffers);
  }
  constexpr DirectName names[] = {{"optimizer.params.lr", "optimizer.lr"},
                                  {"optimizer.params.betas", "optimizer.betas"},
                                  {"optimizer.params.eps", "optimizer.eps"},
                                  {"optimizer.params.weight_decay", "optimizer.weight_decay"}};
  // DeepSpeed's schedules define their own rate, which replaces this one.
  if (session.has("optimizer.lr"))
    session.skip("optimizer.params.lr", "the scheduler's warmup_max_lr is in use instead");
  session.importAll(names);
  if (decoupled) assumeAdamDefaults(session, "optimizer.params", "DeepSpeed", "[0.9, 0.999]", "0");
}

void importDeepSpeedPrecision(ImportSession& session) {
  for (const char* brain : {"bf16.enabled", "bfloat16.enabled"}) session.refuseBoth("fp16.enabled", brain, "DeepSpeed");
  for (const std::string key : {"bf16.enabled", "bfloat16.enabled", "fp16.enabled"}) {
    const ExternalValue* enabled = session.open(key);
    if (enabled == nullptr) continue;
    if (enabled->isTrue())
      session.importSetting(key, "precision", key[0] == 'b' ? "bf16" : "fp16", kStateStaysFp32);
    else
      session.skip(key, kDeepspeedPrecisionIsOff);
  }
}

/// Returns whether the budget and its parent sections are enabled.
bool budgetIsOn(ImportSession& session) {
  const ExternalValue* own = session.document().find(kBudget + "enabled");
  const auto notOff = [&](const char* key) {
    const ExternalValue* value = session.document().find(key);
    return value == nullptr || !value->isFalse();
  };
  return own != nullptr && own->isTrue() && notOff("data_efficiency.enabled") &&
         notOff("data_efficiency.data_sampling.enabled");
}

void importScaling(ImportSession& session) {
  const std::string key = kBudget + "lr_scaling_method";
  const ExternalValue* method = session.document().find(key);
  const std::string name = method == nullptr ? "linear" : method->null ? "none" : method->text;
  if (method == nullptr || method->null)
    session.assume(key, "lr_scaling.method", name);
  else
    session.importSetting(key, "lr_scaling.method", inLowerCase(name) == "none" ? "none" : name);
  if (session.config().lrScaling.method == LrScalingMethod::None) return;
  session.derive("train_batch_size", "lr_scaling.reference_batch_size",
                 std::to_string(session.config().batch.globalTrainBatchSize),
                 "DeepSpeed compares the samples of a step with train_batch_size, which also counts the packs");
}

/// Current names and those in the text of the pull request.
constexpr std::array<std::pair<const char*, const char*>, 9> kBudgetNames = {{
    {"max_tokens", "batch.tokens.max_tokens"},
    {"max_batch_size", "batch.tokens.max_batch_size"},
    {"sequence_picking_order", "batch.tokens.sequence_picking_order"},
    {"sentence_picking_order", "batch.tokens.sequence_picking_order"},
    {"required_microbatches_of_same_size", "batch.tokens.required_microbatches_of_same_size"},
    {"required_microbatches_of_same_sizes", "batch.tokens.required_microbatches_of_same_size"},
    {"required_microbatches_of_same_seqlen", "batch.tokens.required_microbatches_of_same_seqlen"},
    {"required_microbatches_of_same_lengths", "batch.tokens.required_microbatches_of_same_seqlen"},
    {"metrics_path", "batch.tokens.metrics_path"},
}};

void importBudget(ImportSession& session) {
  const std::string section = kBudget.substr(0, kBudget.size() - 1);
  if (!session.document().has(section)) return;
  if (!budgetIsOn(session)) return session.skipBelow(section, "dynamic_batching is off");
  const ExternalValue* most = session.open(kBudget + "max_tokens");
  if (most != nullptr && !most->integer() && most->number())
    session.importSetting(most->key, "batch.tokens.max_tokens",
                          std::to_string(static_cast<std::int64_t>(*most->number())),
                          "truncated to a whole number, as DeepSpeed does");
  for (const auto& [theirs, ours] : kBudgetNames) session.importAsIs(kBudget + theirs, ours);
  if (!session.has("batch.tokens.max_tokens"))
    return session.skipBelow(section, "there is no budget without max_tokens");
  session.importSetting(kBudget + "enabled", "batch.tokens.max_tokens",
                        std::to_string(*session.config().batch.tokens.maxTokens));
  const ExternalValue* least = session.open(kBudget + "min_batch_size");
  if (least != nullptr && session.importAsIs(least->key, "batch.tokens.min_batch_size") && least->integer() > 1)
    session.derive(least->key, "batch.tokens.on_small_pack", "discard",
                   "as documented; DeepSpeed's code ends packing there and loses the rest");
  session.derive(kBudget + "max_tokens", "batch.device_train_microbatch_size", "1",
                 "a device computes one pack at a time; sizes count packs");
  session.skip("train_micro_batch_size_per_gpu", "a device computes one pack at a time under a token budget");
  session.importAsIs("data_efficiency.seed", "seed");
}

/// Parameters of a warm-up, with DeepSpeed's defaults.
struct Warmup {
  std::string type;  ///< WarmupLR, WarmupDecayLR, WarmupCosineLR
  bool linear = false;
  double start = 0;  ///< factor at the start
  double end = 0;    ///< factor at the end
  std::int64_t steps = 1000;
  std::int64_t total = 0;  ///< 0: not given
};

Warmup readWarmup(ImportSession& session, const std::string& type) {
  const std::string params = "scheduler.params.";
  Warmup warmup;
  warmup.type = type;
  const ExternalValue* shape = session.open(params + "warmup_type");
  warmup.linear = shape != nullptr && shape->text == "linear";
  warmup.steps = static_cast<std::int64_t>(numberOr(session, params + "warmup_num_steps", 1000));
  warmup.total = static_cast<std::int64_t>(numberOr(session, params + "total_num_steps", 0));
  if (type == "WarmupCosineLR") {
    warmup.start = numberOr(session, params + "warmup_min_ratio", 0);
    warmup.end = numberOr(session, params + "cos_min_ratio", 1e-4);
    return warmup;
  }
  // What fills in the highest rate takes that of the optimizer, and refuses a file where the two differ.
  const bool filledIn = isAuto(session.document().find(params + "warmup_max_lr"));
  const double least = numberOr(session, params + "warmup_min_lr", 0),
               most = numberOr(session, filledIn ? "optimizer.params.lr" : params + "warmup_max_lr", 1e-3);
  warmup.start = most > 0 ? least / most : 0;
  warmup.end = warmup.start;  // WarmupDecayLR decays to warmup_min_lr, too
  return warmup;
}

std::string between(double from, const std::string& share) {
  return from == 0 ? share : shortNumber(from) + " + " + shortNumber(1 - from) + " * (" + share + ")";
}

/// Returns the factor at `ba` as an expression, for schedules that no named one covers: the rise is log(step + 1) /
/// log(steps), or step / steps; the decay is linear, or half a cosine that is one step ahead. Source: DeepSpeed,
/// runtime/lr_schedules.py.
std::string expressionOf(const Warmup& warmup) {
  const std::string steps = std::to_string(warmup.steps), total = std::to_string(warmup.total);
  const std::string rise = warmup.linear ? "ba / " + steps : "log(ba + 1) / log(" + steps + ")";
  const auto done = [&](const std::string& ahead) {
    return "(ba - " + steps + ahead + ") / (" + total + " - " + steps + ")";
  };
  std::string after = "1";
  if (warmup.type == "WarmupDecayLR") after = between(warmup.end, "ba < " + total + " ? 1 - " + done("") + " : 0");
  if (warmup.type == "WarmupCosineLR")
    after = between(warmup.end, "ba < " + total + " ? 0.5 * (1 + cos(_pi * " + done(" + 1") + ")) : 0");
  return "ba < " + steps + " ? " + between(warmup.start, rise) + " : " + after;
}

std::string nameOf(const std::string& type) {
  if (type == "WarmupDecayLR") return "linear_with_warmup";
  return type == "WarmupCosineLR" ? "cosine_annealing_with_warmup" : "constant_with_warmup";
}

void importNamedSchedule(ImportSession& session, const Warmup& warmup) {
  const std::string params = "scheduler.params.";
  session.importSetting(
      "scheduler.type", "scheduler.name", nameOf(warmup.type),
      warmup.type == "WarmupCosineLR" ? "DeepSpeed's schedule falls one step earlier" : std::string());
  session.derive(session.document().has(params + "warmup_num_steps") ? params + "warmup_num_steps" : "scheduler.type",
                 "scheduler.t_warmup", std::to_string(warmup.steps) + "ba");
  if (warmup.type == "WarmupCosineLR")
    session.derive("scheduler.type", "scheduler.alpha_f", shortNumber(warmup.end), "cos_min_ratio");
}

void importAsExpression(ImportSession& session, const Warmup& warmup) {
  session.importSetting(
      "scheduler.type", "scheduler.name", "expression",
      warmup.linear ? "no named schedule starts above 0" : "no named schedule rises with the logarithm");
  session.derive("scheduler.params", "scheduler.expression", expressionOf(warmup));
}

/// Marks the settings that became part of the schedule as handled.
void markHandled(ImportSession& session, const Warmup& warmup) {
  for (const std::string name :
       {"warmup_type", "warmup_min_lr", "warmup_num_steps", "warmup_min_ratio", "cos_min_ratio"}) {
    const std::string key = "scheduler.params." + name;
    if (session.open(key) == nullptr) continue;
    const std::string field = session.has("scheduler.expression") ? "scheduler.expression" : "scheduler.name";
    session.importSetting(key, field, session.has("scheduler.expression") ? expressionOf(warmup) : nameOf(warmup.type));
  }
  if (warmup.total > 0)
    session.importSetting("scheduler.params.total_num_steps", "max_duration", std::to_string(warmup.total) + "ba",
                          "the schedule's length is taken as the run's");
}

/// Whether transformers, or whatever starts DeepSpeed, fills in how long the schedule or its warm-up is, or the rate
/// that a warm-up from above 0 ends at.
bool hasAutoShape(const ImportSession& session) {
  const ExternalDocument& document = session.document();
  const auto number = [&](const char* key) {
    const ExternalValue* value = document.find(key);
    return value == nullptr ? std::nullopt : value->number();
  };
  return isAuto(document.find("scheduler.params.warmup_num_steps")) ||
         isAuto(document.find("scheduler.params.total_num_steps")) ||
         (isAuto(document.find("scheduler.params.warmup_max_lr")) && !number("optimizer.params.lr") &&
          number("scheduler.params.warmup_min_lr").value_or(0) > 0);
}

void importRate(ImportSession& session) {
  const std::string key = "scheduler.params.warmup_max_lr";
  if (!session.importAsIs(key, "optimizer.lr", "it replaces the optimizer's lr"))
    session.assume(key, "optimizer.lr", "1e-3",
                   "DeepSpeed's default warmup_max_lr, which overrides the optimizer's lr");
}

}  // namespace

void importDeepSpeed(ImportSession& session) {
  skipAutos(session);
  session.importAsIs("seed", "seed");
  importDeepSpeedSchedule(session);
  importDeepSpeedOptimizer(session);
  session.importAsIs("gradient_clipping", "optimizer.grad_clip_norm");
  session.assume("gradient_clipping", "optimizer.grad_clip_norm", "0", "without it nothing is clipped");
  importDeepSpeedPrecision(session);
  importBudget(session);
  importSizes(session);
  if (session.has("batch.tokens.max_tokens")) importScaling(session);
  session.skipRest(kDeepSpeedReasons);
}

void importDeepSpeedSchedule(ImportSession& session) {
  const ExternalValue* type = session.open("scheduler.type");
  if (type == nullptr) {
    if (!session.document().has("scheduler"))
      session.assume("scheduler", "scheduler.name", "constant", "without a scheduler the learning rate is constant");
    return;
  }
  const std::string name = type->text;
  const bool known = name == "WarmupLR" || name == "WarmupDecayLR" || name == "WarmupCosineLR";
  if (known && hasAutoShape(session)) {
    if (name != "WarmupCosineLR") importRate(session);
    session.skipBelow(
        "scheduler",
        "the program that starts DeepSpeed fills in its numbers of steps or its highest rate; choose a schedule",
        ImportEffect::ToBeGiven);
    return session.assume("scheduler", "scheduler.name", "constant", kImportScheduleToBeChosen);
  }
  const Warmup warmup = readWarmup(session, name);
  if (!known || warmup.steps < 2 || (name != "WarmupLR" && warmup.total <= warmup.steps)) {
    session.skipBelow(
        "scheduler",
        known ? "its step counts give no schedule: total_num_steps must be above warmup_num_steps, and that above 1"
              : "only DeepSpeed's schedules WarmupLR, WarmupDecayLR and WarmupCosineLR are supported",
        ImportEffect::Differs);
    return session.assume("scheduler", "scheduler.name", "constant", kImportScheduleToBeChosen);
  }
  if (name != "WarmupCosineLR") importRate(session);
  if (warmup.linear && warmup.start == 0)
    importNamedSchedule(session, warmup);
  else
    importAsExpression(session, warmup);
  markHandled(session, warmup);
}

}  // namespace batchwise::config
