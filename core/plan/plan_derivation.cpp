// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/config/time/time.h"
#include "core/plan/plan_state.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxDevices = std::int64_t{1} << 20;

Result<void> deriveEqualStages(PlanState& state) {
  const RampupConfig& rampup = state.config.batch.rampup;
  const bool doubles = rampup.growth == RampGrowth::Doubling;
  const std::int64_t least = state.devices.devices * state.derived.microbatchUnits;
  const std::int64_t target = state.derived.globalUnits;
  const std::int64_t initial = rampup.initialGlobalTrainBatchSize.value_or(std::min(least, target));
  if (doubles && rampup.increment) state.note("batch.rampup.increment", "not used by growth: doubling");
  ASSIGN_OR_RETURN(state.derived.rampSizes, doubles ? doublingStages(initial, target)
                                                    : linearStages(initial, rampup.increment.value_or(least), target));
  if (state.derived.rampSizes.empty())
    state.note("batch.rampup.initial_global_train_batch_size",
               formatText("the initial size is the full size {}, so the ramp has one stage and changes nothing; give a "
                          "smaller initial size",
                          target));
  return {};
}

Result<void> deriveTableSizes(PlanState& state) {
  const RampupConfig& rampup = state.config.batch.rampup;
  if (state.config.batch.useMaximumBatchSize)
    return Error::config("batch.use_maximum_batch_size",
                         "batch.rampup.stages is given too, and its last size is the global batch; keep one of them");
  if (rampup.duration || rampup.initialGlobalTrainBatchSize || rampup.increment)
    return Error::config("batch.rampup.stages",
                         "duration, initial_global_train_batch_size or increment is given too; keep the table alone");
  std::vector<std::int64_t>& sizes = state.derived.rampSizes;
  for (const RampLevelConfig& stage : rampup.stages) {
    const std::int64_t size = stage.globalTrainBatchSize;
    const std::string field = "batch.rampup.stages[" + std::to_string(sizes.size()) + "].global_train_batch_size";
    if (size < 1) return belowOneError(field, size);
    if (!sizes.empty() && size < sizes.back())
      state.note(field, formatText("{} is smaller than the stage before", size));
    sizes.push_back(size);
  }
  return {};
}

/// Derives step sizes below the full one before any Time is resolved: they decide whether all global batches have one
/// size.
Result<void> deriveRampSizes(PlanState& state) {
  const RampupConfig& rampup = state.config.batch.rampup;
  if (!rampup.stages.empty()) return deriveTableSizes(state);
  if (rampup.duration) return deriveEqualStages(state);
  const std::string why = "not used: without batch.rampup.duration there is no ramp";
  if (rampup.initialGlobalTrainBatchSize) state.note("batch.rampup.initial_global_train_batch_size", why);
  if (rampup.increment) state.note("batch.rampup.increment", why);
  return {};
}

/// Returns whether the global batches of all stages have G units.
bool rampKeepsBatchSize(const DerivedValues& derived) {
  return std::all_of(derived.rampSizes.begin(), derived.rampSizes.end(), [&](std::int64_t size) {
    return shapeOf(size, derived.globalUnits).batchUnits() == derived.globalUnits;
  });
}

/// Returns whether the plan begins or ends within an epoch, by the epochs of the run.
bool hasPartOfEpoch(const PlanState& state) {
  const Time& length = state.derived.run.maxDuration;
  const double from = state.place.from.number() * state.config.scaleScheduleRatio;
  return length.unit() == TimeUnit::Epoch && (!length.isWhole() || from != std::floor(from));
}

Result<void> deriveRunLength(PlanState& state, bool grows) {
  const TrainConfig& config = state.config;
  RunLength& run = state.derived.run;
  ASSIGN_OR_RETURN(run.maxDuration, scaleMaxDuration(config.maxDuration, config.scaleScheduleRatio));
  if (state.dataKnown) {
    run.samplesPerEpoch = state.usable.samples;
    // A part of an epoch is that share of its samples, whatever the global batches.
    const bool countsBatches = !grows && !config.batch.tokens.enabled() && rampKeepsBatchSize(state.derived);
    if (countsBatches && !hasPartOfEpoch(state))
      run.batchesPerEpoch = ceilDiv(state.usable.samples, state.derived.globalUnits);
  } else if (run.maxDuration.unit() == TimeUnit::Epoch) {
    return Error::config("max_duration",
                         formatText("{} needs data with a known length; use ba, sp or tok", run.maxDuration.text()));
  }
  RETURN_IF_ERROR(resolveEnd(run));
  return {};
}

Result<void> deriveStageEnd(PlanState& state) {
  ASSIGN_OR_RETURN(state.derived.stageEnd, ownEnd(state));
  if (!state.derived.stageEnd || state.derived.stageEnd->count() > 0) return {};
  const Time end = *state.derived.stageEnd;
  const Time start = Time::of(clockValue(state.place.start, end.unit()), end.unit());
  const Time until = Time::of(start.count() + end.count(), end.unit());
  return Error::config("until",
                       formatText("the stage would end at {}, but it begins at {}, where the last global batch of the "
                                  "stage before ends; set a later end, or smaller batches in the stage before",
                                  until.text(), start.text()));
}

Result<void> resolveTable(const RampupConfig& rampup, const RunLength& length, DerivedValues& derived) {
  for (std::size_t index = 0; index < rampup.stages.size(); ++index) {
    const std::string field = "batch.rampup.stages[" + std::to_string(index) + "].at";
    ASSIGN_OR_RETURN(auto at, resolveTime(rampup.stages[index].at, length, 1.0, field));
    if (index == 0 && at.count() != 0)
      return Error::config(field,
                           formatText("{} is not 0; the first stage must start at 0", rampup.stages[0].at.text()));
    if (index > 0) {
      // The first stage's 0 takes the unit of the others.
      if (index == 1) derived.rampStarts[0] = Time::of(0, at.unit());
      const auto order = compare(derived.rampStarts.back(), at);
      if (!order)
        return Error::config(
            field, formatText("{} is counted in another unit than {} of the stage before; use one unit", at.text(),
                              derived.rampStarts.back().text()));
      if (*order != std::partial_ordering::less)
        return Error::config(field, formatText("{} is not after {} of the stage before; list the stages in order",
                                               at.text(), derived.rampStarts.back().text()));
    }
    derived.rampStarts.push_back(at);
  }
  return {};
}

/// Makes equal stages a table in which each has the same number of steps. A stage that comes to nothing is left out.
void spaceBySteps(DerivedValues& derived, const Time& duration) {
  const std::vector<std::int64_t> begins = equalStepBegins(derived.rampSizes, duration.count());
  std::vector<std::int64_t> sizes = std::exchange(derived.rampSizes, {});
  sizes.push_back(derived.globalUnits);
  for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
    if (stage + 1 < sizes.size() && begins[stage] == begins[stage + 1]) continue;
    derived.rampStarts.push_back(Time::of(begins[stage], duration.unit()));
    derived.rampSizes.push_back(sizes[stage]);
  }
}

Result<void> deriveRampTimes(PlanState& state) {
  const RampupConfig& rampup = state.config.batch.rampup;
  DerivedValues& derived = state.derived;
  const RunLength length = lengthOfPlan(state);
  if (!rampup.stages.empty()) return resolveTable(rampup, length, derived);
  if (!rampup.duration) return {};
  ASSIGN_OR_RETURN(const auto duration, resolveTime(*rampup.duration, length, 1.0, "batch.rampup.duration"));
  derived.rampDuration = duration;
  if (duration.count() == 0)
    state.note("batch.rampup.duration",
               formatText("{} rounds to 0 in this run, so there is no ramp", rampup.duration->text()));
  if (rampup.spacing == RampSpacing::Steps && duration.count() > 0 && !derived.rampSizes.empty())
    spaceBySteps(derived, duration);
  const auto all = resolveEnd(length);
  if (all && all->unit() == duration.unit() && duration.count() > all->count())
    state.note("batch.rampup.duration",
               formatText("{} is longer than the run ({}), so the ramp never ends", duration.text(), all->text()));
  return {};
}

/// Groups of equal packs are global batches only if all global batches have G packs.
void noteUnequalGroups(PlanState& state, bool grows) {
  if (!state.config.batch.tokens.requiredMicrobatchesOfSameSize || (!grows && rampKeepsBatchSize(state.derived)))
    return;
  state.note(
      "batch.tokens.required_microbatches_of_same_size",
      formatText("packs have the same size in groups of {}; {} gives global batches of other sizes, which contain "
                 "parts of several groups",
                 state.derived.globalUnits, grows ? "growth" : "the ramp"));
}

Result<void> deriveScaling(PlanState& state) {
  const LrScalingConfig& scaling = state.config.lrScaling;
  if (scaling.referenceBatchSize && *scaling.referenceBatchSize < 1)
    return belowOneError("lr_scaling.reference_batch_size", *scaling.referenceBatchSize);
  const bool needed = state.config.batch.tokens.enabled() || scaling.by == StepSizeUnit::Tokens;
  if (scaling.method != LrScalingMethod::None && needed && !scaling.referenceBatchSize)
    return Error::config("lr_scaling.reference_batch_size",
                         formatText("is missing; with batch.tokens or by: tokens it must give the {} per step for "
                                    "which optimizer.lr was chosen",
                                    choiceName(scaling.by)));
  state.derived.referenceBatchSize =
      static_cast<double>(scaling.referenceBatchSize.value_or(state.derived.globalUnits));
  return {};
}

Result<Time> growthInterval(const PlanState& state, const Time& time, const char* field) {
  if (time.unit() == TimeUnit::Second)
    return Error::config(field, formatText("{} is in seconds; use ep, ba, sp, tok or dur", time.text()));
  if (!(time.number() > 0.0)) return Error::config(field, formatText("{} is not above 0; use 1ep", time.text()));
  if (time.unit() == TimeUnit::Duration && state.derived.run.maxDuration.unit() == TimeUnit::Second)
    return Error::config(field,
                         formatText("{} is a share of a run measured in seconds; use ba, sp, tok or ep", time.text()));
  return resolveInterval(time, state.derived.run, field);
}

Result<void> deriveGrowth(PlanState& state) {
  const GrowthConfig& growth = state.config.batch.growth;
  ASSIGN_OR_RETURN(state.derived.growthEvery, growthInterval(state, growth.every, "batch.growth.every"));
  if (!growth.dwell) return {};
  ASSIGN_OR_RETURN(state.derived.growthDwell, growthInterval(state, *growth.dwell, "batch.growth.dwell"));
  return {};
}

/// Bounds growth by the global batch that the devices hold at once.
void boundGrowth(PlanState& state) {
  const BatchConfig& batch = state.config.batch;
  if (batch.growth.bound != GrowthBound::DeviceMaximum) return;
  const std::int64_t configured = batch.deviceTrainMicrobatchSize.value_or(0);
  const std::int64_t largest = std::max(state.devices.largestUnits, configured);
  const std::int64_t devices = state.devices.devices;
  if (largest == 0)
    return state.devices.microbatchUnits > 0
               ? state.note("batch.growth.bound",
                            "the CPU has no memory limit, so nothing bounds growth; set devices.memory_limit")
               : state.noteUntilLaunch(
                     "batch.growth.bound",
                     "the largest batch that the devices hold is determined at launch; growth is shown as if "
                     "nothing bounded it");
  state.derived.growthLargest = largest * devices;
  if (!state.derived.staysAtFullSize(state.config)) return;
  const std::int64_t limit = *state.derived.growthLargest, size = state.derived.globalUnits;
  const std::string why = largest == configured ? formatText("batch.device_train_microbatch_size {} times {}",
                                                             formatInteger(configured), countText(devices, "device"))
                                                : "the largest that the devices hold";
  state.note(
      "batch.growth.bound",
      formatText("growth ends at {}, {}, and the global batch has {}, so it never grows; set batch.growth.bound to "
                 "none, and it grows by accumulation",
                 formatInteger(limit), why, formatInteger(size)));
}

/// Derives the samples and tokens of a full global batch, at most those of an epoch: under a token budget the means of
/// real packs, without data samples of the maximum length; and if it grows, the mean samples of a pack.
void deriveMeanBatch(PlanState& state, bool grows) {
  const UnitCounts& usable = state.usable;
  PackSource::Mean unit{1.0, static_cast<double>(state.config.data.maxSeqLen)};
  if (state.packs)
    unit = state.packs->mean(0);
  else if (usable.samples > 0)
    unit.tokens = static_cast<double>(usable.tokens) / static_cast<double>(usable.samples);
  if (state.packs && grows) state.derived.samplesPerPack = unit.samples;
  double share = 1.0;  // of a global batch that an epoch holds
  const double samples = static_cast<double>(state.derived.globalUnits) * unit.samples;
  if (state.dataKnown) share = std::min(1.0, static_cast<double>(usable.samples) / samples);
  state.derived.samplesPerBatch = samples * share;
  state.derived.tokensPerBatch = static_cast<double>(state.derived.globalUnits) * unit.tokens * share;
}

/// Returns the later of the run's end and the latest Time of a resolved schedule.
Time latestTime(const SchedulerConfig& scheduler, const Time& end) {
  std::vector<Time> named = scheduler.milestones;
  for (const std::optional<Time>& time : {scheduler.tWarmup, scheduler.tMax})
    if (time) named.push_back(*time);
  if (!scheduler.parts.empty() && std::all_of(scheduler.parts.begin(), scheduler.parts.end(), [&](const auto& part) {
        return part.length && part.length->unit() == end.unit();
      })) {
    std::int64_t whole = 0;
    for (const SchedulerConfig& part : scheduler.parts) whole += part.length->count();
    named.push_back(Time::of(whole, end.unit()));
  }
  Time latest = end;
  for (const Time& time : named)
    if (time.unit() == latest.unit() && time.count() > latest.count()) latest = time;
  return latest;
}

/// Returns whether `at` lies behind the end of a stage whose schedule goes on in the next one, whose global batches are
/// not known here.
bool isInNextStage(const PlanState& state, const Timestamp& at) {
  const bool isLast = state.place.runDuration == state.config.maxDuration;
  if (!state.place.runDuration || isLast) return false;
  const auto end = endOfPlan(state);
  if (!end) return true;
  const std::int64_t clock = clockValue(at, end->unit());
  const bool inEpochBehind = end->unit() == TimeUnit::Epoch && at.unitInEpoch > 0;
  return clock > end->count() || (clock == end->count() && inEpochBehind);
}

/// Converts `at` to another clock if a global batch starts there.
std::optional<Time> onClock(const PlanState& state, const Time& at, TimeUnit unit) {
  constexpr double kMaxPacked = 0x1p20;  // samples, whose packs must be planned
  const double most = state.packs ? kMaxPacked : static_cast<double>(state.source->lookaheadSamples());
  if (state.derived.samplesAt(at) >= most) return std::nullopt;
  const Timeline timeline(state.source);
  const Timestamp place =
      timeline.lastBefore(timeline.rampRanges(state.derived.ramp(), state.begin()), at.unit(),
                          [&](const Timestamp& now) { return clockValue(now, at.unit()) > at.count(); });
  if (clockValue(place, at.unit()) != at.count() || isInNextStage(state, place)) return std::nullopt;
  return Time::of(clockValue(place, unit), unit);
}

Result<void> deriveSchedule(PlanState& state, bool grows) {
  const TrainConfig& config = state.config;
  DerivedValues& derived = state.derived;
  const StagePlace& place = state.place;
  if (place.runDuration && place.first != nullptr) return {};  // taken from there
  ScheduleRun run;
  run.length = lengthOfPlan(state);
  if (place.runDuration) {
    ASSIGN_OR_RETURN(run.length.maxDuration, scaleMaxDuration(*place.runDuration, config.scaleScheduleRatio));
  }
  run.ratio = config.scaleScheduleRatio;
  run.samplesPerBatch = derived.samplesPerBatch;
  run.tokensPerBatch = derived.tokensPerBatch;
  if (state.dataKnown && !grows) run.convert = [&](const Time& at, TimeUnit unit) { return onClock(state, at, unit); };
  ASSIGN_OR_RETURN(derived.scheduler, resolveSchedule(config.scheduler, run, state.notes));
  if (derived.run.maxDuration.unit() == TimeUnit::Second) return {};
  ASSIGN_OR_RETURN(const auto end, resolveTime(Time::duration(1.0), run.length, 1.0, "max_duration"));
  derived.scheduleEnd = latestTime(derived.scheduler, end);
  return {};
}

Result<void> deriveMaskRate(PlanState& state) {
  const DataConfig& data = state.config.data;
  if (!data.mlmProbabilityEnd || *data.mlmProbabilityEnd == data.mlmProbability) return {};
  const Time& length = state.derived.run.maxDuration;
  if (length.unit() == TimeUnit::Second)
    return Error::config("data.mlm_probability_end",
                         formatText("changes over the run, and the length of a run of {} is only known while it runs; "
                                    "give max_duration in ba, sp, tok or ep, or leave this out",
                                    length.text()));
  ASSIGN_OR_RETURN(state.derived.maskRateEnd,
                   resolveTime(Time::duration(1.0), lengthOfPlan(state), 1.0, "max_duration"));
  return {};
}

}  // namespace

Ramp DerivedValues::ramp() const {
  if (!rampStarts.empty()) return Ramp::table(rampStarts, rampSizes);
  if (rampDuration) return Ramp::equalStages(rampSizes, globalUnits, *rampDuration);
  return Ramp(globalUnits);
}

bool DerivedValues::staysAtFullSize(const TrainConfig& config) const {
  const bool bounded = config.batch.growth.bound == GrowthBound::DeviceMaximum;
  return bounded && growthLargest && *growthLargest <= globalUnits && !config.batch.growth.allowDecrease;
}

double DerivedValues::samplesAt(const Time& time) const {
  switch (time.unit()) {
    case TimeUnit::Epoch: return time.number() * static_cast<double>(run.samplesPerEpoch.value_or(0));
    case TimeUnit::Batch: return time.number() * samplesPerBatch;
    case TimeUnit::Token: return time.number() * samplesPerBatch / tokensPerBatch;
    case TimeUnit::Sample:
    case TimeUnit::Duration:
    case TimeUnit::Second: break;
  }
  return time.number();
}

Result<void> deriveSizes(PlanState& state) {
  const BatchConfig& batch = state.config.batch;
  const DeviceShape& devices = state.devices;
  DerivedValues& derived = state.derived;
  if (devices.devices < 1) return belowOneError("devices", devices.devices);
  if (devices.devices > kMaxDevices)
    return Error::config("devices",
                         formatText("{} is above {}, the most that can be planned for", devices.devices, kMaxDevices));
  derived.globalUnits =
      batch.rampup.stages.empty() ? batch.globalTrainBatchSize : batch.rampup.stages.back().globalTrainBatchSize;
  const std::int64_t found = batch.deviceTrainMicrobatchSize.value_or(devices.microbatchUnits);
  if (batch.deviceTrainMicrobatchSize && found < 1) return belowOneError("batch.device_train_microbatch_size", found);
  if (derived.globalUnits != batch.globalTrainBatchSize &&
      batch.globalTrainBatchSize != BatchConfig{}.globalTrainBatchSize)
    state.note("batch.global_train_batch_size",
               formatText("{} is not used; the last size of batch.rampup.stages, {}, is the global batch",
                          batch.globalTrainBatchSize, derived.globalUnits));
  if (batch.useMaximumBatchSize && found > 0) derived.globalUnits = found * devices.devices;
  if (batch.useMaximumBatchSize && found <= 0)
    state.noteUntilLaunch("batch.use_maximum_batch_size",
                          formatText("the largest batch is found at launch; shown with {}", derived.globalUnits));
  if (derived.globalUnits < 1) return belowOneError("batch.global_train_batch_size", derived.globalUnits);
  const std::int64_t share = ceilDiv(derived.globalUnits, devices.devices);
  if (batch.deviceTrainMicrobatchSize) {
    derived.microbatchUnits = found;
  } else if (found > 0) {
    derived.microbatchUnits = std::min(found, share);
  } else if (batch.tokens.enabled()) {
    derived.microbatchUnits = 1;
  } else {
    derived.microbatchUnits = share;
    state.noteUntilLaunch("batch.device_train_microbatch_size",
                          formatText("auto is found at launch; shown as if {} fit", share));
  }
  return {};
}

Result<void> deriveRunValues(PlanState& state, bool grows) {
  RETURN_IF_ERROR(deriveRampSizes(state));
  RETURN_IF_ERROR(deriveRunLength(state, grows));
  RETURN_IF_ERROR(deriveStageEnd(state));
  if (state.config.optimizer.lr == 0.0)
    state.note("optimizer.lr", "is 0, so no weight ever changes; the factors are shown as if it were not");
  RETURN_IF_ERROR(deriveRampTimes(state));
  noteUnequalGroups(state, grows);
  RETURN_IF_ERROR(deriveScaling(state));
  if (grows) RETURN_IF_ERROR(deriveGrowth(state));
  deriveMeanBatch(state, grows);
  RETURN_IF_ERROR(deriveMaskRate(state));
  RETURN_IF_ERROR(deriveSchedule(state, grows));
  if (grows) boundGrowth(state);
  return {};
}

}  // namespace batchwise
