// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/plan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "core/base/return_if_error.h"
#include "core/batch/balance.h"
#include "core/batch/messages.h"
#include "core/batch/plan_state.h"
#include "core/time/arithmetic.h"

namespace batchwise {
namespace {

/// Returns `now` minus `parts` steps of `stepUnits`.
Timestamp withoutParts(const Timestamp& now, std::int64_t parts, std::int64_t stepUnits, const UnitSource& source) {
  Timestamp start = now;
  start.step -= parts;
  start.partInBatch = 0;
  start.unitInEpoch -= parts * stepUnits;
  const UnitCounts counts = source.before(now.epoch, start.unitInEpoch);
  start.sample -= now.sampleInEpoch - counts.samples;
  start.token -= now.tokenInEpoch - counts.tokens;
  start.sampleInEpoch = counts.samples;
  start.tokenInEpoch = counts.tokens;
  return start;
}

/// Returns the start of the global batch that contains `now`, and its stage. The two depend on each other: completed
/// parts had the size of the stage, and the stage is that of the start. Fails with Corrupt for impossible clocks.
Result<std::pair<Timestamp, std::int64_t>> startOf(const PlanState& state, const Timestamp& now) {
  if (now.partInBatch == 0) return std::pair{now, state.ramp.stageAt(now)};
  for (std::int64_t stage = state.ramp.stageAt(now); stage > 0; --stage) {
    if (now.unitInEpoch < now.partInBatch * state.ramp.sizeOf(stage)) continue;
    const Timestamp start = withoutParts(now, now.partInBatch, state.ramp.sizeOf(stage), *state.source);
    if (state.ramp.stageAt(start) == stage) return std::pair{start, stage};
  }
  if (now.unitInEpoch < now.partInBatch * state.ramp.sizeOf(0))
    return Error::corrupt(messages::planPositionInconsistent(now.batch, now.partInBatch, now.unitInEpoch));
  return std::pair{withoutParts(now, now.partInBatch, state.ramp.sizeOf(0), *state.source), std::int64_t{0}};
}

/// Tokens of rows, and their area when each micro-batch is padded to its longest row.
struct RowArea {
  std::int64_t tokens = 0;
  std::int64_t padded = 0;
};

/// Adds a part of the first epoch, where one sample is one unit.
Result<void> addPart(const Plan& plan, const Lengths& lengths, const Part& part, RowArea& area) {
  ASSIGN_OR_RETURN(const auto units, plan.unitsOf(0, part));
  const std::vector<std::int64_t> dealt =
      balanceUnits(units, plan.devices(), [&lengths](std::int64_t sample) { return lengths.at(sample); });
  for (std::int64_t device = 0; device < plan.devices(); ++device)
    for (const Plan::MicroBatchRange& range : plan.microBatchesOf(part, device)) {
      std::int64_t longest = 0;
      for (std::int64_t unit = range.firstUnit; unit < range.firstUnit + range.units; ++unit) {
        const std::int64_t own = dealt[static_cast<std::size_t>(unit)];
        const std::int64_t length = lengths.at(units[static_cast<std::size_t>(own)].front());
        longest = std::max(longest, length);
        area.tokens += length;
      }
      area.padded += longest * range.units;
    }
  return {};
}

/// Splits `count` items into `pieces` ranges as even as possible, larger ones first; returns range `index`.
Plan::MicroBatchRange evenRange(std::int64_t count, std::int64_t pieces, std::int64_t index) {
  const std::int64_t size = count / pieces;
  const std::int64_t larger = count % pieces;
  return {index * size + std::min(index, larger), size + (index < larger ? 1 : 0)};
}

/// If the end of a run shortens its last global batch, everything after it starts that much earlier than on the endless
/// timeline. Returns the segments from there on, with the ramp continued; empty if nothing changes. `start`: the last
/// start on the endless timeline that is not `beyond`.
std::vector<Segment> segmentsAfterCutEnd(const PlanState& state, const Timestamp& start,
                                         const std::function<bool(const Timestamp&)>& beyond) {
  const Segment& found = segmentOf(state.segments, start);
  if (!state.endCuts() || !state.finished(state.timeline->advance(start, found.shape, 1))) return {};
  const auto end = state.endOfRun();
  if (!end || beyond(end->next())) return {};
  const Segment& last = segmentOf(state.segments, end->start);
  if (last.stage < state.ramp.stages() - 1) return state.timeline->rampSegments(state.ramp, end->next());
  return {{end->next(), last.shape, last.stage, last.globalUnits}};
}

}  // namespace

Result<GlobalBatch> Plan::globalBatchAt(const Timestamp& now, const GrowthState& growth) const {
  ASSIGN_OR_RETURN(const auto found, startOf(*state_, now));
  const auto& [start, stage] = found;
  Segment segment{start, state_->ramp.shape(stage), stage, state_->ramp.target()};
  if (state_->growth && growth.globalUnits > 0 && stage == state_->ramp.stages() - 1 &&
      growth.globalUnits != segment.globalUnits) {
    segment.globalUnits = growth.globalUnits;
    segment.shape = {growth.globalUnits, 1};
  }
  return state_->batchFrom(start, segment, PlanState::RunEnd::Cuts);
}

Result<std::vector<std::vector<std::int64_t>>> Plan::unitsOf(std::int64_t epoch, const Part& part) const {
  auto units = state_->source->members(epoch, {part.firstUnit, part.firstSample}, part.units);
  if (static_cast<std::int64_t>(units.size()) != part.units)
    return Error::internal(messages::planEpochLacksUnits(epoch, part.firstUnit, part.firstUnit + part.units));
  return units;
}

std::vector<Plan::MicroBatchRange> Plan::microBatchesOf(const Part& part, std::int64_t device) const {
  const MicroBatchRange mine = evenRange(part.units, state_->devices.devices, device);
  const std::int64_t passes = state_->microBatches(part.units);
  std::vector<MicroBatchRange> ranges;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    MicroBatchRange range = evenRange(mine.units, passes, pass);
    range.firstUnit += mine.firstUnit;
    ranges.push_back(range);
  }
  return ranges;
}

GrowthState Plan::initialGrowth() const {
  GrowthState growth;
  growth.globalUnits = state_->derived.globalUnits;
  return growth;
}

bool Plan::growthDue(const Timestamp& now, const GrowthState& state) const {
  return state_->growthDue(now, state);
}

Result<Plan::Grown> Plan::grow(const Timestamp& now, const GrowthState& state, std::optional<double> noiseScale) const {
  if (!state_->growth) return Grown{state, "", std::nullopt};
  std::optional<double> loss;
  if (state.lossCount > 0) loss = state.lossSum / static_cast<double>(state.lossCount);
  const GrowthRule::Evaluation answer = state_->growth->evaluate({now.epoch, state.globalUnits, loss, noiseScale});
  GrowthState next;
  next.globalUnits = answer.size;
  next.evaluatedAt = now;
  return Grown{next, answer.note, answer.boundedAt};
}

bool Plan::finished(const Timestamp& now) const {
  return state_->finished(now);
}

double Plan::fractionDone(const Timestamp& now) const {
  return std::clamp(batchwise::fractionDone(now, state_->derived.run), 0.0, 1.0);
}

double Plan::scheduleFactor(const Timestamp& now) const {
  return state_->factorAt(now);
}

Result<void> Plan::intact() const {
  return state_->lengths ? state_->lengths->intact() : Result<void>();
}

const RunLength& Plan::runLength() const {
  return state_->derived.run;
}

Result<Plan::Point> Plan::pointAt(const Time& time) const {
  ASSIGN_OR_RETURN(auto place, time.unit() == TimeUnit::Epoch && time.isWhole()
                                   ? Result<Time>{time}
                                   : resolveTime(time, state_->derived.run, 1.0, "--at"));
  const auto beyond = [&](const Timestamp& at) {
    if (place.unit() != TimeUnit::Epoch) return clockValue(at, place.unit()) > place.count();
    return at.epoch > place.count() || (at.epoch == place.count() && at.unitInEpoch > 0);
  };
  std::vector<Segment> segments = state_->segments;
  Timestamp start = state_->timeline->lastBefore(segments, beyond);
  if (auto behind = segmentsAfterCutEnd(*state_, start, beyond); !behind.empty()) {
    segments = std::move(behind);
    start = state_->timeline->lastBefore(segments, beyond);
  }
  const Segment& segment = segmentOf(segments, start);
  if (!beyond(state_->timeline->advance(start, segment.shape, 1)))
    return Error::config(messages::planTimeTooFarAhead(time.text()));
  const auto runEnd = state_->finished(start) ? PlanState::RunEnd::Ignored : PlanState::RunEnd::Cuts;
  ASSIGN_OR_RETURN(const auto batch, state_->batchFrom(start, segment, runEnd));
  Point point;
  point.at = start;
  point.learningRate = batch.parts.back().learningRate;
  point.factor = state_->scaling.active() && state_->config.optimizer.lr != 0.0
                     ? point.learningRate / state_->config.optimizer.lr
                     : batch.scheduleFactor;
  for (const Part& part : batch.parts) {
    point.stepSamples = std::max(point.stepSamples, part.samples);
    point.globalBatchSamples += part.samples;
  }
  return point;
}

Result<std::vector<GlobalBatch>> Plan::batchesOfEpoch(std::int64_t epoch) const {
  const auto beyond = [&](const Timestamp& at) {
    return at.epoch > epoch || (at.epoch == epoch && at.unitInEpoch > 0);
  };
  Timestamp at = state_->timeline->lastBefore(state_->segments, beyond);
  std::vector<GlobalBatch> batches;
  while (at.epoch == epoch) {
    ASSIGN_OR_RETURN(auto batch, state_->batchFrom(at, segmentOf(state_->segments, at), PlanState::RunEnd::Ignored));
    for (const Part& part : batch.parts) at = at.afterStep({part.samples, part.tokens, 0.0}, part.units);
    at = at.afterBatch();
    if (batch.endsEpoch) at = at.afterEpoch();
    batches.push_back(std::move(batch));
  }
  if (batches.empty()) return Error::config(messages::planEpochTooFarAhead(epoch));
  return batches;
}

const std::vector<PlannedStage>& Plan::stages() const {
  return state_->stages;
}
Plan::Totals Plan::totals() const {
  std::call_once(state_->lazyTotals->once, [&] { state_->lazyTotals->totals = state_->countTotals(); });
  return state_->lazyTotals->totals;
}
const ResolvedValues& Plan::resolved() const {
  return state_->resolved;
}
const std::vector<Message>& Plan::notes() const {
  return state_->notes;
}
std::optional<double> Plan::fill(std::int64_t epoch) const {
  if (!state_->packs) return std::nullopt;
  return state_->packs->fill(epoch);
}
Result<std::optional<double>> Plan::paddedFill() const {
  constexpr std::int64_t kEnough = std::int64_t{1} << 22;
  if (state_->packs || !state_->lengths) return std::optional<double>{};
  RowArea area;
  Timestamp at;
  while (at.epoch == 0 && at.sample < kEnough) {
    ASSIGN_OR_RETURN(const auto batch,
                     state_->batchFrom(at, segmentOf(state_->segments, at), PlanState::RunEnd::Ignored));
    for (const Part& part : batch.parts) {
      RETURN_IF_ERROR(addPart(*this, *state_->lengths, part, area));
      at = at.afterStep({part.samples, part.tokens, 0.0}, part.units);
    }
    at = at.afterBatch();
    if (batch.endsEpoch) at = at.afterEpoch();
  }
  return std::optional{area.padded > 0 ? static_cast<double>(area.tokens) / static_cast<double>(area.padded) : 1.0};
}
std::vector<SkippedSample> Plan::skipped(std::int64_t epoch) const {
  return state_->packs ? state_->packs->skipped(epoch) : std::vector<SkippedSample>{};
}
std::int64_t Plan::devices() const {
  return state_->devices.devices;
}
bool Plan::countsPacks() const {
  return state_->packs != nullptr;
}
double Plan::baseRate() const {
  return state_->config.optimizer.lr;
}
std::int64_t Plan::microbatchUnits() const {
  return state_->derived.microbatchUnits;
}

Plan Plan::withMicrobatch(std::int64_t units) const {
  auto changed = std::make_shared<PlanState>(*state_);
  changed->derived.microbatchUnits = std::max<std::int64_t>(1, units);
  for (PlannedStage& stage : changed->stages) {
    stage.microbatchUnits = changed->derived.microbatchUnits;
    stage.microBatchesPerStep = changed->microBatches(stage.stepUnits);
  }
  changed->resolved["batch.device_train_microbatch_size"] = std::to_string(changed->derived.microbatchUnits);
  return Plan(std::move(changed));
}

}  // namespace batchwise
