// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/run_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/time/run_length.h"

namespace batchwise {
namespace {

Error inStage(const Error& error, const RunStage& stage) {
  return stage.field.empty() ? error : error.about(stage.field);
}

/// Adds what is known of a stage; a value unknown in one stage is unknown in the run.
template <typename Value>
void addTo(std::optional<Value>& sum, const std::optional<Value>& value) {
  if (sum && value)
    *sum += *value;
  else
    sum.reset();
}

/// Returns the mean tokens of a sample or pack.
std::optional<double> tokensPerUnit(const Plan& plan) {
  const auto tokens = numberNamed(plan.resolved(), "scheduler.tokens_per_batch");
  const auto units = numberNamed(plan.resolved(), "batch.global_train_batch_size");
  return tokens && units ? std::optional(*tokens / *units) : std::nullopt;
}

/// Returns the scaled begin of a stage as its plan computes it: epochs keep their fraction, counts are truncated.
Result<Time> scaledBegin(const RunStage& stage, double ratio) {
  if (stage.from.unit() == TimeUnit::Epoch) return Time::epochs(stage.from.number() * ratio);
  return multiply(stage.from, ratio);
}

/// Fails with Config if a stage, scaled by scale_schedule_ratio, does not end where the next one begins, or the run
/// ends: its length is truncated by itself.
Result<void> checkScaledEnds(const TrainConfig& config) {
  constexpr double kSameEpochs = 1e-9;
  const double ratio = config.scaleScheduleRatio;
  if (config.stages.empty() || ratio == 1.0) return {};
  const std::vector<RunStage> stages = runStages(config);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Result<Time> length = scaleMaxDuration(stages[i].config.maxDuration, ratio);
    if (!length.ok()) return inStage(length.error(), stages[i]);
    ASSIGN_OR_RETURN(const Time begin, scaledBegin(stages[i], ratio));
    ASSIGN_OR_RETURN(const Time reached, add(begin, *length));
    ASSIGN_OR_RETURN(const Time end, i + 1 < stages.size() ? scaledBegin(stages[i + 1], ratio)
                                                           : scaleMaxDuration(config.maxDuration, ratio));
    if (std::abs(reached.number() - end.number()) <= kSameEpochs) continue;
    return inStage(
        Error::config(
            "until",
            formatText("scaled by {}, the stage begins at {} and takes {}, but is to end at {}: fractions are dropped, "
                       "so the stages would not add up to the run; choose another scale_schedule_ratio or other ends",
                       formatExact(ratio), begin.text(), length->text(), end.text())),
        stages[i]);
  }
  return {};
}

/// Returns the epochs of the run at the begin of a stage.
double epochsAtStart(const Plan& plan) {
  const Timestamp& start = plan.start();
  const auto perEpoch = plan.runLength().samplesPerEpoch;
  const double inEpoch = perEpoch ? static_cast<double>(start.sampleInEpoch) / static_cast<double>(*perEpoch) : 0.0;
  return static_cast<double>(start.epoch) + inEpoch;
}

bool changesMasks(const std::vector<RunStage>& stages) {
  const double first = stages.front().config.data.mlmProbability;
  return std::ranges::any_of(stages, [&](const RunStage& stage) {
    const DataConfig& data = stage.config.data;
    return data.mlmProbability != first || data.mlmProbabilityEnd.value_or(first) != first;
  });
}

}  // namespace

ResolvedValues valuesOfStage(const ResolvedValues& values, const std::string& stage) {
  if (stage.empty()) return values;
  ResolvedValues own;
  for (const auto& [name, value] : values)
    if (name.starts_with(stage + ".")) own[name.substr(stage.size() + 1)] = value;
  return own;
}

void addStageValues(const ResolvedValues& values, const std::string& stage, ResolvedValues& ofRun) {
  for (const auto& [name, value] : values) ofRun[stage.empty() ? name : stage + "." + name] = value;
}

Timestamp stageStart(const RunStage& stage, const Timestamp& end) {
  return stage.continuesPass || end.unitInEpoch == 0 ? end : end.afterEpoch();
}

Result<RunPlan> RunPlan::make(const TrainConfig& config, const InputOf& inputOf, const MakePlan& makePlan) {
  RunPlan run;
  run.config_ = config;
  run.stages_ = runStages(config);
  run.plans_.reserve(run.stages_.size());
  std::optional<Timestamp> start = Timestamp{};
  Timestamp passStart;
  Time passFrom;
  for (const RunStage& stage : run.stages_) {
    ASSIGN_OR_RETURN(const auto input, inputOf(stage));
    StagePlace place;
    place.start = start.value_or(Timestamp{});
    place.from = stage.from;
    place.continuesPass = stage.continuesPass;
    place.masksChange = changesMasks(run.stages_);
    if (!stage.continuesPass) passStart = place.start, passFrom = place.from;
    place.passStart = passStart;
    place.passFrom = passFrom;
    if (!stage.hasOwnSchedule) {
      place.runDuration = config.maxDuration;
      place.first = run.plans_.empty() ? nullptr : &run.plans_.front();
    }
    Result<Plan> plan = makePlan(stage, input, place);
    if (!plan.ok()) return inStage(plan.error(), stage);
    run.plans_.push_back(std::move(*plan));
    if (start) ++run.plannedTo_;
    if (start && run.plans_.size() < run.stages_.size()) {
      start = run.plans_.back().predictedEnd();
      if (start) start = stageStart(run.stages_[run.plans_.size()], *start);
    }
  }
  return run;
}

Result<RunPlan> RunPlan::resolve(const TrainConfig& config, const InputOf& inputOf) {
  RETURN_IF_ERROR(checkScaledEnds(config));
  return make(config, inputOf, [](const RunStage& stage, const StageInput& input, const StagePlace& place) {
    return Plan::resolve(stage.config, input.lengths, input.devices, {}, place);
  });
}

Result<RunPlan> RunPlan::restore(const TrainConfig& config, const ResolvedValues& resolved, const InputOf& inputOf) {
  return make(config, inputOf, [&](const RunStage& stage, const StageInput& input, const StagePlace& place) {
    return Plan::restore(stage.config, valuesOfStage(resolved, stage.field), input.lengths, input.devices, {}, place);
  });
}

Time RunPlan::maxDuration() const {
  if (plans_.size() == 1) return first().runLength().maxDuration;
  const Result<Time> scaled = scaleMaxDuration(config_.maxDuration, config_.scaleScheduleRatio);
  return scaled.ok() ? *scaled : config_.maxDuration;
}

Plan::Totals RunPlan::totals() const {
  Plan::Totals sum = first().totals();
  for (std::size_t i = 1; i < plans_.size(); ++i) {
    const Plan::Totals stage = plans_[i].totals();
    addTo(sum.epochs, stage.epochs);
    addTo(sum.batches, stage.batches);
    addTo(sum.steps, stage.steps);
    addTo(sum.samples, stage.samples);
    addTo(sum.tokens, stage.tokens);
  }
  return sum;
}

ResolvedValues RunPlan::resolved() const {
  ResolvedValues all;
  for (std::size_t i = 0; i < plans_.size(); ++i) addStageValues(plans_[i].resolved(), stages_[i].field, all);
  return all;
}

std::vector<FieldProblem> RunPlan::notes() const {
  std::vector<FieldProblem> all;
  for (std::size_t i = 0; i < plans_.size(); ++i)
    for (FieldProblem note : plans_[i].notes()) {
      const std::string& stage = stages_[i].field;
      if (!stage.empty()) note.field = note.field.empty() ? stage : stage + "." + note.field;
      all.push_back(std::move(note));
    }
  return all;
}

Result<void> RunPlan::intact() const {
  for (const Plan& plan : plans_) RETURN_IF_ERROR(plan.intact());
  return {};
}

std::vector<PlannedRange> RunPlan::plannedRanges() const {
  std::vector<PlannedRange> all;
  for (std::size_t i = 0; i < plannedTo_; ++i) {
    const std::size_t before = all.size();
    for (PlannedRange stage : plans_[i].ranges()) {
      stage.fromBatch += plans_[i].start().batch;
      if (plans_.size() > 1) stage.tokensPerUnit = tokensPerUnit(plans_[i]);
      all.push_back(stage);
    }
    // A stage of the run ends the last of its own.
    if (i + 1 == plans_.size()) continue;
    const Plan::Totals totals = plans_[i].totals();
    for (std::size_t row = before; row < all.size(); ++row) {
      const bool last = row + 1 == all.size() || !all[row + 1].reached;
      if (!last || !all[row].reached || !totals.batches) continue;
      all[row].globalBatches = plans_[i].start().batch + *totals.batches - all[row].fromBatch;
      if (row == before) all[row].optimizerSteps = totals.steps;
    }
  }
  return all;
}

/// Returns the stage of a place on a clock of the run.
std::size_t RunPlan::stageAt(const Time& place) const {
  std::size_t stage = 0;
  while (stage + 1 < plannedTo_ && clockValue(plans_[stage + 1].start(), place.unit()) <= place.count()) ++stage;
  return stage;
}

Result<Plan::Point> RunPlan::pointAt(const Time& given) const {
  if (plans_.size() == 1) return first().pointAt(given);
  Time time = given;
  const Time length = maxDuration();
  if (time.unit() == TimeUnit::Duration)
    time = length.unit() == TimeUnit::Epoch
               ? Time::epochs(length.number() * time.number())
               : Time::of(static_cast<std::int64_t>(length.number() * time.number()), length.unit());
  std::size_t index = 0;
  if (time.unit() == TimeUnit::Epoch) {
    const double ratio = config_.scaleScheduleRatio;
    const bool counted = length.unit() == TimeUnit::Epoch;
    const auto from = [&](std::size_t i) {
      return counted ? stages_[i].from.number() * ratio : epochsAtStart(plans_[i]);
    };
    // If the length of an epoch is not known, every stage seems to begin in the first one.
    const bool known = counted || plans_.front().runLength().samplesPerEpoch;
    while (known && index + 1 < plannedTo_ && from(index + 1) <= time.number()) ++index;
    if (const auto perEpoch = plans_[index].runLength().samplesPerEpoch; perEpoch && index > 0)
      time = Time::of(std::llround((time.number() - from(index)) * static_cast<double>(*perEpoch)), TimeUnit::Sample);
  } else if (time.unit() != TimeUnit::Second) {
    index = stageAt(time);
    time = Time::of(time.count() - clockValue(plans_[index].start(), time.unit()), time.unit());
  }
  Result<Plan::Point> point = plans_[index].pointAt(time);
  if (!point.ok()) return inStage(point.error(), stages_[index]);
  point->at = plans_[index].inRun(point->at);
  return point;
}

}  // namespace batchwise
