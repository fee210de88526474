// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/config/messages.h"
#include "core/config/model_presets.h"
#include "core/config/run_stages.h"
#include "core/config/schedule_parameters.h"
#include "core/config/schema.h"
#include "core/config/yaml_value.h"

// Rules over several fields, without data. Rules on lengths or devices are in Plan::resolve.

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
    problems.push_back({at + ".name", messages::scheduleNameUnknown(scheduler.name)});
    return;
  }
  for (const ScheduleParameter& parameter : row->parameters)
    if (parameter.requirement == ScheduleParameter::Requirement::Required &&
        !differsFromDefault(scheduler, parameter.name))
      problems.push_back({at + "." + parameter.name, messages::scheduleParameterRequired(scheduler.name)});
}

void checkChain(const SchedulerConfig& scheduler, Problems& problems) {
  std::int64_t rests = 0;
  for (std::size_t i = 0; i < scheduler.parts.size(); ++i) {
    const SchedulerConfig& part = scheduler.parts[i];
    const std::string at = "scheduler.parts[" + std::to_string(i) + "]";
    rests += part.rest || !part.length;
    if (part.name == "chain") {
      problems.push_back({at + ".name", messages::scheduleChainInsideChain()});
    } else {
      checkParameters(part, at, problems);
    }
  }
  if (rests != 1) problems.push_back({"scheduler.parts", messages::scheduleChainNeedsOneRest(rests)});
}

void checkSchedule(const TrainConfig& config, Problems& problems) {
  checkParameters(config.scheduler, "scheduler", problems);
  if (config.scheduler.name == "chain" && !config.scheduler.parts.empty()) checkChain(config.scheduler, problems);
}

void checkModelSizes(const ModelConfig& model, Problems& problems) {
  const ModelFamily family = model.family.value_or(ModelFamily::Bert);
  const auto preset = sizesOf(family, model.preset);
  if (!preset) {
    problems.push_back({"model.preset", messages::presetNotInFamily(choiceName(model.preset), choiceName(family),
                                                                    joined(presetNames(family)))});
    return;
  }
  const std::int64_t width = model.hiddenSize.value_or(preset->hiddenSize);
  const std::int64_t heads = model.numAttentionHeads.value_or(preset->heads);
  if (width % heads != 0)
    problems.push_back({model.numAttentionHeads ? "model.num_attention_heads" : "model.hidden_size",
                        messages::headsDoNotDivideWidth(heads, width)});
  if (model.numKeyValueHeads && heads % *model.numKeyValueHeads != 0)
    problems.push_back(
        {"model.num_key_value_heads", messages::keyValueHeadsDoNotDivideHeads(*model.numKeyValueHeads, heads)});
}

void checkModel(const TrainConfig& config, Problems& problems) {
  const ModelConfig& model = config.model;
  // With a folder, sizes or their family come from it and are compared at launch.
  if (model.initFrom.empty() && (model.tileFrom.empty() || model.family)) checkModelSizes(model, problems);
  if (!model.tileFrom.empty() && !model.initFrom.empty())
    problems.push_back({"model.tile_from", messages::tileExcludesInit()});
  if (!model.tileFrom.empty() && config.tokenizer.path.empty())
    problems.push_back({"model.tile_from", messages::tileNeedsTokenizer()});
  if (model.maxPositionEmbeddings && *model.maxPositionEmbeddings < config.data.maxSeqLen)
    problems.push_back({"model.max_position_embeddings", messages::positionLimitBelowSequenceLength(
                                                             *model.maxPositionEmbeddings, config.data.maxSeqLen)});
}

void checkStageOrder(const RampupConfig& rampup, Problems& problems) {
  for (std::size_t i = 1; i < rampup.stages.size(); ++i) {
    const Time& before = rampup.stages[i - 1].at;
    const Time& at = rampup.stages[i].at;
    if (at.unit() == before.unit() && at.number() <= before.number())
      problems.push_back({"batch.rampup.stages[" + std::to_string(i) + "].at",
                          messages::rampupStagesNotInOrder(at.text(), before.text())});
  }
}

void checkRampup(const TrainConfig& config, Problems& problems) {
  const RampupConfig& rampup = config.batch.rampup;
  if (rampup.initialGlobalTrainBatchSize && !rampup.enabled())
    problems.push_back({"batch.rampup.duration", messages::rampupDurationRequired()});
  if (rampup.initialGlobalTrainBatchSize && *rampup.initialGlobalTrainBatchSize > config.batch.globalTrainBatchSize &&
      !config.batch.useMaximumBatchSize)
    problems.push_back({"batch.rampup.initial_global_train_batch_size",
                        messages::rampupInitialSizeAboveTarget(*rampup.initialGlobalTrainBatchSize,
                                                               config.batch.globalTrainBatchSize)});
  if (rampup.duration && !rampup.stages.empty())
    problems.push_back({"batch.rampup.stages", messages::rampupStagesExcludeDuration()});
  checkStageOrder(rampup, problems);
}

void checkBatch(const TrainConfig& config, Problems& problems) {
  checkRampup(config, problems);
  const GrowthConfig& growth = config.batch.growth;
  if (!growth.increaseFunction.empty() && !growth.batchIncreaseFunction.empty())
    problems.push_back({"batch.growth.batch_increase_function", messages::growthFunctionsExcludeEachOther()});
  const TokenBudgetConfig& tokens = config.batch.tokens;
  if (tokens.maxBatchSize && *tokens.maxBatchSize > 0 && tokens.minBatchSize > *tokens.maxBatchSize)
    problems.push_back({"batch.tokens.min_batch_size",
                        messages::tokenBudgetMinimumAboveMaximum(tokens.minBatchSize, *tokens.maxBatchSize)});
}

void checkOptimizer(const TrainConfig& config, Problems& problems) {
  if (config.optimizer.betas.size() != 2)
    problems.push_back({"optimizer.betas", messages::optimizerNeedsTwoBetas(config.optimizer.betas.size())});
}

void checkData(const TrainConfig& config, Problems& problems) {
  const DataConfig& data = config.data;
  if (data.joinDocuments && !data.documentSeparator && !data.attentionAcrossDocuments)
    problems.push_back({"data.document_separator", messages::documentSeparatorRequired()});
  for (const EvalSetConfig& set : config.eval.sets)
    if (set.name == defaultEvalSetName(config))
      problems.push_back({"eval.sets." + set.name, messages::evalSetNameReserved(set.name)});
}

void checkScaling(const TrainConfig& config, Problems& problems) {
  const LrScalingConfig& scaling = config.lrScaling;
  const bool needed =
      scaling.method != LrScalingMethod::None && (config.batch.tokens.enabled() || scaling.by == StepSizeUnit::Tokens);
  if (needed && !scaling.referenceBatchSize)
    problems.push_back(
        {"lr_scaling.reference_batch_size", messages::scalingReferenceBatchSizeRequired(choiceName(scaling.by))});
}

void checkLaunch(const LaunchConfig& launch, Problems& problems) {
  constexpr std::size_t kLongestTag = 200;
  constexpr std::size_t kLongestReason = 4000;
  for (std::size_t i = 0; i < launch.tags.size(); ++i)
    if (const Message why = plainLineProblem(launch.tags[i], kLongestTag); !why.empty())
      problems.push_back({"launch.tags", messages::launchTagEntryInvalid(i + 1, why)});
  if (const Message why = plainLineProblem(launch.why, kLongestReason); !why.empty())
    problems.push_back({"launch.why", why});
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
      problems.push_back({field, messages::rollbackNeedsCheckpointInterval()});
  if (guard.earlyStop.action == GuardAction::Off) return;
  const std::string_view action = choiceName(guard.earlyStop.action);
  if (config.eval.interval && config.eval.interval->empty())
    problems.push_back({"guard.early_stop.action", messages::earlyStopNeedsEvaluationInterval(action)});
  if (!hasEvalData(config))
    problems.push_back({"guard.early_stop.action", messages::earlyStopNeedsEvaluationData(action)});
}

void noteModel(const ModelConfig& model, Problems& mistakes) {
  constexpr std::int64_t kDeepestPostNorm = 24;  // BERT large, the deepest published
  const std::int64_t layers = model.numHiddenLayers.value_or(0);
  if (layers > kDeepestPostNorm && model.family.value_or(ModelFamily::Bert) == ModelFamily::Bert &&
      model.norm.value_or(NormPlacement::Post) == NormPlacement::Post && model.initFrom.empty())
    mistakes.push_back({"model.num_hidden_layers", messages::deepPostNormOftenDiverges(layers, kDeepestPostNorm)});
  if (model.family.value_or(ModelFamily::Bert) == ModelFamily::Bert && model.norm == NormPlacement::Pre)
    mistakes.push_back({"model.norm", messages::normPreIsNotExported()});
}

/// Checkpoints by training time differ from run to run, and so does the target of a rollback.
void noteClockedRollBack(const TrainConfig& config, Problems& mistakes) {
  const std::vector<std::string> fields = rollingBack(config.guard);
  if (fields.empty()) return;
  const bool ofTime = config.maxDuration.unit() == TimeUnit::Second;
  for (const Time& interval : checkpointInterval(config)) {
    if (interval.unit() != TimeUnit::Second && !(ofTime && interval.unit() == TimeUnit::Duration)) continue;
    mistakes.push_back({fields.front(), messages::rollbackCheckpointsDependOnTime(interval.text())});
    return;
  }
}

void noteUnused(const TrainConfig& config, Problems& mistakes) {
  if (config.eval.interval && !config.eval.interval->empty() && !hasEvalData(config))
    mistakes.push_back({"eval.interval", messages::evaluationIntervalHasNoEffect()});
  if (!config.batch.growth.enabled() && config.batch.growth != GrowthConfig{})
    mistakes.push_back({"batch.growth.increase_function", messages::growthFunctionNotSet()});
  if (const double eps = config.optimizer.eps; static_cast<double>(std::numeric_limits<float>::min()) > eps)
    mistakes.push_back({"optimizer.eps", messages::optimizerEpsBelowFp32Range(eps)});
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
  checkLaunch(config.launch, problems);
  checkGuards(config, problems);
  for (FieldProblem& problem : checkRunStages(config)) problems.push_back(std::move(problem));
  return problems;
}

std::vector<FieldProblem> findLikelyMistakes(const TrainConfig& config) {
  Problems mistakes;
  noteModel(config.model, mistakes);
  noteUnused(config, mistakes);
  noteClockedRollBack(config, mistakes);
  if (!config.batch.tokens.enabled() && config.batch.tokens != TokenBudgetConfig{})
    mistakes.push_back({"batch.tokens.max_tokens", messages::tokenBudgetNotSet()});
  const LrScalingConfig& scaling = config.lrScaling;
  if (scaling.method != LrScalingMethod::None && scaling.by == StepSizeUnit::Tokens &&
      std::ranges::find(scaling.appliesTo, StepSizeCause::Tokens) == scaling.appliesTo.end())
    mistakes.push_back({"lr_scaling.by", messages::scalingByTokensIneffective()});
  return mistakes;
}

std::vector<std::string> scheduleParameters(const std::string& name) {
  std::vector<std::string> names;
  if (const ScheduleParameters* row = findSchedule(name))
    for (const ScheduleParameter& parameter : row->parameters) names.emplace_back(parameter.name);
  return names;
}

}  // namespace batchwise
