// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/base/integer_math.h"
#include "core/batch/plan_state.h"
#include "core/time/time.h"

namespace batchwise {
namespace {

/// Returns `epochs` from the begin of a run in global batches if all have one size, else in samples.
Result<Time> withoutEpochs(double epochs, RunLength run) {
  constexpr double kRounding = 1e9;  // sums of shares are not exact
  if (epochs == 0.0) return Time::of(0, run.batchesPerEpoch ? TimeUnit::Batch : TimeUnit::Sample);
  run.maxDuration = Time::epochs(std::round(epochs * kRounding) / kRounding);
  ASSIGN_OR_RETURN(const auto end, resolveEnd(run));
  if (end.unit() != TimeUnit::Epoch) return end;
  return run.batchesPerEpoch ? Time::of(end.count() * *run.batchesPerEpoch, TimeUnit::Batch)
                             : Time::of(end.count() * *run.samplesPerEpoch, TimeUnit::Sample);
}

/// Returns the samples of a pass before `at`, in global batches or samples of the stage.
std::int64_t samplesBefore(const PlanState& state, const Time& at) {
  const RunLength& run = state.derived.run;
  if (at.unit() != TimeUnit::Batch || !run.batchesPerEpoch) return at.count();
  const std::int64_t inEpoch = at.count() % *run.batchesPerEpoch * state.derived.globalUnits;
  return at.count() / *run.batchesPerEpoch * *run.samplesPerEpoch + std::min(*run.samplesPerEpoch, inEpoch);
}

/// Returns the global batches that `samples` from the begin of the stage on take; those at the end of an epoch are
/// short.
std::int64_t batchesOf(const PlanState& state, std::int64_t samples) {
  const std::int64_t epoch = *state.derived.run.samplesPerEpoch, size = state.derived.globalUnits;
  const std::int64_t first = std::min(samples, epoch - state.place.start.sampleInEpoch);
  const std::int64_t rest = samples - first;
  return ceilDiv(first, size) + rest / epoch * ceilDiv(epoch, size) + ceilDiv(rest % epoch, size);
}

/// Epochs of the run at the begin of the stage and at its end.
struct Epochs {
  double from = 0, until = 0;
};
Epochs epochsOf(const PlanState& state) {
  const double from = state.place.from.number() * state.config.scaleScheduleRatio;
  return {from, from + state.derived.run.maxDuration.number()};
}

/// Returns the end of a stage that begins where the run reaches a number of epochs, counted by steps of its own.
Result<Time> nominalEnd(const PlanState& state) {
  const Epochs epochs = epochsOf(state);
  ASSIGN_OR_RETURN(const auto begin, withoutEpochs(epochs.from, state.derived.run));
  ASSIGN_OR_RETURN(const auto end, withoutEpochs(epochs.until, state.derived.run));
  return subtract(end, begin);
}

}  // namespace

bool endsWithinPass(const PlanState& state) {
  return state.place.continuesPass && state.derived.run.maxDuration.unit() == TimeUnit::Epoch;
}

Result<Time> endOfStage(const PlanState& state) {
  const StagePlace& place = state.place;
  const RunLength& run = state.derived.run;
  if (state.packs || place.start == Timestamp{}) return nominalEnd(state);
  const Epochs epochs = epochsOf(state);
  const double passFrom = place.passFrom.number() * state.config.scaleScheduleRatio;
  const std::int64_t done = place.start.sample - place.passStart.sample;
  ASSIGN_OR_RETURN(const auto inPass, withoutEpochs(epochs.from - passFrom, run));
  if (samplesBefore(state, inPass) == done) return nominalEnd(state);
  // Steps of another size have come to another place.
  const auto all = std::llround((epochs.until - passFrom) * static_cast<double>(*run.samplesPerEpoch));
  return Time::of(all - done, TimeUnit::Sample);
}

RunLength lengthOfPlan(const PlanState& state) {
  RunLength length = state.derived.run;
  if (!state.derived.stageEnd) return length;
  length.maxDuration = *state.derived.stageEnd;
  if (length.maxDuration.unit() == TimeUnit::Sample && length.batchesPerEpoch)
    length.maxDuration = Time::of(batchesOf(state, length.maxDuration.count()), TimeUnit::Batch);
  return length;
}

Result<Time> endOfPlan(const PlanState& state) {
  if (!endsWithinPass(state)) return resolveEnd(state.derived.run);
  return state.derived.stageEnd ? Result<Time>(*state.derived.stageEnd) : nominalEnd(state);
}

}  // namespace batchwise
