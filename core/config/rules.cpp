// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/plain_text.h"
#include "core/config/default_values.h"
#include "core/config/model_presets.h"
#include "core/config/schedule_parameters.h"
#include "core/config/schema.h"
#include "core/config/schema_entries.h"

// Rules over several fields that need no data. What needs lengths or devices is in Plan::resolve.

namespace batchwise {
namespace {

using Problems = std::vector<FieldProblem>;

bool differsFromDefault(const SchedulerConfig& scheduler, const std::string& parameter) {
  TrainConfig holder;
  holder.scheduler = scheduler;
  const Field& field = *findField("scheduler." + parameter);
  return field.get(holder) != field.get(TrainConfig{});
}

void checkParameters(const SchedulerConfig& scheduler, const std::string& at, Problems& problems) {
  const ScheduleParameters* row = findSchedule(scheduler.name);
  if (row == nullptr) {
    problems.push_back({at + ".name", "'" + scheduler.name + "' is not a known schedule"});
    return;
  }
  for (const ScheduleParameter& parameter : row->parameters)
    if (parameter.need == ScheduleParameter::Need::Required && !differsFromDefault(scheduler, parameter.name))
      problems.push_back({at + "." + parameter.name, "is required by the schedule " + scheduler.name});
}

void checkChain(const SchedulerConfig& scheduler, Problems& problems) {
  std::int64_t rests = 0;
  for (std::size_t i = 0; i < scheduler.parts.size(); ++i) {
    const SchedulerConfig& part = scheduler.parts[i];
    const std::string at = "scheduler.parts[" + std::to_string(i) + "]";
    rests += part.rest || !part.length;
    if (part.name == "chain") {
      problems.push_back({at + ".name", "a chain cannot be a part of a chain; write its parts one after the other"});
    } else {
      checkParameters(part, at, problems);
    }
  }
  if (rests != 1)
    problems.push_back(
        {"scheduler.parts", "exactly one part must have duration: rest, these have " + std::to_string(rests)});
}

void checkSchedule(const TrainConfig& config, Problems& problems) {
  checkParameters(config.scheduler, "scheduler", problems);
  if (config.scheduler.name == "chain" && !config.scheduler.parts.empty()) checkChain(config.scheduler, problems);
}

void checkModel(const TrainConfig& config, Problems& problems) {
  const ModelConfig& model = config.model;
  const ModelPreset* preset = findModelPreset(model.preset);
  // With init_from the sizes are those of the folder, which a launch compares.
  if (preset != nullptr && model.initFrom.empty()) {
    const std::int64_t width = model.hiddenSize.value_or(preset->hiddenSize);
    const std::int64_t heads = model.numAttentionHeads.value_or(preset->heads);
    if (width % heads != 0)
      problems.push_back({model.numAttentionHeads ? "model.num_attention_heads" : "model.hidden_size",
                          std::to_string(heads) + " heads do not divide a hidden_size of " + std::to_string(width)});
  }
  if (model.maxPositionEmbeddings && *model.maxPositionEmbeddings < config.data.maxSeqLen)
    problems.push_back({"model.max_position_embeddings",
                        std::to_string(*model.maxPositionEmbeddings) + " is less than data.max_seq_len " +
                            std::to_string(config.data.maxSeqLen) + "; raise it or shorten the sequences"});
}

void checkStageOrder(const RampupConfig& rampup, Problems& problems) {
  for (std::size_t i = 1; i < rampup.stages.size(); ++i) {
    const Time& before = rampup.stages[i - 1].at;
    const Time& at = rampup.stages[i].at;
    if (at.unit() == before.unit() && at.number() <= before.number())
      problems.push_back(
          {"batch.rampup.stages[" + std::to_string(i) + "].at",
           at.text() + " does not come after " + before.text() + "; stages stand in the order in which they begin"});
  }
}

void checkRampup(const TrainConfig& config, Problems& problems) {
  const RampupConfig& rampup = config.batch.rampup;
  if (rampup.initialGlobalTrainBatchSize && !rampup.enabled())
    problems.push_back({"batch.rampup.duration",
                        "is required when initial_global_train_batch_size is given; how long should the ramp be?"});
  if (rampup.initialGlobalTrainBatchSize && *rampup.initialGlobalTrainBatchSize > config.batch.globalTrainBatchSize &&
      !config.batch.useMaximumBatchSize)
    problems.push_back({"batch.rampup.initial_global_train_batch_size",
                        std::to_string(*rampup.initialGlobalTrainBatchSize) +
                            " is above batch.global_train_batch_size " +
                            std::to_string(config.batch.globalTrainBatchSize) + "; a ramp only grows"});
  if (rampup.duration && !rampup.stages.empty())
    problems.push_back(
        {"batch.rampup.stages",
         "cannot be given together with batch.rampup.duration; the table already says when each stage begins"});
  checkStageOrder(rampup, problems);
}

void checkBatch(const TrainConfig& config, Problems& problems) {
  checkRampup(config, problems);
  const GrowthConfig& growth = config.batch.growth;
  if (!growth.increaseFunction.empty() && !growth.batchIncreaseFunction.empty())
    problems.push_back(
        {"batch.growth.batch_increase_function",
         "cannot be given together with increase_function; one gives the new size, the other the increment"});
  const TokenBudgetConfig& tokens = config.batch.tokens;
  if (tokens.maxBatchSize && *tokens.maxBatchSize > 0 && tokens.minBatchSize > *tokens.maxBatchSize)
    problems.push_back(
        {"batch.tokens.min_batch_size", std::to_string(tokens.minBatchSize) + " is above max_batch_size " +
                                            std::to_string(*tokens.maxBatchSize) + "; no pack could have both"});
}

void checkOptimizer(const TrainConfig& config, Problems& problems) {
  if (config.optimizer.betas.size() != 2)
    problems.push_back({"optimizer.betas", "needs two numbers, as [0.9, 0.98]; these are " +
                                               std::to_string(config.optimizer.betas.size())});
}

void checkScaling(const TrainConfig& config, Problems& problems) {
  const LrScalingConfig& scaling = config.lrScaling;
  const bool needed = scaling.method != "none" && (config.batch.tokens.enabled() || scaling.by == "tokens");
  if (needed && !scaling.referenceBatchSize)
    problems.push_back({"lr_scaling.reference_batch_size",
                        "is required when the rate is scaled under a token budget or by tokens: the size, in " +
                            scaling.by + ", for which optimizer.lr was chosen"});
}

void checkLaunch(const LaunchConfig& launch, Problems& problems) {
  constexpr std::size_t kLongestTag = 200;
  constexpr std::size_t kLongestReason = 4000;
  for (std::size_t i = 0; i < launch.tags.size(); ++i)
    if (const std::string why = whyNoPlainLine(launch.tags[i], kLongestTag); !why.empty())
      problems.push_back({"launch.tags", "entry " + std::to_string(i + 1) + " " + why});
  if (const std::string why = whyNoPlainLine(launch.why, kLongestReason); !why.empty())
    problems.push_back({"launch.why", why});
}

/// The fields whose guard may take the run back.
std::vector<std::string> rollingBack(const GuardConfig& guard) {
  const std::array<std::pair<const char*, const std::string*>, 5> actions = {
      {{"guard.non_finite", &guard.nonFinite},
       {"guard.loss_spike.action", &guard.lossSpike.action},
       {"guard.grad_norm.action", &guard.gradNorm.action},
       {"guard.update_ratio.action", &guard.updateRatio.action},
       {"guard.attention_logit.action", &guard.attentionLogit.action}}};
  std::vector<std::string> fields;
  for (const auto& [field, action] : actions)
    if (*action == "roll_back") fields.emplace_back(field);
  return fields;
}

void checkGuards(const TrainConfig& config, Problems& problems) {
  const GuardConfig& guard = config.guard;
  if (checkpointInterval(config).empty())
    for (const std::string& field : rollingBack(guard))
      problems.push_back({field,
                          "roll_back needs a checkpoint to go back to, and checkpoint.interval is empty; give an "
                          "interval, or take skip or stop"});
  if (guard.earlyStop.action == "off") return;
  if (config.eval.interval && config.eval.interval->empty())
    problems.push_back({"guard.early_stop.action", guard.earlyStop.action +
                                                       " needs evaluations, and eval.interval is empty; give an "
                                                       "interval, or take off"});
  if (!evaluatesOnSomething(config))
    problems.push_back({"guard.early_stop.action", guard.earlyStop.action +
                                                       " needs data to evaluate on; give data.eval, or a data.holdout "
                                                       "above 0, or take off"});
}

void noteModel(const ModelConfig& model, Problems& slips) {
  constexpr std::int64_t kDeepestPostNorm = 24;  // BERT large, the deepest that was published
  const std::int64_t layers = model.numHiddenLayers.value_or(0);
  if (layers > kDeepestPostNorm && model.norm == "post" && model.initFrom.empty())
    slips.push_back({"model.num_hidden_layers",
                     std::to_string(layers) +
                         " layers with norm: post often diverge, as gradients grow towards the last layers (Xiong et "
                         "al. 2020); norm: pre is steadier above " +
                         std::to_string(kDeepestPostNorm) + " layers, and so is a layer_norm_eps of 1e-5"});
}

/// Checkpoints by training time lie elsewhere each time: a resumed run then rolls back to others than a straight one.
void noteClockedRollBack(const TrainConfig& config, Problems& slips) {
  const std::vector<std::string> fields = rollingBack(config.guard);
  if (fields.empty()) return;
  const bool ofTime = config.maxDuration.unit() == TimeUnit::Second;
  for (const Time& interval : checkpointInterval(config)) {
    if (interval.unit() != TimeUnit::Second && !(ofTime && interval.unit() == TimeUnit::Duration)) continue;
    slips.push_back({fields.front(),
                     "roll_back goes to checkpoints of checkpoint.interval, and " + interval.text() +
                         " counts training time: where they lie depends on the speed of the machine, so a resumed run "
                         "may roll back to another place than a run in one go; set checkpoint.interval to global "
                         "batches alone, as 100ba"});
    return;
  }
}

void noteUnused(const TrainConfig& config, Problems& slips) {
  if (config.eval.interval && !config.eval.interval->empty() && !evaluatesOnSomething(config))
    slips.push_back({"eval.interval",
                     "has no effect, as there is nothing to evaluate on: data.eval names no text and data.holdout is "
                     "0; give one of them"});
  if (!config.batch.growth.enabled() && config.batch.growth != GrowthConfig{})
    slips.push_back(
        {"batch.growth.increase_function", "is not set, so the other fields of batch.growth have no effect"});
  if (const double eps = config.optimizer.eps; static_cast<double>(std::numeric_limits<float>::min()) > eps)
    slips.push_back({"optimizer.eps", formatExact(eps) +
                                          " is below what fp32, in which the optimizer computes, holds exactly "
                                          "(1.2e-38); 1e-8 to 1e-6 are usual"});
}

}  // namespace

std::vector<FieldProblem> checkRules(const TrainConfig& config) {
  Problems problems;
  checkModel(config, problems);
  checkBatch(config, problems);
  checkOptimizer(config, problems);
  checkSchedule(config, problems);
  checkScaling(config, problems);
  checkLaunch(config.launch, problems);
  checkGuards(config, problems);
  return problems;
}

std::vector<FieldProblem> checkSlips(const TrainConfig& config) {
  Problems slips;
  noteModel(config.model, slips);
  noteUnused(config, slips);
  noteClockedRollBack(config, slips);
  if (!config.batch.tokens.enabled() && config.batch.tokens != TokenBudgetConfig{})
    slips.push_back({"batch.tokens.max_tokens", "is not set, so the other fields of batch.tokens have no effect"});
  const LrScalingConfig& scaling = config.lrScaling;
  const auto& causes = scaling.appliesTo;
  if (scaling.method != "none" && scaling.by == "tokens" &&
      std::find(causes.begin(), causes.end(), "tokens") == causes.end())
    slips.push_back({"lr_scaling.by",
                     "tokens has no effect, as lr_scaling.applies_to does not name tokens: the rate follows how many "
                     "samples or packs a step has; add tokens to lr_scaling.applies_to"});
  return slips;
}

std::vector<std::string> scheduleParameters(const std::string& name) {
  std::vector<std::string> names;
  if (const ScheduleParameters* row = findSchedule(name))
    for (const ScheduleParameter& parameter : row->parameters) names.emplace_back(parameter.name);
  return names;
}

}  // namespace batchwise
