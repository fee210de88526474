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

bool endsWithinPass(const PlanState& state) {
  return state.place.continuesPass && state.derived.run.maxDuration.unit() == TimeUnit::Epoch;
}

/// Returns the nominal begin of a stage on a clock of the run. Requires a run that is not measured in epochs.
Result<Time> nominalBegin(const PlanState& state) {
  return multiply(state.place.from, state.config.scaleScheduleRatio);
}

/// Samples of a pass from its begin on: those before a stage that continues it, and those up to the end of the stage.
struct PassPlace {
  std::int64_t before = 0, untilEnd = 0;
};
PassPlace placeInPass(const PlanState& state) {
  const StagePlace& place = state.place;
  const std::int64_t perEpoch = *state.derived.run.samplesPerEpoch;
  const double passFrom = place.passFrom.number() * state.config.scaleScheduleRatio;
  const Epochs epochs = epochsOf(state);
  const auto samplesTo = [&](double epoch) -> std::int64_t {
    return std::llround((epoch - passFrom) * static_cast<double>(perEpoch));
  };
  // Packs may leave samples out, so whole epochs count in full.
  const bool known = place.start != Timestamp{};
  const std::int64_t before = (place.start.epoch - place.passStart.epoch) * perEpoch + place.start.sampleInEpoch -
                              place.passStart.sampleInEpoch;
  return {known ? before : samplesTo(epochs.from), samplesTo(epochs.until)};
}

/// Returns the end of a stage of packs that ends with an epoch: these have no fixed number of samples. `place`: in its
/// pass. Empty for other stages, and if it is not known in which epoch the pass begins.
std::optional<Time> endOfEpochs(const PlanState& state, const PassPlace& place) {
  const std::int64_t perEpoch = *state.derived.run.samplesPerEpoch;
  const bool known = state.place.start != Timestamp{} || state.place.passFrom.number() == 0.0;
  if (!state.packs || !known || place.untilEnd % perEpoch != 0 || place.before >= place.untilEnd) return std::nullopt;
  return Time::of(state.place.passStart.epoch + place.untilEnd / perEpoch, TimeUnit::Epoch);
}

/// Returns the end of a stage that begins where the run reaches a number of epochs, counted by steps of its own.
Result<Time> nominalEnd(const PlanState& state) {
  const Epochs epochs = epochsOf(state);
  ASSIGN_OR_RETURN(const auto begin, withoutEpochs(epochs.from, state.derived.run));
  ASSIGN_OR_RETURN(const auto end, withoutEpochs(epochs.until, state.derived.run));
  return subtract(end, begin);
}

}  // namespace

// Where the begin is not predicted (see isEndPredictable()), a stage of a run that is not measured in epochs keeps its
// length: the run ends later by what the steps before went too far.
bool hasOwnEnd(const PlanState& state) {
  const TimeUnit unit = state.derived.run.maxDuration.unit();
  if (unit == TimeUnit::Epoch) return endsWithinPass(state);
  if (unit == TimeUnit::Second || state.place.start == Timestamp{}) return false;
  const Result<Time> begin = nominalBegin(state);
  return begin.ok() && clockValue(state.place.start, unit) != begin->count();
}

Result<Time> endOfStage(const PlanState& state) {
  const StagePlace& place = state.place;
  const RunLength& run = state.derived.run;
  if (!endsWithinPass(state)) {
    ASSIGN_OR_RETURN(const auto begin, nominalBegin(state));
    ASSIGN_OR_RETURN(const auto end, add(begin, run.maxDuration));
    return subtract(end, Time::of(clockValue(place.start, end.unit()), end.unit()));
  }
  const PassPlace inPass = placeInPass(state);
  if (const auto end = endOfEpochs(state, inPass)) return *end;
  if (place.start == Timestamp{}) return nominalEnd(state);
  const double passFrom = place.passFrom.number() * state.config.scaleScheduleRatio;
  ASSIGN_OR_RETURN(const auto nominal, withoutEpochs(epochsOf(state).from - passFrom, run));
  if (samplesBefore(state, nominal) == inPass.before) return nominalEnd(state);
  // Steps of another size have come to another place.
  return Time::of(inPass.untilEnd - inPass.before, TimeUnit::Sample);
}

RunLength lengthOfPlan(const PlanState& state) {
  RunLength length = state.derived.run;
  if (!state.derived.stageEnd) return length;
  length.maxDuration = *state.derived.stageEnd;
  if (length.maxDuration.unit() == TimeUnit::Epoch) {
    const PassPlace place = placeInPass(state);
    length.maxDuration = Time::of(place.untilEnd - place.before, TimeUnit::Sample);
  }
  const bool inEpochs = state.derived.run.maxDuration.unit() == TimeUnit::Epoch;
  if (inEpochs && length.maxDuration.unit() == TimeUnit::Sample && length.batchesPerEpoch)
    length.maxDuration = Time::of(batchesOf(state, length.maxDuration.count()), TimeUnit::Batch);
  return length;
}

Result<Time> endOfPlan(const PlanState& state) {
  if (state.derived.stageEnd) return *state.derived.stageEnd;
  return endsWithinPass(state) ? nominalEnd(state) : resolveEnd(state.derived.run);
}

}  // namespace batchwise
