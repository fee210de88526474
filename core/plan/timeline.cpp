// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/timeline.h"

#include <algorithm>
#include <cmath>

#include "core/base/integer_math.h"
#include "core/config/time/time.h"
#include "core/plan/plan_state.h"

// Where a plan ends: nominally, and after which global batch.

namespace batchwise {

Timestamp Timeline::jump(Timestamp at, const StepShape& shape, TimeUnit clock, std::int64_t batches) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  std::int64_t wanted = 0;
  if (__builtin_mul_overflow(batches, shape.batchUnits(), &wanted) || wanted > kMost) wanted = kMost;
  // One more unit shows whether the epoch goes on after them.
  const std::int64_t units = source_->unitsUpTo(at.epoch, at.unitInEpoch + wanted + 1);
  const std::int64_t left = units - at.unitInEpoch;
  if (left > wanted) {
    at.unitInEpoch += wanted;
    at.batchInEpoch += batches;
    at.batch += batches;
    at.step += batches * shape.steps;
    if (clock == TimeUnit::Token) return withCounts(at);
    const std::int64_t samples = source_->samplesBefore(at.epoch, at.unitInEpoch);
    at.sample += samples - at.sampleInEpoch;
    at.sampleInEpoch = samples;
    return at;
  }
  const std::int64_t batchesLeft = ceilDiv(left, shape.batchUnits());
  const std::int64_t stepsLeft =
      left / shape.batchUnits() * shape.steps + ceilDiv(left % shape.batchUnits(), shape.stepUnits);
  const UnitCounts whole = source_->before(at.epoch, units);
  const bool alike = at.unitInEpoch == 0 && batchesLeft > 0 && source_->sameEveryEpoch();
  const std::int64_t epochs = alike ? batches / batchesLeft : 1;
  at.batch += epochs * batchesLeft;
  at.step += epochs * stepsLeft;
  at.sample += epochs * whole.samples - at.sampleInEpoch;
  at.token += epochs * whole.tokens - at.tokenInEpoch;
  at.epoch += epochs - 1;
  return at.afterEpoch();
}

bool Timeline::isCountable(const Timestamp& at, const StepShape& shape, std::int64_t batches) const {
  // A global batch never crosses the end of its epoch, however large.
  const std::int64_t perBatch = std::max<std::int64_t>(1, source_->unitsUpTo(at.epoch, shape.batchUnits()));
  return batches <= (source_->lookaheadSamples() - at.sample) / perBatch;
}

Timestamp Timeline::withCounts(Timestamp at) const {
  const UnitCounts inEpoch = source_->before(at.epoch, at.unitInEpoch);
  at.sample += inEpoch.samples - at.sampleInEpoch;
  at.token += inEpoch.tokens - at.tokenInEpoch;
  at.sampleInEpoch = inEpoch.samples;
  at.tokenInEpoch = inEpoch.tokens;
  return at;
}

Timestamp Timeline::lastBefore(const Timestamp& from, const StepShape& shape, TimeUnit clock,
                               const Condition& beyond) const {
  constexpr int kMaxEmptyEpochs = 1'000'000;  // all their packs may be discarded
  Timestamp at = from;
  int empty = 0;
  bool overshot = false;
  // Doubles the jump until it goes too far, then halves it.
  for (std::int64_t batches = 1; batches > 0 && empty < kMaxEmptyEpochs;) {
    const bool countable = isCountable(at, shape, batches);
    const Timestamp next = countable ? jump(at, shape, clock, batches) : at;
    if (!countable || beyond(next)) {
      overshot = true;
      batches /= 2;
      continue;
    }
    empty = next.batch == at.batch ? empty + 1 : 0;
    at = next;
    if (!overshot) batches *= 2;
  }
  return withCounts(at);
}

Timestamp Timeline::lastBefore(const std::vector<ShapeRange>& ranges, TimeUnit clock, const Condition& beyond) const {
  std::size_t index = 0;
  while (index + 1 < ranges.size() && !beyond(ranges[index + 1].start)) ++index;
  return lastBefore(ranges[index].start, ranges[index].shape, clock, beyond);
}

std::optional<Timestamp> Timeline::firstWhere(const Timestamp& from, const StepShape& shape, TimeUnit clock,
                                              const Condition& reached) const {
  if (reached(from)) return from;
  const Timestamp first = next(lastBefore(from, shape, clock, reached), shape, clock);
  return reached(first) ? std::optional(withCounts(first)) : std::nullopt;
}

std::vector<ShapeRange> Timeline::rampRanges(const Ramp& ramp, const Timestamp& from) const {
  std::vector<ShapeRange> ranges;
  for (std::optional<Timestamp> at = from; at;) {
    const std::int64_t stage = ramp.stageAt(*at);
    ranges.push_back({*at, ramp.shape(stage), stage, ramp.target()});
    if (stage == ramp.stages() - 1) break;
    at = firstWhere(*at, ramp.shape(stage), ramp.unit(),
                    [&](const Timestamp& start) { return ramp.stageAt(start) > stage; });
  }
  return ranges;
}

namespace {

/// Samples of the pass over the data that a stage continues, counted from the begin of the pass.
struct PassPlace {
  std::int64_t begin = 0;  ///< before the stage
  std::int64_t end = 0;    ///< up to the end of the stage
};

/// Requires a stage that continues a pass, of a run measured in epochs.
PassPlace placeInPass(const PlanState& state) {
  constexpr double kRounding = 1e9;  // sums of shares are not exact
  const StagePlace& place = state.place;
  const std::int64_t perEpoch = *state.derived.run.samplesPerEpoch;
  const auto samples = [&](double epochs) {
    return static_cast<std::int64_t>(std::round(epochs * kRounding) / kRounding * static_cast<double>(perEpoch));
  };
  const double begin = (place.from.number() - place.passFrom.number()) * state.config.scaleScheduleRatio;
  PassPlace pass{samples(begin), samples(begin + state.derived.run.maxDuration.number())};
  // The last step before the stage may have gone on. Packs may leave samples out, so whole epochs count in full.
  if (place.start != Timestamp{})
    pass.begin = (place.start.epoch - place.passStart.epoch) * perEpoch + place.start.sampleInEpoch;
  return pass;
}

Time endInPass(const PlanState& state) {
  const RunLength& run = state.derived.run;
  const PassPlace pass = placeInPass(state);
  const std::int64_t perEpoch = *run.samplesPerEpoch, samples = pass.end - pass.begin;
  // An epoch of packs has no fixed number of samples.
  if (state.packs && pass.end % perEpoch == 0 && samples > 0) return Time::of(pass.end / perEpoch, TimeUnit::Epoch);
  if (run.batchesPerEpoch && samples % perEpoch == 0)
    return Time::of(samples / perEpoch * *run.batchesPerEpoch, TimeUnit::Batch);
  return Time::of(samples, TimeUnit::Sample);
}

bool isEndPredictable(const PlanState& state) {
  if (state.end.unit() == TimeUnit::Second) return false;
  if (state.unknownFrom && !state.finished(*state.unknownFrom)) return false;
  return state.derived.samplesAt(state.derived.run.maxDuration) < static_cast<double>(state.source->lookaheadSamples());
}

}  // namespace

Result<std::optional<Time>> ownEnd(const PlanState& state) {
  const StagePlace& place = state.place;
  const Time& length = state.derived.run.maxDuration;
  if (length.unit() == TimeUnit::Epoch) return place.continuesPass ? std::optional(endInPass(state)) : std::nullopt;
  if (length.unit() == TimeUnit::Second || place.start == Timestamp{}) return std::optional<Time>{};
  ASSIGN_OR_RETURN(const auto nominal, multiply(place.from, state.config.scaleScheduleRatio));
  const Time begin = Time::of(clockValue(place.start, length.unit()), length.unit());
  if (begin == nominal) return std::optional<Time>{};
  ASSIGN_OR_RETURN(const auto end, add(nominal, length));
  ASSIGN_OR_RETURN(const auto left, subtract(end, begin));
  return std::optional(left);
}

Result<Time> endOfPlan(const PlanState& state) {
  return state.derived.stageEnd ? *state.derived.stageEnd : resolveEnd(state.derived.run);
}

RunLength lengthOfPlan(const PlanState& state) {
  RunLength length = state.derived.run;
  if (!state.derived.stageEnd) return length;
  length.maxDuration = *state.derived.stageEnd;
  if (length.maxDuration.unit() == TimeUnit::Epoch) {
    const PassPlace pass = placeInPass(state);
    length.maxDuration = Time::of(pass.end - pass.begin, TimeUnit::Sample);
  }
  return length;
}

bool PlanState::finished(const Timestamp& now) const {
  if (end.unit() == TimeUnit::Second) return now.seconds >= end.number();
  return clockValue(now, end.unit()) >= end.count();
}

std::optional<PlanState::EndOfRun> PlanState::endOfRun() const {
  const Timestamp last = timeline->lastBefore(ranges, end.unit(), [&](const Timestamp& at) { return finished(at); });
  const auto batch = batchFrom(last, rangeOf(ranges, last), RunEnd::Cuts);
  if (!batch) return std::nullopt;
  return EndOfRun{last, afterBatch(last, *batch), batch->endsEpoch};
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
  const auto perEpoch = static_cast<double>(*derived.run.samplesPerEpoch);
  const double inEpoch = found->endsEpoch ? 1.0 : static_cast<double>(at.sampleInEpoch) / perEpoch;
  const Timestamp from = begin();
  totals.epochs = static_cast<double>(at.epoch) + inEpoch -
                  (static_cast<double>(from.epoch) + static_cast<double>(from.sampleInEpoch) / perEpoch);
  totals.tokens = at.token;
  return totals;
}

Plan::Totals Plan::totals() const {
  std::call_once(state_->lazyTotals->once, [&] { state_->lazyTotals->totals = state_->countTotals(); });
  return state_->lazyTotals->totals;
}

std::optional<Timestamp> Plan::predictedEnd() const {
  if (!isEndPredictable(*state_)) return std::nullopt;
  const auto end = state_->endOfRun();
  return end ? std::optional(state_->inRun(end->next())) : std::nullopt;
}

}  // namespace batchwise
