// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/config/import/import_session.h"
#include "core/config/messages.h"

// Imports DeepSpeed's JSON: batch sizes, optimizer, schedule, precision, token budget.

namespace batchwise::config {
namespace {

const std::string kBudget = "data_efficiency.data_sampling.dynamic_batching.";

constexpr auto kDeepSpeedDiffers = ImportEffect::Differs;

constexpr SectionReason kDeepSpeedReasons[] = {
    {"zero_optimization", messages::importComposerFsdpConfigReason},
    {"zero_allow_untested_optimizer", messages::importComposerFsdpConfigReason},
    {"optimizer.params.torch_adam", messages::importChangesNothingLearned},
    {"optimizer", messages::importComposerOptimizerReason, kDeepSpeedDiffers},
    {"scheduler", messages::importComposerSchedulerReason},
    {"fp16", messages::importDeepspeedFp16Reason},
    {"bf16", messages::stateStaysFp32},
    {"amp", messages::importDeepspeedAmpReason},
    {"data_efficiency.data_sampling.dynamic_batching.verbose",
     messages::importDeepspeedDataEfficiencyDataSamplingDynamicBatchingVerboseReason},
    {"data_efficiency.data_sampling.dynamic_batching",
     messages::importDeepspeedDataEfficiencyDataSamplingDynamicBatchingReason},
    {"data_efficiency.data_sampling.curriculum_learning",
     messages::importDeepspeedDataEfficiencyDataSamplingCurriculumLearningReason, kDeepSpeedDiffers},
    {"data_efficiency.data_routing", messages::importDeepspeedDataEfficiencyDataRoutingReason, kDeepSpeedDiffers},
    {"progressive_layer_drop", messages::importDeepspeedDataEfficiencyDataRoutingReason, kDeepSpeedDiffers},
    {"sparse_attention", messages::importDeepSpeedSparseAttention, kDeepSpeedDiffers},
    {"compression_training", messages::importDeepSpeedCompression, kDeepSpeedDiffers},
    {"data_efficiency.data_sampling", messages::importComposerDataLocalReason},
    {"data_efficiency", messages::importDeepspeedDataEfficiencyReason},
    {"curriculum_learning", messages::importDeepspeedDataEfficiencyDataSamplingCurriculumLearningReason,
     kDeepSpeedDiffers},
    {"gradient_accumulation_steps", messages::importDeepspeedGradientAccumulationStepsReason},
    {"steps_per_print", messages::importComposerProgressBarReason},
    {"wall_clock_breakdown", messages::importTorchtuneProfilerReason},
    {"memory_breakdown", messages::importTorchtuneProfilerReason},
    {"flops_profiler", messages::importTorchtuneProfilerReason},
    {"tensorboard", messages::importComposerLoggersReason},
    {"wandb", messages::importComposerLoggersReason},
    {"csv_monitor", messages::importDeepspeedCsvMonitorReason},
    {"activation_checkpointing", messages::importTorchtuneEnableActivationOffloadingReason},
    {"prescale_gradients", messages::importDeepspeedPrescaleGradientsReason},
    {"gradient_predivide_factor", messages::importDeepspeedPrescaleGradientsReason},
    {"communication_data_type", messages::importDeepspeedCommunicationDataTypeReason},
    {"fp32_allreduce", messages::importDeepspeedCommunicationDataTypeReason},
    {"dump_state", messages::importComposerProgressBarReason},
};

bool isAuto(const ExternalValue* value) {
  return value != nullptr && value->text == "auto";
}

void skipAutos(ImportSession& session) {
  for (const ExternalValue& value : session.document().values())
    if (isAuto(&value)) session.skip(value.key, messages::deepspeedAutoNeedsNumber(), ImportEffect::ToBeGiven);
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
      session.refuse(messages::deepspeedSizesContradict(*sizes.global, *sizes.micro, *sizes.accumulation,
                                                        *sizes.devices,
                                                        *sizes.micro * *sizes.accumulation * *sizes.devices));
    else if (!fit)
      session.refuse(messages::deepspeedSizesFitNoDevices(*sizes.global, *sizes.micro, *sizes.accumulation));
    return;
  }
  const std::int64_t part = sizes.micro.value_or(sizes.accumulation.value_or(1)) * sizes.devices.value_or(1);
  if (part > 0 && *sizes.global % part != 0) session.refuse(messages::deepspeedSizeNotMultiple(*sizes.global, part));
}

void importSizes(ImportSession& session) {
  const DeepSpeedSizes sizes = readSizes(session);
  checkSizes(session, sizes);
  session.importAsIs("train_batch_size", "batch.global_train_batch_size");
  session.importAsIs("train_micro_batch_size_per_gpu", "batch.device_train_microbatch_size");
  const std::int64_t passes = std::max<std::int64_t>(1, sizes.accumulation.value_or(1));
  const std::int64_t devices = sizes.devices.value_or(1);
  Message counted = messages::importDeepspeedAccumulation(passes, devices);
  if (!sizes.devices) counted = messages::importDevicesUnknown(std::move(counted));
  if (sizes.global && sizes.micro && sizes.accumulation && sizes.devicesThatFit())
    session.importSetting("gradient_accumulation_steps", "batch.global_train_batch_size", std::to_string(*sizes.global),
                          messages::deepspeedSizesFit(*sizes.global, *sizes.micro, passes, *sizes.devicesThatFit()));
  if (sizes.global && sizes.accumulation && !sizes.micro && sizes.devices)
    session.importSetting("gradient_accumulation_steps", "batch.device_train_microbatch_size",
                          std::to_string(std::max<std::int64_t>(1, *sizes.global / (passes * devices))), counted);
  if (sizes.micro && !sizes.global) {
    const std::string global = std::to_string(*sizes.micro * passes * devices);
    session.importSetting("gradient_accumulation_steps", "batch.global_train_batch_size", global, counted);
    session.derive("train_micro_batch_size_per_gpu", "batch.global_train_batch_size", global, counted);
  }
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void importDeepSpeedOptimizer(ImportSession& session) {
  const ExternalValue* type = session.open("optimizer.type");
  if (type == nullptr) return;
  const std::string name = lowerCase(type->text);
  const ExternalValue* mode = session.open("optimizer.params.adam_w_mode");
  const bool decoupled = name == "adamw" || (name == "adam" && (mode == nullptr || mode->isTrue()));
  if (decoupled) {
    session.importSetting("optimizer.type", "optimizer.name", "adamw",
                          name == "adam" ? messages::deepspeedAdamDecaysAsAdamw() : Message());
    if (mode != nullptr) session.importSetting(mode->key, "optimizer.name", "adamw");
  } else {
    session.skip("optimizer.type", messages::deepspeedOptimizerNotAdamw(), kDeepSpeedDiffers);
    session.skip("optimizer.params.adam_w_mode", messages::deepspeedOptimizerNotAdamw(), kDeepSpeedDiffers);
  }
  constexpr DirectName names[] = {{"optimizer.params.lr", "optimizer.lr"},
                                  {"optimizer.params.betas", "optimizer.betas"},
                                  {"optimizer.params.eps", "optimizer.eps"},
                                  {"optimizer.params.weight_decay", "optimizer.weight_decay"}};
  // DeepSpeed's schedules define their own rate, which replaces this one.
  if (session.has("optimizer.lr")) session.skip("optimizer.params.lr", messages::deepspeedSchedulerRateUsed());
  session.importAll(names);
  if (decoupled) assumeAdamDefaults(session, "optimizer.params", "DeepSpeed", "[0.9, 0.999]", "0");
}

void importDeepSpeedPrecision(ImportSession& session) {
  for (const std::string key : {"bf16.enabled", "bfloat16.enabled", "fp16.enabled"}) {
    const ExternalValue* enabled = session.open(key);
    if (enabled == nullptr) continue;
    if (enabled->isTrue())
      session.importSetting(key, "precision", key[0] == 'b' ? "bf16" : "fp16", messages::stateStaysFp32());
    else
      session.skip(key, messages::deepspeedPrecisionIsOff());
  }
}

void importDeepSpeedClipping(ImportSession& session) {
  if (!session.importAsIs("gradient_clipping", "optimizer.grad_clip_norm"))
    session.assume("gradient_clipping", "optimizer.grad_clip_norm", "0", messages::importClippingDefaultsToNone());
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
    session.importSetting(key, "lr_scaling.method", lowerCase(name) == "none" ? "none" : name);
  if (session.config().lrScaling.method == LrScalingMethod::None) return;
  session.derive("train_batch_size", "lr_scaling.reference_batch_size",
                 std::to_string(session.config().batch.globalTrainBatchSize),
                 messages::deepspeedScalingReferenceCountsPacks());
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
  if (!budgetIsOn(session)) return session.skipBelow(section, messages::deepspeedDynamicBatchingIsOff());
  const ExternalValue* most = session.open(kBudget + "max_tokens");
  if (most != nullptr && !most->integer() && most->number())
    session.importSetting(most->key, "batch.tokens.max_tokens",
                          std::to_string(static_cast<std::int64_t>(*most->number())),
                          messages::deepspeedBudgetTruncated());
  for (const auto& [theirs, ours] : kBudgetNames) session.importAsIs(kBudget + theirs, ours);
  if (!session.has("batch.tokens.max_tokens"))
    return session.skipBelow(section, messages::deepspeedBudgetNeedsMaxTokens());
  session.importSetting(kBudget + "enabled", "batch.tokens.max_tokens",
                        std::to_string(*session.config().batch.tokens.maxTokens));
  const ExternalValue* least = session.open(kBudget + "min_batch_size");
  if (least != nullptr && session.importAsIs(least->key, "batch.tokens.min_batch_size") && least->integer() > 1)
    session.derive(least->key, "batch.tokens.on_small_pack", "discard", messages::deepspeedSmallPackDiscarded());
  session.derive(kBudget + "max_tokens", "batch.device_train_microbatch_size", "1",
                 messages::deepspeedSizesCountPacks());
  session.skip("train_micro_batch_size_per_gpu", messages::deepspeedMicrobatchIsOnePack());
  session.importAsIs("data_efficiency.seed", "seed");
}

}  // namespace

void importDeepSpeed(ImportSession& session) {
  skipAutos(session);
  session.importAsIs("seed", "seed");
  importDeepSpeedSchedule(session);
  importDeepSpeedOptimizer(session);
  importDeepSpeedClipping(session);
  importDeepSpeedPrecision(session);
  importBudget(session);
  importSizes(session);
  if (session.has("batch.tokens.max_tokens")) importScaling(session);
  session.skipRest(kDeepSpeedReasons);
}

}  // namespace batchwise::config
