// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/seesaw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/config/default_values.h"

namespace batchwise {
namespace {

constexpr const char* kFromSchedule = "batch.rampup.from_schedule.factor";

struct Peak {
  std::int64_t at = 0;
  double factor = 0.0;
};

/// Returns the first place of the largest factor, of some thousands. Fails with Config if the schedule rises later.
Result<Peak> peakOf(const DecayCurve& curve) {
  constexpr std::int64_t kTried = 8192;
  constexpr double kRounding = 1e-9;
  std::vector<std::int64_t> places = {curve.end - 1};
  for (std::int64_t at = 0; at < curve.end; at += std::max<std::int64_t>(1, curve.end / kTried)) places.push_back(at);
  if (curve.warmup < curve.end) places.push_back(curve.warmup);
  std::ranges::sort(places);
  Peak peak;
  for (const std::int64_t at : places)
    if (const double factor = curve.factor(at); factor > peak.factor) peak = {at, factor};
  double before = peak.factor;
  for (const std::int64_t at : places) {
    if (at < peak.at) continue;
    const double factor = curve.factor(at);
    if (!(factor <= before + kRounding * peak.factor))
      return Error::config(kFromSchedule,
                           formatText("cannot follow the schedule, which rises at {}: a batch that has grown "
                                      "does not shrink again; use a schedule that only falls after its "
                                      "warm-up, or give batch.rampup.stages",
                                      Time::of(at, curve.unit).text()));
    before = factor;
  }
  return peak;
}

/// Returns the schedule of a plan without a ramp on its clock.
Result<DecayCurve> curveOf(const PlanState& state) {
  const DerivedValues& derived = state.derived;
  ASSIGN_OR_RETURN(const Time end, endOfPlan(state));
  if (end.unit() == TimeUnit::Second)
    return Error::config(kFromSchedule,
                         formatText("needs to know how far the schedule falls, and the length of a run of {} is "
                                    "only known while it runs; give max_duration in tok, sp, ba or ep",
                                    end.text()));
  DecayCurve curve;
  const TimeUnit clocks[] = {end.unit(), TimeUnit::Token, TimeUnit::Sample, TimeUnit::Batch};
  const auto* clock = std::ranges::find_if(
      clocks, [&](TimeUnit unit) { return unit != TimeUnit::Epoch && usesOnlyClock(derived.scheduler, unit); });
  if (clock == std::end(clocks))
    return Error::config(kFromSchedule,
                         "cannot follow a schedule that reads several clocks; give all its times in the same unit");
  curve.unit = *clock;
  const double samples = derived.samplesAt(derived.run.maxDuration);
  const double perSample = curve.unit == TimeUnit::Token   ? derived.tokensPerBatch / derived.samplesPerBatch
                           : curve.unit == TimeUnit::Batch ? 1.0 / derived.samplesPerBatch
                                                           : 1.0;
  curve.end = end.unit() == curve.unit ? end.count()
                                       : std::max<std::int64_t>(1, static_cast<std::int64_t>(samples * perSample));
  if (derived.scheduler.tWarmup) curve.warmup = derived.scheduler.tWarmup->count();
  ASSIGN_OR_RETURN(
      const auto schedule,
      Schedule::make(derived.scheduler, {state.config.optimizer.lr, derived.samplesPerBatch, derived.tokensPerBatch}));
  curve.factor = [schedule, unit = curve.unit](std::int64_t at) {
    Timestamp now;
    (unit == TimeUnit::Batch ? now.batch : unit == TimeUnit::Sample ? now.sample : now.token) = at;
    return schedule.factor(now);
  };
  return curve;
}

}  // namespace

Result<std::vector<RampLevelConfig>> seesawStages(const DecayCurve& curve, std::int64_t initial, double factor,
                                                  std::int64_t cap) {
  constexpr double kRounding = 1.0 + 1e-12;
  constexpr double kLastStep = 1.05;  // a stage that would grow by less is not worth one: 1.41^4 is almost 4
  ASSIGN_OR_RETURN(const Peak peak, peakOf(curve));
  const double largest = static_cast<double>(cap) / static_cast<double>(initial);
  std::vector<RampLevelConfig> stages = {{Time::of(0, curve.unit), initial}};
  double growth = 1.0;
  for (int stage = 1; growth < largest; ++stage) {
    growth = std::pow(factor, stage);
    if (growth * kLastStep > largest) growth = largest;
    const auto hasFallen = [&](std::int64_t at) { return curve.factor(at) * growth <= peak.factor * kRounding; };
    if (!hasFallen(curve.end - 1)) break;
    std::int64_t before = peak.at;
    std::int64_t at = curve.end - 1;
    while (at - before > 1) {
      const std::int64_t middle = before + (at - before) / 2;
      (hasFallen(middle) ? at : before) = middle;
    }
    const std::int64_t size = std::llround(static_cast<double>(initial) * growth);
    if (size == stages.back().globalTrainBatchSize) continue;
    const RampLevelConfig level{Time::of(at, curve.unit), size};
    if (level.at == stages.back().at)
      stages.back() = level;
    else
      stages.push_back(level);
  }
  if (stages.size() == 1)
    return Error::config(
        kFromSchedule,
        formatText("finds no decay: the schedule ends at {} of its peak, and the first stage begins at {}; use "
                   "a schedule that decays, such as linear_with_warmup, or a smaller factor",
                   formatValue(peak.factor > 0.0 ? curve.factor(curve.end - 1) / peak.factor : 1.0),
                   formatValue(1.0 / factor)));
  return stages;
}

TrainConfig withSeesawScaling(TrainConfig config) {
  if (!config.batch.rampup.fromSchedule.enabled()) return config;
  config.lrScaling = {};
  config.lrScaling.method = LrScalingMethod::Sqrt;
  config.lrScaling.appliesTo = {StepSizeCause::Rampup};
  config.lrScaling.referenceBatchSize = config.batch.globalTrainBatchSize;
  return config;
}

Result<void> expandSeesaw(PlanState& state, const std::function<Result<void>(PlanState&)>& derive) {
  constexpr int kRounds = 4;
  const SeesawConfig seesaw = state.config.batch.rampup.fromSchedule;
  if (!seesaw.enabled()) return {};
  if (state.place.runDuration)
    return Error::config(kFromSchedule,
                         "cannot follow a schedule that goes on over several stages of the run; give each stage its "
                         "own schedule, or leave stages out");
  const std::int64_t initial = state.config.batch.globalTrainBatchSize;
  const std::int64_t cap = largestGlobalBatch(state.config.batch);
  state.config = withSeesawScaling(std::move(state.config));
  state.config.batch.rampup = {};
  state.config.batch.globalTrainBatchSize = cap;
  // A run measured in global batches is shorter if the schedule does not fall far enough for the cap.
  for (int round = 0; round < kRounds; ++round) {
    PlanState plain = state;
    RETURN_IF_ERROR(derive(plain));
    ASSIGN_OR_RETURN(const auto curve, curveOf(plain));
    ASSIGN_OR_RETURN(state.config.batch.rampup.stages, seesawStages(curve, initial, *seesaw.factor, cap));
    const std::int64_t last = state.config.batch.rampup.stages.back().globalTrainBatchSize;
    if (std::exchange(state.config.batch.globalTrainBatchSize, last) == last) break;
    if (round + 1 < kRounds) state.config.batch.rampup = {};
  }
  return {};
}

void noteSeesaw(const TrainConfig& given, PlanState& state) {
  if (!given.batch.rampup.fromSchedule.enabled()) return;
  const std::int64_t initial = given.batch.globalTrainBatchSize;
  const std::int64_t last = state.derived.globalUnits;
  if (given.maxDuration.unit() == TimeUnit::Batch)
    state.note("max_duration",
               formatText("{} are global batches of {} samples, the last size of the ramp; with a "
                          "constant batch of {} the run would be shorter; give tok, sp or ep to compare",
                          given.maxDuration.text(), last, initial));
  if (given.optimizer.weightDecay > 0.0)
    state.note("optimizer.weight_decay",
               formatText("{} is not what Seesaw was tried with: {}its source has 0 (arXiv 2510.14717)",
                          formatValue(given.optimizer.weightDecay),
                          given.optimizer.weightDecayFollows == WeightDecayClock::Steps
                              ? "it acts per step, so that fewer steps decay the weights less; "
                              : ""));
  for (const ShapeRange& range : state.ranges) {
    if (state.finished(range.start)) break;
    if (range.shape.stepUnits <= initial) continue;
    const auto limit =
        criticalBatchAt(given.batch.growth.criticalBatch, static_cast<double>(state.inRun(range.start).token));
    const auto above =
        limit ? aboveCriticalBatch(range.shape.stepUnits, *limit, "the critical batch there") : std::nullopt;
    if (!above) continue;
    state.notes.push_back(*above);
    break;
  }
  if (state.growth) return;
  const Plan::Totals totals = state.countTotals();
  if (!totals.samples || !totals.steps) return;
  const auto constant = state.timeline->firstWhere(state.begin(), {initial, 1}, TimeUnit::Sample,
                                                   [&](const Timestamp& at) { return at.sample >= *totals.samples; });
  if (!constant || constant->step == 0) return;
  const double saved = 1.0 - static_cast<double>(*totals.steps) / static_cast<double>(constant->step);
  state.note(kFromSchedule,
             formatText("{} steps instead of {} with a constant batch of {}, {} % fewer; the rate follows the "
                        "square root of the step size",
                        formatInteger(*totals.steps), formatInteger(constant->step), formatInteger(initial),
                        formatValue(std::round(saved * 1000.0) / 10.0)));
}

std::optional<FieldProblem> aboveCriticalBatch(std::int64_t largest, double limit, std::string_view name) {
  if (static_cast<double>(largest) <= limit) return std::nullopt;
  return FieldProblem{"batch.rampup.from_schedule.cap",
                      formatText("steps grow to {} samples, above {} of {}: a larger batch no longer replaces a lower "
                                 "rate, and the loss ends higher; use a smaller cap",
                                 formatInteger(largest), name, formatValue(limit))};
}

}  // namespace batchwise
