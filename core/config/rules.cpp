// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/config/model_presets.h"
#include "core/config/run_stages.h"
#include "core/config/schedule_parameters.h"
#include "core/config/schema.h"
#include "core/config/yaml_value.h"

// Rules over several fields, without data. Rules on lengths or devices are in Plan::resolve.

namespace batchwise {
namespace {

std::string learningRateFarTooHighText(const auto& rate) {
  return formatText(
      "{} is far above the rates that train with Adam, 1e-5 to 1e-2: every step moves each weight by about the rate, "
      "so the loss will most likely diverge; use a smaller one",
      formatValue(rate));
}

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
    problems.push_back({at + ".name", formatText("'{}' is not a known schedule", scheduler.name)});
    return;
  }
  for (const ScheduleParameter& parameter : row->parameters)
    if (parameter.requirement == ScheduleParameter::Requirement::Required &&
        !differsFromDefault(scheduler, parameter.name))
      problems.push_back({at + "." + parameter.name, formatText("is required by the schedule {}", scheduler.name)});
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
        {"scheduler.parts", formatText("exactly one part must have duration: rest, but {} have it", rests)});
}

void checkSchedule(const TrainConfig& config, Problems& problems) {
  checkParameters(config.scheduler, "scheduler", problems);
  if (config.scheduler.name == "chain" && !config.scheduler.parts.empty()) checkChain(config.scheduler, problems);
}

void checkModelSizes(const ModelConfig& model, Problems& problems) {
  const ModelFamily family = model.family.value_or(ModelFamily::Bert);
  const auto preset = sizesOf(family, model.preset);
  if (!preset) {
    problems.push_back({"model.preset", formatText("{} is not a size of {}; known: {}", choiceName(model.preset),
                                                   choiceName(family), joined(presetNames(family)))});
    return;
  }
  const std::int64_t width = model.hiddenSize.value_or(preset->hiddenSize);
  const std::int64_t heads = model.numAttentionHeads.value_or(preset->heads);
  if (width % heads != 0)
    problems.push_back({model.numAttentionHeads ? "model.num_attention_heads" : "model.hidden_size",
                        formatText("{} heads do not divide a hidden_size of {}; use a number of heads that divides it",
                                   heads, width)});
  if (model.numKeyValueHeads && heads % *model.numKeyValueHeads != 0)
    problems.push_back(
        {"model.num_key_value_heads",
         formatText("{} heads of keys and values do not divide {} attention heads; each serves the same number of them",
                    *model.numKeyValueHeads, heads)});
}

void checkModel(const TrainConfig& config, Problems& problems) {
  const ModelConfig& model = config.model;
  // With a folder, sizes or their family come from it and are compared at launch.
  if (model.initFrom.empty() && (model.tileFrom.empty() || model.family)) checkModelSizes(model, problems);
  if (!model.tileFrom.empty() && !model.initFrom.empty())
    problems.push_back(
        {"model.tile_from",
         "cannot be given beside model.init_from: the weights come from one folder, as they are or tiled"});
  if (!model.tileFrom.empty() && config.tokenizer.path.empty())
    problems.push_back({"model.tile_from",
                        "needs tokenizer.path, because the embeddings belong to the tokenizer of that folder; name it "
                        "there, usually the same folder"});
  if (model.maxPositionEmbeddings && *model.maxPositionEmbeddings < config.data.maxSeqLen)
    problems.push_back({"model.max_position_embeddings",
                        formatText("{} is less than data.max_seq_len {}; raise it or shorten the sequences",
                                   *model.maxPositionEmbeddings, config.data.maxSeqLen)});
}

void checkStageOrder(const RampupConfig& rampup, Problems& problems) {
  for (std::size_t i = 1; i < rampup.stages.size(); ++i) {
    const Time& before = rampup.stages[i - 1].at;
    const Time& at = rampup.stages[i].at;
    if (at.unit() == before.unit() && at.number() <= before.number())
      problems.push_back({"batch.rampup.stages[" + std::to_string(i) + "].at",
                          formatText("{} does not come after {}; list the stages in the order in which they start",
                                     at.text(), before.text())});
  }
}

/// Stages that follow from the schedule leave no room for others, nor for another rule of the rate.
void checkSeesaw(const TrainConfig& config, Problems& problems) {
  constexpr const char* kField = "batch.rampup.from_schedule.factor";
  const RampupConfig& rampup = config.batch.rampup;
  if (!rampup.fromSchedule.enabled()) return;
  RampupConfig alone;
  alone.fromSchedule = rampup.fromSchedule;
  if (rampup != alone)
    problems.push_back({kField, "makes the whole ramp; leave the other fields of the ramp-up (batch.rampup) empty"});
  const std::int64_t initial = config.batch.globalTrainBatchSize;
  if (largestGlobalBatch(config.batch) <= initial)
    problems.push_back({"batch.rampup.from_schedule.cap",
                        formatText("{} is not above batch.global_train_batch_size {}, where the ramp begins; use more",
                                   rampup.fromSchedule.cap, initial)});
  if (config.lrScaling != LrScalingConfig{})
    problems.push_back(
        {kField, formatText("scales the rate itself, as lr_scaling: {{method: sqrt, applies_to: [rampup], "
                            "reference_batch_size: {}}} does; leave lr_scaling out",
                            initial)});
  if (config.batch.useMaximumBatchSize)
    problems.push_back({kField,
                        "needs the size at which the ramp begins, and batch.use_maximum_batch_size finds it at launch; "
                        "give batch.global_train_batch_size"});
  if (config.batch.tokens.enabled())
    problems.push_back({kField, "grows steps of samples, and batch.tokens counts packs; use one of them"});
}

void checkRampup(const TrainConfig& config, Problems& problems) {
  checkSeesaw(config, problems);
  const RampupConfig& rampup = config.batch.rampup;
  if (rampup.enabled() && rampup.initialGlobalTrainBatchSize &&
      *rampup.initialGlobalTrainBatchSize > config.batch.globalTrainBatchSize && !config.batch.useMaximumBatchSize)
    problems.push_back({"batch.rampup.initial_global_train_batch_size",
                        formatText("{} is above batch.global_train_batch_size {}; a ramp only grows",
                                   *rampup.initialGlobalTrainBatchSize, config.batch.globalTrainBatchSize)});
  if (rampup.duration && !rampup.stages.empty())
    problems.push_back(
        {"batch.rampup.stages",
         "cannot be given together with batch.rampup.duration; each stage already says when it starts (at)"});
  checkStageOrder(rampup, problems);
}

void checkBatch(const TrainConfig& config, Problems& problems) {
  checkRampup(config, problems);
  const GrowthConfig& growth = config.batch.growth;
  if (!growth.increaseFunction.empty() && !growth.batchIncreaseFunction.empty())
    problems.push_back(
        {"batch.growth.batch_increase_function",
         "cannot be given together with increase_function; one gives the new size, the other the increment"});
  if (growth.rule != GrowthPreset::None && !(growth.increaseFunction.empty() && growth.batchIncreaseFunction.empty()))
    problems.push_back({"batch.growth.rule", "cannot be given together with an expression, for which it stands"});
  if (growth.criticalBatch.a.has_value() != growth.criticalBatch.c.has_value())
    problems.push_back({"batch.growth.critical_batch." + std::string(growth.criticalBatch.a ? "c" : "a"),
                        "is missing; the law has both a and c"});
  const TokenBudgetConfig& tokens = config.batch.tokens;
  if (tokens.maxBatchSize && *tokens.maxBatchSize > 0 && tokens.minBatchSize > *tokens.maxBatchSize)
    problems.push_back(
        {"batch.tokens.min_batch_size", formatText("{} is above max_batch_size {}; no pack can satisfy both",
                                                   tokens.minBatchSize, *tokens.maxBatchSize)});
}

void checkOptimizer(const TrainConfig& config, Problems& problems) {
  if (config.optimizer.betas.size() != 2)
    problems.push_back({"optimizer.betas",
                        formatText("needs two numbers, such as [0.9, 0.98], not {}", config.optimizer.betas.size())});
}

void checkData(const TrainConfig& config, Problems& problems) {
  const DataConfig& data = config.data;
  if (data.joinDocuments && !data.documentSeparator && !data.attentionAcrossDocuments)
    problems.push_back(
        {"data.document_separator",
         "is off, so nothing shows where a document ends; leave it on, or set data.attention_across_documents"});
  for (const EvalSetConfig& set : config.eval.sets)
    if (set.name == defaultEvalSetName(config))
      problems.push_back(
          {"eval.sets." + set.name,
           formatText("{} is reserved for the text of data.eval and for the held-out share; choose another name",
                      set.name)});
}

void checkScaling(const TrainConfig& config, Problems& problems) {
  const LrScalingConfig& scaling = config.lrScaling;
  const bool needed =
      scaling.method != LrScalingMethod::None && (config.batch.tokens.enabled() || scaling.by == StepSizeUnit::Tokens);
  if (needed && !scaling.referenceBatchSize)
    problems.push_back(
        {"lr_scaling.reference_batch_size", formatText("is required when the rate is scaled under a token budget or by "
                                                       "tokens: the size, in {}, for which optimizer.lr was chosen",
                                                       choiceName(scaling.by))});
}

void checkLaunch(const TrainConfig& config, Problems& problems) {
  const LaunchConfig& launch = config.launch;
  constexpr std::size_t kLongestTag = 200;
  constexpr std::size_t kLongestReason = 4000;
  for (std::size_t i = 0; i < launch.tags.size(); ++i)
    if (const std::string why = plainLineProblem(launch.tags[i], kLongestTag); !why.empty())
      problems.push_back({"launch.tags", formatText("entry {} {}", i + 1, why)});
  if (const std::string why = plainLineProblem(launch.why, kLongestReason); !why.empty())
    problems.push_back({"launch.why", why});
  if (launch.stopAt && !config.stages.empty())
    problems.push_back({"launch.stop_at", "is not possible in a run with stages; leave one of them out"});
}

/// Returns the fields whose guard may roll back the run.
std::vector<std::string> rollingBack(const GuardConfig& guard) {
  const std::pair<const char*, GuardAction> actions[] = {{"guard.non_finite", guard.nonFinite},
                                                         {"guard.loss_spike.action", guard.lossSpike.action},
                                                         {"guard.grad_norm.action", guard.gradNorm.action},
                                                         {"guard.update_ratio.action", guard.updateRatio.action},
                                                         {"guard.attention_logit.action", guard.attentionLogit.action}};
  std::vector<std::string> fields;
  for (const auto& [field, action] : actions)
    if (action == GuardAction::RollBack) fields.emplace_back(field);
  return fields;
}

void checkGuards(const TrainConfig& config, Problems& problems) {
  const GuardConfig& guard = config.guard;
  if (checkpointInterval(config).empty())
    for (const std::string& field : rollingBack(guard))
      problems.push_back({field,
                          "roll_back needs a checkpoint to go back to, but checkpoint.interval is empty; give an "
                          "interval, or use skip or stop"});
  if (guard.earlyStop.action == GuardAction::Off) return;
  const std::string_view action = choiceName(guard.earlyStop.action);
  if (config.eval.interval && config.eval.interval->empty())
    problems.push_back(
        {"guard.early_stop.action",
         formatText("{} needs evaluations, but eval.interval is empty; give an interval, or use off", action)});
  if (!hasEvalData(config))
    problems.push_back(
        {"guard.early_stop.action",
         formatText("{} needs data to evaluate on; give data.eval, or a data.holdout above 0, or use off", action)});
}

void noteModel(const ModelConfig& model, Problems& mistakes) {
  constexpr std::int64_t kDeepestPostNorm = 24;  // BERT large, the deepest published
  const std::int64_t layers = model.numHiddenLayers.value_or(0);
  if (layers > kDeepestPostNorm && model.family.value_or(ModelFamily::Bert) == ModelFamily::Bert &&
      model.norm.value_or(NormPlacement::Post) == NormPlacement::Post && model.initFrom.empty())
    mistakes.push_back(
        {"model.num_hidden_layers",
         formatText("{} layers with norm: post often diverge, as gradients grow towards the last layers (Xiong et al. "
                    "2020); norm: pre is steadier above {} layers, and so is a layer_norm_eps of 1e-5",
                    layers, kDeepestPostNorm)});
  if (model.family.value_or(ModelFamily::Bert) == ModelFamily::Bert && model.norm == NormPlacement::Pre)
    mistakes.push_back({"model.norm",
                        "transformers has no bert with norm: pre, so this model can be trained and continued here, but "
                        "not exported; set model.family: modernbert, or norm: post, if it is to be exported"});
}

/// Checkpoints by training time differ from run to run, and so does the target of a rollback.
void noteClockedRollBack(const TrainConfig& config, Problems& mistakes) {
  const std::vector<std::string> fields = rollingBack(config.guard);
  if (fields.empty()) return;
  const bool ofTime = config.maxDuration.unit() == TimeUnit::Second;
  for (const Time& interval : checkpointInterval(config)) {
    if (interval.unit() != TimeUnit::Second && !(ofTime && interval.unit() == TimeUnit::Duration)) continue;
    mistakes.push_back(
        {fields.front(),
         formatText("roll_back goes to checkpoints of checkpoint.interval, and {} counts training time: where they lie "
                    "depends on the speed of the machine, so a resumed run may roll back to a different place than an "
                    "uninterrupted one; set checkpoint.interval to global batches alone, such as 100ba",
                    interval.text())});
    return;
  }
}

/// Adam's steps move each weight by about the rate, whatever the gradient.
void noteRate(const TrainConfig& config, Problems& mistakes) {
  if (config.optimizer.lr > kLargestUsualRate)
    mistakes.push_back({"optimizer.lr", learningRateFarTooHighText(config.optimizer.lr)});
  for (const RunStage& stage : runStages(config))
    if (stage.config.optimizer.lr > kLargestUsualRate && stage.config.optimizer.lr != config.optimizer.lr)
      mistakes.push_back({stage.field + ".optimizer.lr", learningRateFarTooHighText(stage.config.optimizer.lr)});
}

void noteUnused(const TrainConfig& config, Problems& mistakes) {
  if (config.eval.interval && !config.eval.interval->empty() && !hasEvalData(config))
    mistakes.push_back({"eval.interval",
                        "has no effect, as there is nothing to evaluate on: data.eval names no text and data.holdout "
                        "is 0; give one of them"});
  GrowthConfig unread;
  // Whether the steps of Seesaw stay below it is noted in the preview.
  if (config.batch.rampup.fromSchedule.enabled()) unread.criticalBatch = config.batch.growth.criticalBatch;
  if (!config.batch.growth.enabled() && config.batch.growth != unread)
    mistakes.push_back(
        {"batch.growth.increase_function", "is not set, so the other fields of batch.growth have no effect"});
  if (const SeesawConfig& seesaw = config.batch.rampup.fromSchedule; !seesaw.enabled() && seesaw != SeesawConfig{})
    mistakes.push_back({"batch.rampup.from_schedule.cap", "has no effect without batch.rampup.from_schedule.factor"});
  if (const GrowthConfig& growth = config.batch.growth;
      growth.enabled() && growth.rule == GrowthPreset::None && !growth.values.empty())
    mistakes.push_back({"batch.growth.values", "has no effect without batch.growth.rule"});
  if (config.batch.rampup.spacing != RampSpacing::Samples && !config.batch.rampup.duration)
    mistakes.push_back({"batch.rampup.spacing", "has no effect without batch.rampup.duration"});
  if (config.guard.gradNorm.scaleWithBatch && config.guard.gradNorm.action == GuardAction::Off)
    mistakes.push_back({"guard.grad_norm.scale_with_batch", "has no effect, as guard.grad_norm.action is off"});
  if (config.lrScaling.method != LrScalingMethod::Power && config.lrScaling.exponent != LrScalingConfig{}.exponent)
    mistakes.push_back({"lr_scaling.exponent", "has no effect, as lr_scaling.method is not power"});
  if (const double eps = config.optimizer.eps; static_cast<double>(std::numeric_limits<float>::min()) > eps)
    mistakes.push_back(
        {"optimizer.eps",
         formatText(
             "{} is below what fp32, in which the optimizer computes, holds exactly (1.2e-38); 1e-8 to 1e-6 are usual",
             formatExact(eps))});
}

}  // namespace

std::vector<FieldProblem> checkRules(const TrainConfig& config) {
  Problems problems;
  checkModel(config, problems);
  checkBatch(config, problems);
  checkData(config, problems);
  checkOptimizer(config, problems);
  checkSchedule(config, problems);
  checkScaling(config, problems);
  checkLaunch(config, problems);
  checkGuards(config, problems);
  for (FieldProblem& problem : checkRunStages(config)) problems.push_back(std::move(problem));
  return problems;
}

std::vector<FieldProblem> findLikelyMistakes(const TrainConfig& config) {
  Problems mistakes;
  noteModel(config.model, mistakes);
  noteRate(config, mistakes);
  noteUnused(config, mistakes);
  noteClockedRollBack(config, mistakes);
  if (!config.batch.tokens.enabled() && config.batch.tokens != TokenBudgetConfig{})
    mistakes.push_back({"batch.tokens.max_tokens", "is not set, so the other fields of batch.tokens have no effect"});
  const LrScalingConfig& scaling = config.lrScaling;
  if (scaling.method != LrScalingMethod::None && scaling.by == StepSizeUnit::Tokens &&
      std::ranges::find(scaling.appliesTo, StepSizeCause::Tokens) == scaling.appliesTo.end())
    mistakes.push_back({"lr_scaling.by",
                        "tokens has no effect, as lr_scaling.applies_to does not name tokens: the rate follows how "
                        "many samples or packs a step has; add tokens to lr_scaling.applies_to"});
  return mistakes;
}

std::vector<std::string> scheduleParameters(const std::string& name) {
  std::vector<std::string> names;
  if (const ScheduleParameters* row = findSchedule(name))
    for (const ScheduleParameter& parameter : row->parameters) names.emplace_back(parameter.name);
  return names;
}

}  // namespace batchwise
