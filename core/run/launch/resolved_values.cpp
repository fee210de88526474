// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resolved_values.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/config/time/run_length.h"
#include "core/plan/plan_report.h"

namespace batchwise {
namespace {

RunIntervals intervalsOf(const TrainConfig& config) {
  RunIntervals all = {{"eval.interval", evalInterval(config)},
                      {"checkpoint.interval", checkpointInterval(config)},
                      {"checkpoint.keep_every", {}},
                      {"log.interval", {config.log.interval}}};
  if (config.checkpoint.keepEvery) all["checkpoint.keep_every"] = {*config.checkpoint.keepEvery};
  return all;
}

Result<std::vector<Time>> readTimes(const std::string& text, const std::string& field) {
  auto times = parseTimeList(text);
  return times.ok() ? times : times.error().within(formatText("stored value {}", field));
}

Result<std::vector<Time>> resolveAll(const std::vector<Time>& intervals, const RunLength& length,
                                     const std::string& field) {
  ASSIGN_OR_RETURN(const auto set, IntervalSet::resolve(intervals, length, AtEnd::Fire, field));
  return set.resolved();
}

/// Returns the length by which the intervals of a stage are resolved: that of the run, with the epochs of the stage.
RunLength intervalLength(const RunPlan& runPlan, std::size_t stage) {
  RunLength length = runPlan.plans()[stage].runLength();
  length.maxDuration = runPlan.maxDuration();
  return length;
}

/// Returns how often each of `intervals` is due in a run of that many global batches, its end included.
Result<std::vector<std::int64_t>> timesDue(const std::vector<Time>& intervals, const RunPlan& plan,
                                           std::int64_t batches) {
  std::vector<std::int64_t> times(intervals.size(), 0);
  std::vector<IntervalSet> sets;
  for (const Time& interval : intervals) {
    ASSIGN_OR_RETURN(sets.emplace_back(),
                     IntervalSet::resolve({interval}, plan.first().runLength(), AtEnd::Fire, "eval.interval"));
  }
  Timestamp before;
  for (std::int64_t batch = 1; batch <= batches; ++batch) {
    ASSIGN_OR_RETURN(const auto after, plan.pointAt(Time::of(batch, TimeUnit::Batch)));
    for (std::size_t i = 0; i < sets.size(); ++i) times[i] += sets[i].anyDue(before, after.at, batch == batches);
    before = after.at;
  }
  return times;
}

/// Returns about how many global batches the run has; nothing if that is only known while it runs.
std::optional<double> roughBatches(const RunPlan& plan) {
  const auto all = resolveAll({Time::duration(1.0)}, intervalLength(plan, 0), "eval.interval");
  if (!all.ok()) return std::nullopt;
  const Time& length = all->front();
  const char* perBatch = length.unit() == TimeUnit::Sample  ? "scheduler.samples_per_batch"
                         : length.unit() == TimeUnit::Token ? "scheduler.tokens_per_batch"
                                                            : nullptr;
  if (perBatch != nullptr) return length.number() / numberNamed(plan.first().resolved(), perBatch).value_or(1.0);
  return length.unit() == TimeUnit::Batch ? std::optional(length.number()) : std::nullopt;
}

/// Returns the default of eval.interval: of the tenth of the run, of its global batches and of its samples, the one
/// that comes nearest to ten evaluations. They differ in short runs, where a tenth is rounded up, and where epochs
/// change their length.
Result<std::vector<Time>> tenthOfRun(const std::vector<Time>& tenth, const RunPlan& plan, std::size_t stage) {
  constexpr std::int64_t kEvaluations = 10;
  constexpr std::int64_t kLong = 200;  // from 82 global batches on, rounding makes no difference
  ASSIGN_OR_RETURN(const auto natural, resolveAll(tenth, intervalLength(plan, stage), "eval.interval"));
  const auto rough = roughBatches(plan);
  const bool sameEpochs = plan.plans().size() == 1 || plan.maxDuration().unit() != TimeUnit::Epoch;
  if (!rough || (sameEpochs && *rough > kLong)) return natural;
  const Plan::Totals totals = plan.totals();
  if (!totals.batches) return natural;
  const Time ofBatches = Time::of(ceilDiv(*totals.batches, kEvaluations), TimeUnit::Batch);
  if (*totals.batches > kLong) return sameEpochs ? natural : std::vector{ofBatches};
  std::vector<Time> choices = {natural.front(), ofBatches};
  if (totals.samples)
    for (const std::int64_t more : {kEvaluations - 1, std::int64_t{0}})
      choices.push_back(Time::of(std::max<std::int64_t>(1, (*totals.samples + more) / kEvaluations), TimeUnit::Sample));
  ASSIGN_OR_RETURN(const auto times, timesDue(choices, plan, *totals.batches));
  const auto best =
      std::ranges::min_element(times, {}, [](std::int64_t count) { return std::abs(count - kEvaluations); });
  return std::vector{choices[static_cast<std::size_t>(best - times.begin())]};
}

/// Resolves the intervals of a field.
Result<std::vector<Time>> resolveField(const std::string& field, const std::vector<Time>& wanted,
                                       const TrainConfig& config, const RunPlan& plan, std::size_t stage) {
  if (field == "eval.interval" && !config.eval.interval && !wanted.empty()) return tenthOfRun(wanted, plan, stage);
  return resolveAll(wanted, intervalLength(plan, stage), field);
}

constexpr const char* kResolved = "resolved";

}  // namespace

Result<RunIntervals> resolveIntervals(const TrainConfig& config, const RunPlan& plan, std::size_t stage) {
  return keepIntervals(config, plan, stage, config, {});
}

Result<RunIntervals> keepIntervals(const TrainConfig& config, const RunPlan& plan, std::size_t stage,
                                   const TrainConfig& before, const ResolvedValues& resolved) {
  RunIntervals intervals;
  const RunIntervals earlier = intervalsOf(before);
  for (const auto& [field, wanted] : intervalsOf(config)) {
    const auto stored = resolved.find(field);
    const bool keeps = stored != resolved.end() && earlier.at(field) == wanted;
    ASSIGN_OR_RETURN(auto times,
                     keeps ? readTimes(stored->second, field) : resolveField(field, wanted, config, plan, stage));
    intervals[field] = std::move(times);
  }
  return intervals;
}

void storeIntervals(const RunIntervals& intervals, ResolvedValues& resolved) {
  for (const auto& [field, times] : intervals) resolved[field] = joined(times, ",", &Time::text);
}

std::string environmentWithValues(const std::string& environment, const ResolvedValues& atLaunch,
                                  const ResolvedValues& now) {
  nlohmann::json object = parseJsonOrDiscarded(environment);
  nlohmann::json differing = nlohmann::json::object();
  for (const auto& [name, value] : now)
    if (const auto before = atLaunch.find(name); before == atLaunch.end() || before->second != value)
      differing[name] = value;
  // Another kind of schedule has other values, so those of the launch no longer apply.
  for (const auto& [name, value] : atLaunch)
    if (name.starts_with("scheduler.") && !now.contains(name)) differing[name] = nullptr;
  object[kResolved] = std::move(differing);
  return object.dump();
}

}  // namespace batchwise
