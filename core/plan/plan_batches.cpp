// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/config/time/time.h"
#include "core/plan/plan_state.h"

// How an optimizer step is distributed to devices and micro-batches.

namespace batchwise {
namespace {

/// Returns the start of the global batch that contains `now`, and its stage. The two depend on each other: completed
/// steps had the size of the stage, and the stage is that of the start. Where a table has smaller sizes after larger
/// ones, several stages may fit: that of the plan for this global batch comes first. Fails with Corrupt for impossible
/// clocks.
Result<std::pair<Timestamp, std::int64_t>> startOf(const PlanState& state, const Timestamp& now) {
  if (now.stepInBatch == 0) return std::pair{now, state.ramp.stageAt(now)};
  const auto withoutSteps = [&](std::int64_t stage) {
    Timestamp start = now;
    start.step -= now.stepInBatch;
    start.stepInBatch = 0;
    start.unitInEpoch -= now.stepInBatch * state.ramp.sizeOf(stage);
    return state.timeline->withCounts(start);
  };
  const auto isPossible = [&](std::int64_t stage) {
    return now.unitInEpoch >= now.stepInBatch * state.ramp.sizeOf(stage);
  };
  const std::int64_t planned = rangeOf(state.ranges, now).rampStage;
  if (isPossible(planned) && now.stepInBatch < state.ramp.shape(planned).steps) {
    const Timestamp start = withoutSteps(planned);
    if (state.ramp.stageAt(start) == planned) return std::pair{start, planned};
  }
  for (std::int64_t stage = state.ramp.stageAt(now); stage >= 0; --stage) {
    if (!isPossible(stage)) continue;
    const Timestamp start = withoutSteps(stage);
    if (stage == 0 || state.ramp.stageAt(start) == stage) return std::pair{start, stage};
  }
  return Error::corrupt(formatText("global batch {} cannot be in its step {} after {} units of the epoch", now.batch,
                                   now.stepInBatch, now.unitInEpoch));
}

/// If the end of a run shortens its last global batch, everything after it starts that much earlier than on the endless
/// timeline. Returns the ranges from there on, with the ramp continued; empty if nothing changes. `start`: the last
/// start on the endless timeline that is not `beyond`.
std::vector<ShapeRange> rangesAfterCutEnd(const PlanState& state, const Timestamp& start,
                                          const std::function<bool(const Timestamp&)>& beyond) {
  const ShapeRange& found = rangeOf(state.ranges, start);
  if (!state.endCuts() || !state.finished(state.timeline->next(start, found.shape, state.end.unit()))) return {};
  const auto end = state.endOfRun();
  if (!end || beyond(end->next())) return {};
  const ShapeRange& last = rangeOf(state.ranges, end->start);
  if (last.rampStage < state.ramp.stages() - 1) return state.timeline->rampRanges(state.ramp, end->next());
  return {{end->next(), last.shape, last.rampStage, last.globalUnits}};
}

/// Returns the next `units` units after `at`, or only those up to the one that reaches `endSample`.
UnitSlice takeUntil(const UnitSource& source, const Timestamp& at, std::int64_t units, std::int64_t endSample) {
  const auto take = [&](std::int64_t count) {
    return source.take(at.epoch, {at.unitInEpoch, at.sampleInEpoch}, count);
  };
  const UnitSlice slice = take(units);
  if (at.sample + slice.counts.samples <= endSample) return slice;
  std::int64_t tooFew = 0;
  std::int64_t enough = slice.units;
  while (enough - tooFew > 1) {
    const std::int64_t middle = tooFew + (enough - tooFew) / 2;
    (at.sample + take(middle).counts.samples >= endSample ? enough : tooFew) = middle;
  }
  return take(enough);
}

/// Splits `count` items into `pieces` ranges as even as possible, larger ones first; returns range `index`.
Plan::MicroBatchRange evenRange(std::int64_t count, std::int64_t pieces, std::int64_t index) {
  const std::int64_t size = count / pieces;
  const std::int64_t larger = count % pieces;
  return {index * size + std::min(index, larger), size + (index < larger ? 1 : 0)};
}

/// Tokens of rows, and their area when each micro-batch is padded to its longest row.
struct RowArea {
  std::int64_t tokens = 0;
  std::int64_t padded = 0;
};

/// Adds a step of an epoch, where one sample is one unit.
Result<void> addStep(const Plan& plan, const Lengths& lengths, std::int64_t epoch, const OptimizerStep& step,
                     RowArea& area) {
  ASSIGN_OR_RETURN(const auto units, plan.unitsOf(epoch, step));
  const std::vector<std::int64_t> distributed =
      balanceUnits(units, plan.devices(), [&lengths](std::int64_t sample) { return lengths.at(sample); });
  for (std::int64_t device = 0; device < plan.devices(); ++device)
    for (const Plan::MicroBatchRange& range : plan.microBatchesOf(step, device)) {
      std::int64_t longest = 0;
      for (std::int64_t unit = range.firstUnit; unit < range.firstUnit + range.units; ++unit) {
        const std::int64_t own = distributed[static_cast<std::size_t>(unit)];
        const std::int64_t length = lengths.at(units[static_cast<std::size_t>(own)].front());
        longest = std::max(longest, length);
        area.tokens += length;
      }
      area.padded += longest * range.units;
    }
  return {};
}

}  // namespace

const ShapeRange& rangeOf(const std::vector<ShapeRange>& ranges, const Timestamp& start) {
  const auto next =
      std::upper_bound(ranges.begin() + 1, ranges.end(), start.batch,
                       [](std::int64_t batch, const ShapeRange& range) { return batch < range.start.batch; });
  return *std::prev(next);
}

Timestamp afterBatch(const Timestamp& start, const GlobalBatch& batch) {
  Timestamp at = start;
  for (const OptimizerStep& step : batch.steps) at = at.afterStep({step.samples, step.tokens, 0.0}, step.units);
  return at.afterBatch();
}

StepSizes PlanState::fullStep(std::int64_t units) const {
  const double share = static_cast<double>(units) / static_cast<double>(derived.globalUnits);
  return {units,
          std::llround(derived.samplesPerBatch * share),
          std::llround(derived.tokensPerBatch * share),
          units,
          units,
          derived.globalUnits};
}

std::optional<double> PlanState::beta2Of(double tokens) const {
  const auto& halfLife = config.optimizer.beta2HalfLife;
  if (!halfLife) return std::nullopt;
  // The optimizer divides by its logarithm.
  return std::clamp(std::exp2(-tokens / halfLife->number()), std::numeric_limits<double>::min(), 1.0 - 0x1p-53);
}

double PlanState::weightDecayFactor(const StepSizes& sizes) const {
  const double scale = learningRate->scale(sizes);
  if (config.optimizer.weightDecayFollows == WeightDecayClock::Steps || scale <= 0.0) return 1.0;
  return static_cast<double>(sizes.units) / static_cast<double>(derived.globalUnits) *
         (learningRate->scale(fullStep(derived.globalUnits)) / scale);
}

double PlanState::maskProbability(const Timestamp& now) const {
  const DataConfig& data = config.data;
  if (!derived.maskRateEnd || !data.mlmProbabilityEnd) return data.mlmProbability;
  const double length = derived.maskRateEnd->number();
  const auto clock = static_cast<double>(clockValue(now, derived.maskRateEnd->unit()));
  return linearCurve(length > 0.0 ? clock / length : 1.0, data.mlmProbability, *data.mlmProbabilityEnd);
}

Result<GlobalBatch> PlanState::batchFrom(const Timestamp& start, const ShapeRange& range, RunEnd runEnd) const {
  const bool cuts = runEnd == RunEnd::Cuts;
  GlobalBatch batch;
  batch.batch = start.batch;
  batch.epoch = start.epoch;
  batch.maskProbability = maskProbability(start);
  batch.scheduleFactor = learningRate->factor(start);
  const bool negative = cuts && batch.scheduleFactor < 0.0 && learningRate->usesExpression();
  if (!std::isfinite(batch.scheduleFactor) || negative)
    return Error::config("scheduler",
                         formatText("the factor is {} at {}; it must be finite and not negative",
                                    formatValue(batch.scheduleFactor), Time::of(start.batch, TimeUnit::Batch).text()));
  const std::int64_t endSample =
      cuts && end.unit() == TimeUnit::Sample ? end.count() : std::numeric_limits<std::int64_t>::max();
  const auto sizesOf = [&](const OptimizerStep& step) {
    return StepSizes{step.units,        step.samples,       step.tokens, range.shape.stepUnits,
                     range.globalUnits, derived.globalUnits};
  };
  Timestamp at = start;
  while (std::ssize(batch.steps) < range.shape.steps && !batch.endsEpoch && !batch.endsRun) {
    // The run ends with the unit that reaches max_duration.
    const auto [units, counts, reachesEnd] = takeUntil(*source, at, range.shape.stepUnits, endSample);
    if (units == 0) break;
    const OptimizerStep step{at.unitInEpoch, at.sampleInEpoch, units, counts.samples, counts.tokens};
    batch.steps.push_back(step);
    OptimizerStep& added = batch.steps.back();
    added.learningRate = learningRate->rate(batch.scheduleFactor, sizesOf(step));
    added.beta2 = beta2Of(static_cast<double>(counts.tokens));
    added.weightDecayFactor = weightDecayFactor(sizesOf(step));
    at = at.afterStep({counts.samples, counts.tokens, 0.0}, units);
    batch.endsEpoch = reachesEnd;
    batch.endsRun = cuts && endCuts() && finished(at);
  }
  if (batch.steps.empty())
    return Error::internal(formatText("epoch {} has no unit {}", start.epoch, start.unitInEpoch));
  at = at.afterBatch();
  const Timestamp next = batch.endsEpoch ? at.afterEpoch() : at;
  if (cuts) batch.endsRun = finished(next) && end.unit() != TimeUnit::Second;
  if (config.scheduler.withinBatch == WithinBatch::Hold || batch.steps.size() == 1) return batch;
  const double change = learningRate->factor(next) - batch.scheduleFactor;
  if (!std::isfinite(change)) return batch;  // the next global batch fails
  for (std::size_t step = 1; step < batch.steps.size(); ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(batch.steps.size());
    batch.steps[step].learningRate =
        learningRate->rate(batch.scheduleFactor + share * change, sizesOf(batch.steps[step]));
  }
  return batch;
}

Result<void> PlanState::visitEpoch(std::int64_t epoch,
                                   const std::function<Result<bool>(const GlobalBatch&)>& visit) const {
  Timestamp at = timeline->lastBefore(ranges, TimeUnit::Epoch, [&](const Timestamp& start) {
    return start.epoch > epoch || (start.epoch == epoch && start.unitInEpoch > 0);
  });
  while (at.epoch == epoch) {
    ASSIGN_OR_RETURN(const auto batch, batchFrom(at, rangeOf(ranges, at), RunEnd::Ignored));
    ASSIGN_OR_RETURN(const bool more, visit(batch));
    if (!more || batch.endsEpoch) break;
    at = afterBatch(at, batch);
  }
  return {};
}

Result<GlobalBatch> Plan::globalBatchAt(const Timestamp& now, const GrowthState& growth) const {
  ASSIGN_OR_RETURN(const auto found, startOf(*state_, state_->inStage(now)));
  const auto& [start, stage] = found;
  ShapeRange range{start, state_->ramp.shape(stage), stage, state_->ramp.target()};
  if (state_->growth && growth.globalUnits > 0 && stage == state_->ramp.stages() - 1 &&
      growth.globalUnits != range.globalUnits) {
    range.globalUnits = growth.globalUnits;
    range.shape = {growth.globalUnits, 1};
  }
  return state_->batchFrom(start, range, PlanState::RunEnd::Cuts);
}

double Plan::maskProbability(const Timestamp& now) const {
  return state_->maskProbability(state_->inStage(now));
}

bool Plan::changesMaskProbability() const {
  return state_->place.masksChange || (state_->derived.maskRateEnd && state_->config.data.mlmProbabilityEnd);
}

double Plan::factorOf(const GlobalBatch& batch) const {
  const double rate = batch.steps.back().learningRate;
  const double base = state_->config.optimizer.lr;
  return base == 0.0 || rate == base * batch.scheduleFactor ? batch.scheduleFactor : rate / base;
}

Result<Plan::Point> Plan::pointAt(const Time& time) const {
  ASSIGN_OR_RETURN(auto place, time.unit() == TimeUnit::Epoch && time.isWhole()
                                   ? Result<Time>{time}
                                   : resolveTime(time, state_->derived.run, 1.0, "--at"));
  const auto beyond = [&](const Timestamp& at) {
    if (place.unit() != TimeUnit::Epoch) return clockValue(at, place.unit()) > place.count();
    return at.epoch > place.count() || (at.epoch == place.count() && at.unitInEpoch > 0);
  };
  std::vector<ShapeRange> ranges = state_->ranges;
  Timestamp start = state_->timeline->lastBefore(ranges, place.unit(), beyond);
  if (auto behind = rangesAfterCutEnd(*state_, start, beyond); !behind.empty()) {
    ranges = std::move(behind);
    start = state_->timeline->lastBefore(ranges, place.unit(), beyond);
  }
  const ShapeRange& range = rangeOf(ranges, start);
  if (!beyond(state_->timeline->next(start, range.shape, place.unit())))
    return Error::config(formatText("--at: {} is too far to plan ahead; ask for an earlier place", time.text()));
  const auto runEnd = state_->finished(start) ? PlanState::RunEnd::Ignored : PlanState::RunEnd::Cuts;
  ASSIGN_OR_RETURN(const auto batch, state_->batchFrom(start, range, runEnd));
  Point point{start, factorOf(batch), batch.steps.back().learningRate};
  for (const OptimizerStep& step : batch.steps) {
    point.stepSamples = std::max(point.stepSamples, step.samples);
    point.globalBatchSamples += step.samples;
  }
  point.maskProbability = batch.maskProbability;
  return point;
}

Result<std::vector<GlobalBatch>> Plan::batchesOfEpoch(std::int64_t epoch) const {
  std::vector<GlobalBatch> batches;
  RETURN_IF_ERROR(state_->visitEpoch(epoch, [&](const GlobalBatch& batch) -> Result<bool> {
    batches.push_back(batch);
    return true;
  }));
  if (batches.empty())
    return Error::config(formatText("--epoch: {} is too far to plan ahead; use a smaller one", epoch));
  return batches;
}

double sequenceCost(std::int64_t tokens) {
  constexpr double kTokensWhereAttentionIsHalf = 6.0 * 768.0;
  const auto length = static_cast<double>(tokens);
  return length + length * length / kTokensWhereAttentionIsHalf;
}

std::vector<std::int64_t> balanceAcrossDevices(std::span<const double> costs, std::int64_t devices) {
  const std::int64_t count = std::ssize(costs);
  std::vector<std::int64_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  if (devices <= 1) return order;
  std::stable_sort(order.begin(), order.end(), [&costs](std::int64_t left, std::int64_t right) {
    return costs[static_cast<std::size_t>(left)] > costs[static_cast<std::size_t>(right)];
  });
  struct DeviceLoad {
    std::vector<std::int64_t> units;
    std::size_t room = 0;
    double cost = 0;
  };
  std::vector<DeviceLoad> loads(static_cast<std::size_t>(devices));
  for (std::size_t device = 0; device < loads.size(); ++device)
    loads[device].room =
        static_cast<std::size_t>(count / devices + (static_cast<std::int64_t>(device) < count % devices ? 1 : 0));
  for (const std::int64_t unit : order) {
    DeviceLoad* least = nullptr;
    for (DeviceLoad& load : loads)
      if (load.units.size() < load.room && (least == nullptr || load.cost < least->cost)) least = &load;
    least->units.push_back(unit);
    least->cost += costs[static_cast<std::size_t>(unit)];
  }
  order.clear();
  for (DeviceLoad& load : loads) {
    std::sort(load.units.begin(), load.units.end());
    order.insert(order.end(), load.units.begin(), load.units.end());
  }
  return order;
}

std::vector<std::int64_t> balanceUnits(const std::vector<std::vector<std::int64_t>>& units, std::int64_t devices,
                                       const std::function<std::int64_t(std::int64_t sample)>& tokensOf) {
  std::vector<double> costs(units.size(), 0.0);
  if (devices > 1)
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const std::int64_t sample : units[unit]) costs[unit] += sequenceCost(tokensOf(sample));
  return balanceAcrossDevices(costs, devices);
}

std::int64_t PlanState::microBatches(std::int64_t stepUnits) const {
  return ceilDiv(ceilDiv(stepUnits, devices.devices), derived.microbatchUnits);
}

Result<std::vector<std::vector<std::int64_t>>> Plan::unitsOf(std::int64_t epoch, const OptimizerStep& step) const {
  auto units = state_->source->members(epoch, {step.firstUnit, step.firstSample}, step.units);
  if (std::ssize(units) != step.units)
    return Error::internal(
        formatText("epoch {} has no units {} to {}", epoch, step.firstUnit, step.firstUnit + step.units));
  return units;
}

std::vector<Plan::MicroBatchRange> Plan::microBatchesOf(const OptimizerStep& step, std::int64_t device) const {
  const MicroBatchRange mine = evenRange(step.units, state_->devices.devices, device);
  const std::int64_t passes = state_->microBatches(step.units);
  std::vector<MicroBatchRange> ranges;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const MicroBatchRange range = evenRange(mine.units, passes, pass);
    ranges.push_back({mine.firstUnit + range.firstUnit, range.units});
  }
  return ranges;
}

std::optional<double> Plan::fill(std::int64_t epoch) const {
  return state_->packs ? std::optional{state_->packs->fill(epoch)} : std::nullopt;
}

Result<std::optional<double>> Plan::paddedFill() const {
  constexpr std::int64_t kEnough = std::int64_t{1} << 22;
  if (state_->packs || !state_->lengths) return std::optional<double>{};
  RowArea area;
  std::int64_t samples = 0;
  const auto addBatch = [&](const GlobalBatch& batch) -> Result<bool> {
    for (const OptimizerStep& step : batch.steps) {
      RETURN_IF_ERROR(addStep(*this, *state_->lengths, batch.epoch, step, area));
      samples += step.samples;
    }
    return samples < kEnough;
  };
  RETURN_IF_ERROR(state_->visitEpoch(state_->begin().epoch, addBatch));
  return std::optional{area.padded > 0 ? static_cast<double>(area.tokens) / static_cast<double>(area.padded) : 1.0};
}

}  // namespace batchwise
