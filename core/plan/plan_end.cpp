// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/config/time/time.h"
#include "core/plan/plan_state.h"

// Where a plan ends: nominally, and after which global batch.

namespace batchwise {
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
