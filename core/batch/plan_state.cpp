// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/plan_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/return_if_error.h"
#include "core/batch/messages.h"
#include "core/time/arithmetic.h"
#include "core/time/interval.h"

namespace batchwise {
namespace {

/// Maximum number of growth evaluations predicted for the table of stages; sizes beyond are only known at run time.
constexpr int kMaxPredictedEvaluations = 10'000;

/// Maximum steps per global batch; more would exhaust memory and are a mistake.
constexpr std::int64_t kMaxParts = std::int64_t{1} << 20;

Result<void> checkParts(const PlanState& state) {
  const std::int64_t inEpoch = state.derived.run.samplesPerEpoch.value_or(std::numeric_limits<std::int64_t>::max());
  for (std::int64_t stage = 0; stage < state.ramp.stages(); ++stage) {
    const StepShape shape = state.ramp.shape(stage);
    if (std::min(shape.parts, inEpoch / shape.stepUnits) > kMaxParts)
      return Error::config(
          messages::rampupSplitsBatchTooOften(state.ramp.target(), shape.parts, shape.stepUnits, kMaxParts));
  }
  return {};
}

Result<void> buildRamp(PlanState& state) {
  state.ramp = rampOf(state.derived);
  RETURN_IF_ERROR(checkParts(state));
  state.segments = state.timeline->rampSegments(state.ramp);
  if (state.segments.back().stage == state.ramp.stages() - 1)
    state.rampEnd = state.segments.back().start;
  else
    state.notes.push_back(messages::rampupNeverEnds());
  return {};
}

/// Predicts the sizes under growth, one segment per change, as far as they are known before the run.
void predictGrowth(PlanState& state) {
  if (!state.growth) return;
  if (!state.rampEnd || state.finished(*state.rampEnd)) {
    state.notes.push_back(messages::growthStartsAfterRunEnd());
    return;
  }
  GrowthState asked;
  asked.globalUnits = state.derived.globalUnits;
  std::optional<std::int64_t> boundTold;
  bool acts = false;  // or has a note why not
  for (int evaluation = 0; evaluation < kMaxPredictedEvaluations; ++evaluation) {
    const Segment segment = state.segments.back();
    const auto due = state.timeline->firstWhere(segment.start, segment.shape,
                                                [&](const Timestamp& at) { return state.growthDue(at, asked); });
    if (!due || state.finished(*due)) {
      if (evaluation == 0)
        state.notes.push_back(messages::growthIntervalBeyondRunEnd(state.derived.growthEvery->text()));
      else if (!acts)
        state.notes.push_back(messages::growthNeverChangesSize(asked.globalUnits));
      return;
    }
    if (state.growth->dependsOnRun()) {
      state.unknownFrom = *due;
      state.notes.push_back(messages::growthForecastDependsOnRun(Time::of(due->batch, TimeUnit::Batch).text()));
      return;
    }
    const auto answer = state.growth->evaluate({due->epoch, asked.globalUnits, std::nullopt, std::nullopt});
    acts = acts || answer.size != asked.globalUnits || !answer.note.empty();
    const bool told = answer.boundedAt && std::exchange(boundTold, answer.boundedAt) == answer.boundedAt;
    const bool known = std::find(state.notes.begin(), state.notes.end(), answer.note) != state.notes.end();
    if (!answer.note.empty() && !told && !known && state.notes.size() < 50) state.notes.push_back(answer.note);
    asked.evaluatedAt = *due;
    if (answer.size == asked.globalUnits) {
      // Same shape: search for the next evaluation from here without a new row in the table.
      state.segments.push_back({*due, segment.shape, segment.stage, segment.globalUnits});
      continue;
    }
    asked.globalUnits = answer.size;
    state.segments.push_back({*due, {answer.size, 1}, segment.stage, answer.size});
  }
  state.unknownFrom = state.segments.back().start;
  state.notes.push_back(
      messages::growthTooFrequentToForecast(Time::of(state.unknownFrom->batch, TimeUnit::Batch).text()));
}

void mergeSegments(std::vector<Segment>& segments) {
  std::vector<Segment> merged;
  for (const Segment& segment : segments)
    if (merged.empty() || merged.back().shape != segment.shape || merged.back().stage != segment.stage)
      merged.push_back(segment);
  segments = std::move(merged);
}

/// Returns one row of the table, as if the run had no end.
PlannedStage stageOf(const PlanState& state, std::size_t index) {
  const Segment& segment = state.segments[index];
  PlannedStage stage;
  stage.fromBatch = segment.start.batch;
  stage.parts = segment.shape.parts;
  stage.stepUnits = segment.shape.stepUnits;
  stage.microbatchUnits = state.derived.microbatchUnits;
  stage.microBatchesPerStep = state.microBatches(segment.shape.stepUnits);
  stage.reached = !state.finished(segment.start);
  if (index + 1 < state.segments.size()) {
    stage.globalBatches = state.segments[index + 1].start.batch - segment.start.batch;
    stage.optimizerSteps = state.segments[index + 1].start.step - segment.start.step;
  }
  return stage;
}

/// Clips a table of stages to the run: the stage it ends in takes the remainder, those from `missed` on nothing.
void clipStages(PlanState& state, std::vector<PlannedStage>::iterator missed) {
  for (auto row = missed; row != state.stages.end(); ++row) row->globalBatches = row->optimizerSteps = 0;
  const Plan::Totals totals = state.countTotals();
  if (missed == state.stages.begin() || !totals.batches || !totals.steps) return;
  const Segment& last = state.segments[static_cast<std::size_t>(missed - state.stages.begin()) - 1];
  std::prev(missed)->globalBatches = *totals.batches - last.start.batch;
  std::prev(missed)->optimizerSteps = *totals.steps - last.start.step;
}

void listStages(PlanState& state) {
  for (std::size_t index = 0; index < state.segments.size(); ++index) state.stages.push_back(stageOf(state, index));
  const auto missed =
      std::find_if(state.stages.begin(), state.stages.end(), [](const auto& row) { return !row.reached; });
  if (missed == state.stages.end()) return;
  state.notes.push_back(messages::runEndsBeforeStages(state.stages.end() - missed, state.stages.size()));
  // A ramp is shown with its configured length; only a table lists its stages.
  if (!state.derived.rampStarts.empty()) clipStages(state, missed);
}

/// Returns the approximate number of samples of the run.
double expectedSamples(const PlanState& state) {
  const RunLength& run = state.derived.run;
  const double number = run.maxDuration.number();
  switch (run.maxDuration.unit()) {
    case TimeUnit::Epoch: return number * static_cast<double>(run.samplesPerEpoch.value_or(0));
    case TimeUnit::Batch: return number * state.derived.samplesPerBatch;
    case TimeUnit::Token: return number / (state.derived.tokensPerBatch / state.derived.samplesPerBatch);
    case TimeUnit::Sample:
    case TimeUnit::Duration:
    case TimeUnit::Second: break;
  }
  return number;
}

bool hasExpression(const SchedulerConfig& scheduler) {
  return scheduler.name == "expression" || std::any_of(scheduler.parts.begin(), scheduler.parts.end(), hasExpression);
}

/// Returns starts of global batches: the first of each segment and the last of all; others are interpolated linearly. A
/// run that is too long to count or ends by the clock is one line, estimated from its mean global batch.
std::vector<Timestamp> sampledBatchStarts(const PlanState& state) {
  constexpr double kTimedBatches = 5000.0;
  constexpr double kMaxPacked = 0x1p24;  // samples; packing these takes a few seconds
  const double samples = expectedSamples(state);
  const bool timed = state.end.unit() == TimeUnit::Second;
  if (timed || samples >= (state.packs ? kMaxPacked : static_cast<double>(state.source->lookaheadSamples()))) {
    const double batches = timed ? kTimedBatches : std::max(1.0, samples / state.derived.samplesPerBatch);
    Timestamp last;
    last.batch = static_cast<std::int64_t>(batches) - 1;
    last.sample = static_cast<std::int64_t>(static_cast<double>(last.batch) * state.derived.samplesPerBatch);
    last.token = static_cast<std::int64_t>(static_cast<double>(last.batch) * state.derived.tokensPerBatch);
    return {Timestamp{}, last};
  }
  std::vector<Timestamp> corners;
  for (const Segment& segment : state.segments)
    if (!state.finished(segment.start)) corners.push_back(segment.start);
  corners.push_back(
      state.timeline->lastBefore(state.segments, [&](const Timestamp& at) { return state.finished(at); }));
  return corners;
}

Result<void> checkFactorAt(const PlanState& state, const Timestamp& now) {
  const double factor = state.factorAt(now);
  if (std::isfinite(factor) && factor >= 0.0) return {};
  return Error::config(
      std::isfinite(factor)
          ? messages::scheduleExpressionFactorInvalid(factor, Time::of(now.batch, TimeUnit::Batch).text())
          : messages::scheduleExpressionNotFinite(Time::of(now.batch, TimeUnit::Batch).text()));
}

/// An expression may have no valid value at some global batch: tries each of the run, or some thousands spread over it.
/// Others are detected when their global batch starts.
Result<void> checkExpression(const PlanState& state) {
  constexpr std::int64_t kTried = 5000;
  if (!hasExpression(state.derived.scheduler)) return {};
  const std::vector<Timestamp> corners = sampledBatchStarts(state);
  const std::int64_t step = std::max<std::int64_t>(1, corners.back().batch / kTried);
  for (std::size_t index = 0; index + 1 < corners.size(); ++index) {
    const Timestamp& from = corners[index];
    const Timestamp& to = corners[index + 1];
    for (std::int64_t batch = from.batch; batch < to.batch; batch += step) {
      const double way = static_cast<double>(batch - from.batch) / static_cast<double>(to.batch - from.batch);
      Timestamp now;
      now.batch = batch;
      now.sample = from.sample + static_cast<std::int64_t>(way * static_cast<double>(to.sample - from.sample));
      now.token = from.token + static_cast<std::int64_t>(way * static_cast<double>(to.token - from.token));
      RETURN_IF_ERROR(checkFactorAt(state, now));
    }
  }
  return checkFactorAt(state, corners.back());
}

bool isEndPredictable(const PlanState& state) {
  if (state.end.unit() == TimeUnit::Second) return false;
  if (state.unknownFrom && !state.finished(*state.unknownFrom)) return false;
  return expectedSamples(state) < static_cast<double>(state.source->lookaheadSamples());
}

/// Returns the clocks at the end of the resolved schedule: that end in its own unit, in the others what the original
/// run has done by then.
Timestamp clocksAtScheduleEnd(const PlanState& state) {
  const Time& end = *state.derived.scheduleEnd;
  Timestamp clocks;
  if (!usesOnlyClock(state.derived.scheduler, end.unit())) {
    PlanState launched = state;
    launched.end = end;
    launched.derived.holdsSchedule = false;
    if (const auto last = launched.endOfRun()) clocks = last->inItsEpoch;
  }
  if (end.unit() == TimeUnit::Batch) clocks.batch = end.count();
  if (end.unit() == TimeUnit::Sample) clocks.sample = end.count();
  if (end.unit() == TimeUnit::Token) clocks.token = end.count();
  return clocks;
}

}  // namespace

std::int64_t PlanState::microBatches(std::int64_t stepUnits) const {
  return ceilDiv(ceilDiv(stepUnits, devices.devices), derived.microbatchUnits);
}

std::optional<PlanState::EndOfRun> PlanState::endOfRun() const {
  const Timestamp last = timeline->lastBefore(segments, [&](const Timestamp& at) { return finished(at); });
  const auto batch = batchFrom(last, segmentOf(segments, last), RunEnd::Cuts);
  if (!batch) return std::nullopt;
  Timestamp at = last;
  for (const Part& part : batch->parts) at = at.afterStep({part.samples, part.tokens, 0.0}, part.units);
  return EndOfRun{last, at.afterBatch(), batch->endsEpoch};
}

Plan::Totals PlanState::countTotals() const {
  Plan::Totals totals;
  if (!isEndPredictable(*this)) return totals;
  const std::optional<EndOfRun> found = endOfRun();
  if (!found) return totals;
  const Timestamp& at = found->inItsEpoch;
  totals.batches = at.batch;
  totals.steps = at.step;
  totals.samples = at.sample;
  if (!dataKnown) return totals;
  const double inEpoch = static_cast<double>(at.sampleInEpoch) / static_cast<double>(*derived.run.samplesPerEpoch);
  totals.epochs = static_cast<double>(at.epoch) + (found->endsEpoch ? 1.0 : inEpoch);
  totals.tokens = at.token;
  return totals;
}

bool PlanState::finished(const Timestamp& now) const {
  if (end.unit() == TimeUnit::Second) return now.seconds >= end.number();
  return clockValue(now, end.unit()) >= end.count();
}

double PlanState::factorAt(const Timestamp& now) const {
  if (!heldAt) return schedule->factor(now);
  const std::int64_t last = derived.scheduleEnd->count();
  return schedule->factor(clockValue(now, derived.scheduleEnd->unit()) < last ? now : *heldAt);
}

bool PlanState::growthDue(const Timestamp& now, const GrowthState& state) const {
  if (!growth || !rampEnd || now.batch < rampEnd->batch) return false;
  const Time& every = *derived.growthEvery;
  const auto passed = [&](const Timestamp& at) { return clockValue(at, every.unit()) / every.count(); };
  // Boundaries inside the ramp do not count, except one at its end.
  std::int64_t before = passed(*rampEnd);
  if (before > 0 && clockValue(*rampEnd, every.unit()) % every.count() == 0) --before;
  return passed(now) > std::max(before, passed(state.evaluatedAt));
}

const Segment& segmentOf(const std::vector<Segment>& segments, const Timestamp& start) {
  const auto next =
      std::upper_bound(segments.begin() + 1, segments.end(), start.batch,
                       [](std::int64_t batch, const Segment& segment) { return batch < segment.start.batch; });
  return *std::prev(next);
}

Result<GlobalBatch> PlanState::batchFrom(const Timestamp& start, const Segment& segment, RunEnd runEnd) const {
  GlobalBatch batch;
  batch.batch = start.batch;
  batch.epoch = start.epoch;
  batch.stage = segment.stage;
  batch.scheduleFactor = factorAt(start);
  const bool negative = runEnd == RunEnd::Cuts && batch.scheduleFactor < 0.0 && hasExpression(derived.scheduler);
  if (!std::isfinite(batch.scheduleFactor) || negative)
    return Error::config(
        messages::scheduleFactorInvalid(batch.scheduleFactor, Time::of(start.batch, TimeUnit::Batch).text()));
  const double base = config.optimizer.lr * batch.scheduleFactor;
  Timestamp at = start;
  while (static_cast<std::int64_t>(batch.parts.size()) < segment.shape.parts && !batch.endsEpoch && !batch.endsRun) {
    std::int64_t wanted = segment.shape.stepUnits;
    UnitSlice slice = source->take(at.epoch, {at.unitInEpoch, at.sampleInEpoch}, wanted);
    const bool cutsHere = runEnd == RunEnd::Cuts && end.unit() == TimeUnit::Sample;
    if (cutsHere && at.sample + slice.counts.samples > end.count()) {
      // The run ends with the unit that reaches max_duration: find the smallest number of units that does.
      std::int64_t tooFew = 0;
      std::int64_t enough = slice.units;
      while (enough - tooFew > 1) {
        const std::int64_t middle = tooFew + (enough - tooFew) / 2;
        const auto part = source->take(at.epoch, {at.unitInEpoch, at.sampleInEpoch}, middle);
        (at.sample + part.counts.samples >= end.count() ? enough : tooFew) = middle;
      }
      slice = source->take(at.epoch, {at.unitInEpoch, at.sampleInEpoch}, enough);
    }
    if (slice.units == 0) break;
    const StepSizes sizes{slice.units,         slice.counts.samples, slice.counts.tokens, segment.shape.stepUnits,
                          segment.globalUnits, derived.globalUnits};
    batch.parts.push_back({at.unitInEpoch, at.sampleInEpoch, slice.units, slice.counts.samples, slice.counts.tokens,
                           scaling.rate(base, sizes)});
    at = at.afterStep({slice.counts.samples, slice.counts.tokens, 0.0}, slice.units);
    batch.endsEpoch = slice.reachesEnd;
    if (runEnd == RunEnd::Cuts && (end.unit() == TimeUnit::Sample || end.unit() == TimeUnit::Token))
      batch.endsRun = finished(at);
  }
  if (batch.parts.empty()) return Error::internal(messages::planEpochLacksUnit(start.epoch, start.unitInEpoch));
  if (runEnd == RunEnd::Cuts) {
    at = at.afterBatch();
    if (batch.endsEpoch) at = at.afterEpoch();
    batch.endsRun = finished(at) && end.unit() != TimeUnit::Second;
  }
  return batch;
}

Result<void> assemble(PlanState& state, GrowthFunction growth) {
  const DerivedValues& derived = state.derived;
  ASSIGN_OR_RETURN(auto end, resolveEnd(derived.run));
  state.end = end;
  state.timeline.emplace(state.source);
  auto schedule =
      Schedule::make(derived.scheduler, {state.config.optimizer.lr, derived.samplesPerBatch, derived.tokensPerBatch});
  if (!schedule) return schedule.error();
  state.schedule = *schedule;
  auto scaling =
      StepScaling::make(state.config.lrScaling, derived.referenceBatchSize, state.config.batch.tokens.enabled());
  if (!scaling) return scaling.error();
  state.scaling = *scaling;
  RETURN_IF_ERROR(buildRamp(state));
  if (derived.growthEvery) {
    ASSIGN_OR_RETURN(auto rule,
                     GrowthRule::make(state.config, derived.globalUnits, derived.growthLargest, std::move(growth)));
    state.growth = rule;
    predictGrowth(state);
    mergeSegments(state.segments);
  }
  if (derived.holdsSchedule && derived.scheduleEnd) state.heldAt = clocksAtScheduleEnd(state);
  RETURN_IF_ERROR(checkExpression(state));
  listStages(state);
  state.resolved = toResolvedValues(derived);
  if (state.packs && expectedSamples(state) >= static_cast<double>(state.source->lookaheadSamples()))
    state.notes.push_back(messages::planPackTotalsOmitted());
  return {};
}

}  // namespace batchwise
