// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/fork_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/run_stages.h"
#include "core/plan/plan_report.h"
#include "core/plan/schedule/expression.h"
#include "core/plan/schedule/schedule.h"

namespace batchwise {
namespace {

/// Rewrites Times in ba by the samples, or tokens, of a global batch.
struct BatchTimes {
  TimeUnit unit;
  double perBatch;

  Time of(const Time& time) const {
    if (time.unit() != TimeUnit::Batch) return time;
    return Time::of(std::llround(time.number() * perBatch), unit);
  }
};

BatchTimes batchTimes(const TrainConfig& trained, const ResolvedValues& resolved, const Timestamp& at) {
  const bool packs = trained.batch.tokens.enabled();
  const char* const mean = packs ? "scheduler.tokens_per_batch" : "scheduler.samples_per_batch";
  const auto done = static_cast<double>(packs ? at.token : at.sample);
  return {packs ? TimeUnit::Token : TimeUnit::Sample,
          at.batch > 0 ? done / static_cast<double>(at.batch) : numberNamed(resolved, mean).value_or(0)};
}

bool readsBatches(const SchedulerConfig& scheduler) {
  if (scheduler.name == "expression") {
    const auto formula = Expression::parse(scheduler.expression, {"ba", "sp", "tok", "frac"}, "scheduler.expression");
    if (!formula.ok() || formula->uses("ba")) return true;
  }
  return std::ranges::any_of(scheduler.parts, readsBatches);
}

SchedulerConfig rewritten(SchedulerConfig scheduler, const BatchTimes& times, bool rewrites,
                          std::vector<std::string>& changes) {
  for (SchedulerConfig& part : scheduler.parts) {
    part = rewritten(std::move(part), times, rewrites, changes);
    part.rest = false;  // its length is known
  }
  if (!rewrites) return scheduler;
  for (const auto& [name, before] : scheduleTimes(scheduler)) {
    const auto time = Time::parse(before);
    if (name.find(".parts[") == name.npos && time.ok() && time->unit() == TimeUnit::Batch)
      changes.push_back(formatText("{} {} as {}", name.substr(name.find('.') + 1), before, times.of(*time).text()));
  }
  for (auto time : {&scheduler.tWarmup, &scheduler.tMax, &scheduler.stepSize, &scheduler.decayPeriod, &scheduler.t0,
                    &scheduler.tDecay, &scheduler.tCosine, &scheduler.tCooldown, &scheduler.length})
    if (*time) *time = times.of(**time);
  for (Time& milestone : scheduler.milestones) milestone = times.of(milestone);
  return scheduler;
}

std::optional<Time> endOnData(const Time& end, const BatchTimes& times, const ResolvedValues& resolved) {
  if (end.unit() == TimeUnit::Second) return std::nullopt;
  if (end.unit() != TimeUnit::Epoch) return times.of(end);
  const auto samples = numberNamed(resolved, "data.samples_per_epoch");
  if (!samples) return std::nullopt;
  return Time::of(std::llround(end.number() * *samples), TimeUnit::Sample);
}

/// Gives the ramp of the run the Times that were resolved. Returns whether they are known.
bool resolveRamp(const ResolvedValues& resolved, RampupConfig& ramp) {
  const auto named = [&](const char* name) {
    const auto found = resolved.find(name);
    return parseTimeList(found == resolved.end() ? "" : found->second);
  };
  if (ramp.duration) {
    const auto duration = named("batch.rampup.duration");
    if (!duration.ok() || duration->size() != 1) return false;
    ramp.duration = duration->front();
  }
  if (ramp.stages.empty()) return true;
  const auto starts = named("batch.rampup.starts");
  if (!starts.ok() || starts->size() != ramp.stages.size()) return false;
  for (std::size_t i = 0; i < ramp.stages.size(); ++i) ramp.stages[i].at = (*starts)[i];
  return true;
}

}  // namespace

std::optional<CarriedSchedule> carriedSchedule(const TrainConfig& trained, const ResolvedValues& resolved,
                                               const Timestamp& at, BatchClock clock) {
  const auto scheduler = withScheduleTimes(trained.scheduler, resolved);
  const BatchTimes times = batchTimes(trained, resolved, at);
  const auto end = endOnData(trained.maxDuration, times, resolved);
  CarriedSchedule carried{{}, trained.batch.rampup, {}, {}};
  if (!scheduler.ok() || !end || !(times.perBatch > 0) || !resolveRamp(resolved, carried.rampup)) return std::nullopt;
  const bool rewrites = clock == BatchClock::Rewritten;
  if (rewrites && readsBatches(*scheduler)) return std::nullopt;
  std::vector<std::string> changes;
  carried.scheduler = rewritten(*scheduler, times, rewrites, changes);
  carried.end = *end;
  carried.text = joined(changes);
  return carried;
}

bool continuesStages(const Timestamp& at, const TrainConfig& before, const TrainConfig& after) {
  const std::vector<RunStage> trained = runStages(before), next = runStages(after);
  const auto clock = [&at](const TrainConfig& config) { return clockValue(at, config.maxDuration.unit()); };
  if (after.maxDuration.unit() == TimeUnit::Second || after.maxDuration.unit() == TimeUnit::Epoch) return false;
  if (trained.size() > 1 && before.maxDuration.unit() != after.maxDuration.unit()) return false;
  std::size_t index = 0;
  while (index + 1 < trained.size() && trained[index + 1].from.count() < clock(before)) ++index;
  if (next.size() <= index) return false;
  for (std::size_t i = 0; i <= index; ++i)
    if (next[i].changes != trained[i].changes || (i > 0 && next[i].from != trained[i].from)) return false;
  const Time& end = index + 1 < next.size() ? next[index + 1].from : after.maxDuration;
  return clock(after) <= end.count();
}

std::string whyNoFurtherStage(const TrainConfig& trained) {
  if (!trained.stages.empty()) return "it has stages of its own";
  if (trained.batch.growth.enabled()) return "its batch grows by a function (batch.growth)";
  if (trained.batch.rampup.fromSchedule.enabled()) return "its ramp follows its schedule (batch.rampup.from_schedule)";
  if (trained.data.mlmProbabilityEnd) return "its share of masked tokens changes (data.mlm_probability_end)";
  if (trained.scaleScheduleRatio != 1.0) return "its schedule is scaled (scale_schedule_ratio)";
  if (trained.maxDuration.unit() == TimeUnit::Second) return "its length is given in time (max_duration)";
  return {};
}

}  // namespace batchwise
