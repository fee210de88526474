// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/base/count_text.h"
#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/return_if_error.h"
#include "core/batch/messages.h"
#include "core/batch/plan_state.h"
#include "core/batch/token_budget.h"
#include "core/time/arithmetic.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxDevices = std::int64_t{1} << 20;

Error atLeastOne(const std::string& field, std::int64_t value) {
  return Error::config(messages::planValueBelowOne(field, value));
}

/// Derives the micro-batch and the full global batch, in units.
Result<void> deriveSizes(const TrainConfig& config, const DeviceShape& devices, DerivedValues& derived,
                         std::vector<Message>& notes) {
  const BatchConfig& batch = config.batch;
  if (devices.devices < 1) return atLeastOne("devices", devices.devices);
  if (devices.devices > kMaxDevices)
    return Error::config(messages::planDeviceCountTooLarge(devices.devices, kMaxDevices));
  derived.globalUnits =
      batch.rampup.stages.empty() ? batch.globalTrainBatchSize : batch.rampup.stages.back().globalTrainBatchSize;
  const std::int64_t found = batch.deviceTrainMicrobatchSize.value_or(devices.microbatchUnits);
  if (batch.deviceTrainMicrobatchSize && *batch.deviceTrainMicrobatchSize < 1)
    return atLeastOne("batch.device_train_microbatch_size", *batch.deviceTrainMicrobatchSize);
  if (derived.globalUnits != batch.globalTrainBatchSize &&
      batch.globalTrainBatchSize != BatchConfig{}.globalTrainBatchSize)
    notes.push_back(messages::planGlobalBatchSizeUnused(batch.globalTrainBatchSize, derived.globalUnits));
  if (batch.useMaximumBatchSize && found > 0) derived.globalUnits = found * devices.devices;
  if (batch.useMaximumBatchSize && found <= 0) notes.push_back(messages::planMaximumBatchNotKnown(derived.globalUnits));
  if (derived.globalUnits < 1) return atLeastOne("batch.global_train_batch_size", derived.globalUnits);
  const std::int64_t share = ceilDiv(derived.globalUnits, devices.devices);
  if (batch.deviceTrainMicrobatchSize) {
    derived.microbatchUnits = *batch.deviceTrainMicrobatchSize;
  } else if (devices.microbatchUnits > 0) {
    derived.microbatchUnits = std::min(devices.microbatchUnits, share);
  } else if (batch.tokens.enabled()) {
    derived.microbatchUnits = 1;
  } else {
    derived.microbatchUnits = share;
    notes.push_back(messages::planMicrobatchSizeNotKnown(share));
  }
  return {};
}

Result<void> deriveEqualStages(const RampupConfig& rampup, const DeviceShape& devices, DerivedValues& derived,
                               std::vector<Message>& notes) {
  const std::int64_t least = devices.devices * derived.microbatchUnits;
  const std::int64_t target = derived.globalUnits;
  std::int64_t initial = rampup.initialGlobalTrainBatchSize.value_or(std::min(least, target));
  if (rampup.growth != "doubling" && rampup.growth != "linear")
    return Error::config(messages::rampupGrowthUnknown(rampup.growth));
  if (rampup.growth == "doubling" && rampup.increment) notes.push_back(messages::rampupIncrementUnusedByDoubling());
  ASSIGN_OR_RETURN(auto sizes, rampup.growth == "doubling"
                                   ? doublingStages(initial, target)
                                   : linearStages(initial, rampup.increment.value_or(least), target));
  if (sizes.empty()) notes.push_back(messages::rampupStartsAtFullSize(target));
  derived.rampSizes = std::move(sizes);
  return {};
}

Result<void> checkTable(const RampupConfig& rampup, std::vector<Message>& notes) {
  if (rampup.duration || rampup.initialGlobalTrainBatchSize || rampup.increment)
    return Error::config(messages::rampupStagesExcludeOtherFields());
  for (std::size_t index = 0; index < rampup.stages.size(); ++index) {
    const std::int64_t size = rampup.stages[index].globalTrainBatchSize;
    const std::string field = "batch.rampup.stages[" + std::to_string(index) + "].global_train_batch_size";
    if (size < 1) return atLeastOne(field, size);
    if (index > 0 && size < rampup.stages[index - 1].globalTrainBatchSize)
      notes.push_back(messages::rampupStageSmallerThanPrevious(field, size));
  }
  return {};
}

/// Derives step sizes below the full one before any Time is resolved: they decide whether all global batches have one
/// size.
Result<void> deriveRampSizes(const TrainConfig& config, const DeviceShape& devices, DerivedValues& derived,
                             std::vector<Message>& notes) {
  const RampupConfig& rampup = config.batch.rampup;
  if (!rampup.stages.empty()) {
    if (config.batch.useMaximumBatchSize) return Error::config(messages::maximumBatchSizeExcludesStages());
    RETURN_IF_ERROR(checkTable(rampup, notes));
    for (const RampStageConfig& stage : rampup.stages) derived.rampSizes.push_back(stage.globalTrainBatchSize);
    return {};
  }
  if (rampup.duration) return deriveEqualStages(rampup, devices, derived, notes);
  if (rampup.initialGlobalTrainBatchSize || rampup.increment) return Error::config(messages::rampupDurationMissing());
  return {};
}

bool oneBatchSize(const TrainConfig& config, const DerivedValues& derived, bool grows) {
  if (grows || config.batch.tokens.enabled()) return false;
  return std::all_of(derived.rampSizes.begin(), derived.rampSizes.end(), [&](std::int64_t size) {
    return shapeOf(size, derived.globalUnits).batchUnits() == derived.globalUnits;
  });
}

Result<void> resolveTable(const RampupConfig& rampup, DerivedValues& derived) {
  for (std::size_t index = 0; index < rampup.stages.size(); ++index) {
    const std::string field = "batch.rampup.stages[" + std::to_string(index) + "].at";
    ASSIGN_OR_RETURN(auto at, resolveTime(rampup.stages[index].at, derived.run, 1.0, field));
    if (index == 0 && at.count() != 0)
      return Error::config(messages::rampupFirstStageNotZero(field, rampup.stages[0].at.text()));
    if (index > 0) {
      // The first stage's 0 takes the unit of the others.
      if (index == 1) derived.rampStarts[0] = Time::of(0, at.unit());
      const auto order = compare(derived.rampStarts.back(), at);
      if (!order)
        return Error::config(messages::rampupStageUnitDiffers(field, at.text(), derived.rampStarts.back().text()));
      if (*order != std::partial_ordering::less)
        return Error::config(messages::rampupStageOutOfOrder(field, at.text(), derived.rampStarts.back().text()));
    }
    derived.rampStarts.push_back(at);
  }
  return {};
}

Result<void> resolveRamp(const TrainConfig& config, DerivedValues& derived, std::vector<Message>& notes) {
  const RampupConfig& rampup = config.batch.rampup;
  if (!rampup.stages.empty()) return resolveTable(rampup, derived);
  if (!rampup.duration) return {};
  ASSIGN_OR_RETURN(auto duration, resolveTime(*rampup.duration, derived.run, 1.0, "batch.rampup.duration"));
  derived.rampDuration = duration;
  if (duration.count() == 0) notes.push_back(messages::rampupDurationResolvesToZero(rampup.duration->text()));
  const auto all = resolveEnd(derived.run);
  if (all && all->unit() == duration.unit() && duration.count() > all->count())
    notes.push_back(messages::rampupLongerThanRun(duration.text(), all->text()));
  return {};
}

/// Returns the mean tokens per sample; without data, the maximum length.
double tokensPerSample(const TrainConfig& config, const UnitCounts& usable) {
  if (usable.samples == 0) return static_cast<double>(config.data.maxSeqLen);
  return static_cast<double>(usable.tokens) / static_cast<double>(usable.samples);
}

/// Returns the samples of a full global batch (a mean under a token budget), at most those of an epoch.
double samplesPerBatch(const TrainConfig& config, const DerivedValues& derived, double tokensPerSampleMean) {
  const TokenBudgetConfig& tokens = config.batch.tokens;
  const auto units = static_cast<double>(derived.globalUnits);
  double perUnit = 1.0;
  if (tokens.enabled()) perUnit = std::max(1.0, static_cast<double>(*tokens.maxTokens) / tokensPerSampleMean);
  if (tokens.enabled() && tokens.maxBatchSize.value_or(0) > 0)
    perUnit = std::min(perUnit, static_cast<double>(*tokens.maxBatchSize));
  const double all = units * perUnit;
  return derived.run.samplesPerEpoch ? std::min(all, static_cast<double>(*derived.run.samplesPerEpoch)) : all;
}

Result<void> deriveScaling(const TrainConfig& config, DerivedValues& derived) {
  const LrScalingConfig& scaling = config.lrScaling;
  ASSIGN_OR_RETURN(const auto method, lrScalingMethod(scaling.method));
  if (scaling.referenceBatchSize && *scaling.referenceBatchSize < 1)
    return atLeastOne("lr_scaling.reference_batch_size", *scaling.referenceBatchSize);
  const bool needed = config.batch.tokens.enabled() || scaling.by == "tokens";
  if (method != LrScalingMethod::None && needed && !scaling.referenceBatchSize)
    return Error::config(messages::scalingReferenceBatchSizeMissing(scaling.by));
  derived.referenceBatchSize = static_cast<double>(scaling.referenceBatchSize.value_or(derived.globalUnits));
  return {};
}

Result<void> deriveGrowth(const TrainConfig& config, bool grows, DerivedValues& derived) {
  if (!grows) return {};
  const Time& every = config.batch.growth.every;
  if (every.unit() == TimeUnit::Second) return Error::config(messages::growthIntervalInSeconds(every.text()));
  if (!(every.number() > 0.0)) return Error::config(messages::growthIntervalNotPositive(every.text()));
  ASSIGN_OR_RETURN(auto resolved, resolveInterval(every, derived.run, "batch.growth.every"));
  derived.growthEvery = resolved;
  return {};
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

/// Converts `at` to another clock if a global batch starts there.
std::optional<Time> onClock(const PlanState& state, const DerivedValues& derived, const Time& at, TimeUnit unit) {
  constexpr double kMaxPacked = 0x1p20;  // samples, whose packs must be planned
  const double samples = at.unit() == TimeUnit::Batch   ? at.number() * derived.samplesPerBatch
                         : at.unit() == TimeUnit::Token ? at.number() * derived.samplesPerBatch / derived.tokensPerBatch
                                                        : at.number();
  if (samples >= (state.packs ? kMaxPacked : static_cast<double>(state.source->lookaheadSamples())))
    return std::nullopt;
  const Timeline timeline(state.source);
  const std::vector<Segment> segments = timeline.rampSegments(rampOf(derived));
  const Timestamp place =
      timeline.lastBefore(segments, [&](const Timestamp& now) { return clockValue(now, at.unit()) > at.count(); });
  if (clockValue(place, at.unit()) != at.count()) return std::nullopt;
  return Time::of(clockValue(place, unit), unit);
}

Result<void> deriveSchedule(const PlanState& state, const UnitCounts& usable, bool grows, DerivedValues& derived,
                            std::vector<Message>& notes) {
  const TrainConfig& config = state.config;
  const double perSample = tokensPerSample(config, usable);
  derived.samplesPerBatch = samplesPerBatch(config, derived, perSample);
  derived.tokensPerBatch = derived.samplesPerBatch * perSample;
  ScheduleRun run;
  run.length = derived.run;
  run.ratio = config.scaleScheduleRatio;
  run.samplesPerBatch = derived.samplesPerBatch;
  run.tokensPerBatch = derived.tokensPerBatch;
  if (state.dataKnown && !grows)
    run.convert = [&](const Time& at, TimeUnit unit) { return onClock(state, derived, at, unit); };
  ASSIGN_OR_RETURN(auto scheduler, resolveSchedule(config.scheduler, run, notes));
  derived.scheduler = scheduler;
  if (derived.run.maxDuration.unit() == TimeUnit::Second) return {};
  ASSIGN_OR_RETURN(auto end, resolveTime(Time::duration(1.0), derived.run, 1.0, "max_duration"));
  derived.scheduleEnd = latestTime(derived.scheduler, end);
  return {};
}

/// Groups of equal packs are global batches only if all global batches have G packs.
void noteUnequalGroups(const TrainConfig& config, const DerivedValues& derived, bool grows,
                       std::vector<Message>& notes) {
  if (!config.batch.tokens.requiredMicrobatchesOfSameSize) return;
  const bool ramps = std::any_of(derived.rampSizes.begin(), derived.rampSizes.end(), [&](std::int64_t size) {
    return shapeOf(size, derived.globalUnits).batchUnits() != derived.globalUnits;
  });
  if (ramps || grows)
    notes.push_back(grows ? messages::packGroupsSplitByGrowth(derived.globalUnits)
                          : messages::packGroupsSplitByRampup(derived.globalUnits));
}

/// Requires `state` with config, devices and source.
Result<DerivedValues> derive(const PlanState& state, const Lengths* lengths, const UnitCounts& usable, bool grows,
                             std::vector<Message>& notes) {
  const TrainConfig& config = state.config;
  const DeviceShape& devices = state.devices;
  DerivedValues derived;
  RETURN_IF_ERROR(deriveSizes(config, devices, derived, notes));
  RETURN_IF_ERROR(deriveRampSizes(config, devices, derived, notes));
  ASSIGN_OR_RETURN(auto duration, scaleMaxDuration(config.maxDuration, config.scaleScheduleRatio));
  derived.run.maxDuration = duration;
  if (lengths != nullptr) {
    derived.run.samplesPerEpoch = usable.samples;
    if (oneBatchSize(config, derived, grows))
      derived.run.batchesPerEpoch = ceilDiv(usable.samples, derived.globalUnits);
  } else if (duration.unit() == TimeUnit::Epoch) {
    return Error::config(messages::maxDurationNeedsDataLength(duration.text()));
  }
  RETURN_IF_ERROR(resolveEnd(derived.run));
  if (config.optimizer.lr == 0.0) notes.push_back(messages::planLearningRateIsZero());
  RETURN_IF_ERROR(resolveRamp(config, derived, notes));
  noteUnequalGroups(config, derived, grows, notes);
  RETURN_IF_ERROR(deriveScaling(config, derived));
  RETURN_IF_ERROR(deriveGrowth(config, grows, derived));
  RETURN_IF_ERROR(deriveSchedule(state, usable, grows, derived, notes));
  return derived;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

/// Upper bound of stored sizes, as in the configuration.
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 40;

/// Reads stored values, which are untrusted; records the first that is missing, unreadable or impossible.
class ValueReader {
 public:
  explicit ValueReader(const ResolvedValues& values) : values_(values) {}

  std::optional<std::string> text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional{found->second};
  }
  std::optional<std::int64_t> count(const std::string& name) {
    const auto found = text(name);
    if (!found) return std::nullopt;
    const auto value = parsed<std::int64_t>(name, *found);
    if (value && (*value < 1 || *value > kFarthestSample)) fail(name, messages::storedEpochCountInvalid(*found));
    return value;
  }
  /// Reads a batch size in units.
  std::int64_t needSize(const std::string& name) {
    const auto found = text(name);
    if (!found) fail(name, messages::storedValueMissing());
    return found ? size(name, *found) : 1;
  }
  std::int64_t size(const std::string& name, const std::string& text) {
    const std::int64_t units = parsed<std::int64_t>(name, text).value_or(1);
    if (units < 1 || units > kMaxUnits) fail(name, messages::storedBatchSizeInvalid(text));
    return units;
  }
  double needPositive(const std::string& name) {
    const auto found = text(name);
    if (!found) fail(name, messages::storedValueMissing());
    const double number = found ? parsed<double>(name, *found).value_or(1.0) : 1.0;
    if (!std::isfinite(number) || number <= 0.0) fail(name, messages::storedValueNotPositive(found.value_or("")));
    return number;
  }
  std::optional<Time> time(const std::string& name) {
    const auto found = text(name);
    if (!found) return std::nullopt;
    auto value = Time::parse(*found);
    if (!value) fail(name, messages::storedValueUnreadable(*found));
    return value ? std::optional<Time>{*value} : std::nullopt;
  }
  void fail(const std::string& name, const Message& what) {
    if (!problem_) problem_ = Error::config(messages::storedValueInvalid(name, what));
  }
  const std::optional<Error>& problem() const { return problem_; }

  template <typename Number>
  std::optional<Number> parsed(const std::string& name, const std::string& text) {
    Number value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return value;
    fail(name, messages::storedValueUnreadable(text));
    return std::nullopt;
  }

 private:
  const ResolvedValues& values_;
  std::optional<Error> problem_;
};

void readRamp(ValueReader& reader, DerivedValues& derived) {
  const std::string sizes = "batch.rampup.sizes", starts = "batch.rampup.starts";
  for (const std::string& size : split(reader.text(sizes).value_or("")))
    derived.rampSizes.push_back(reader.size(sizes, size));
  for (const std::string& start : split(reader.text(starts).value_or(""))) {
    const auto time = Time::parse(start);
    const bool follows = time && (derived.rampStarts.empty() || (time->unit() == derived.rampStarts.back().unit() &&
                                                                 time->count() > derived.rampStarts.back().count()));
    if (!follows) return reader.fail(starts, messages::storedRampStartInvalid(start));
    derived.rampStarts.push_back(*time);
  }
  if (!derived.rampStarts.empty() && derived.rampStarts.size() != derived.rampSizes.size())
    reader.fail(starts, messages::storedRampStartsCountMismatch());
  if (derived.rampDuration && derived.rampDuration->count() < 0)
    reader.fail("batch.rampup.duration", messages::storedRampupDurationNegative());
}

}  // namespace

Ramp rampOf(const DerivedValues& derived) {
  if (!derived.rampStarts.empty()) return Ramp::table(derived.rampStarts, derived.rampSizes);
  if (derived.rampDuration) return Ramp::equalStages(derived.rampSizes, derived.globalUnits, *derived.rampDuration);
  return Ramp(derived.globalUnits);
}

ResolvedValues toResolvedValues(const DerivedValues& derived) {
  ResolvedValues values = scheduleTimes(derived.scheduler);
  values["max_duration"] = derived.run.maxDuration.text();
  values["batch.global_train_batch_size"] = std::to_string(derived.globalUnits);
  values["batch.device_train_microbatch_size"] = std::to_string(derived.microbatchUnits);
  values["lr_scaling.reference_batch_size"] = formatExact(derived.referenceBatchSize);
  values["scheduler.samples_per_batch"] = formatExact(derived.samplesPerBatch);
  values["scheduler.tokens_per_batch"] = formatExact(derived.tokensPerBatch);
  if (derived.scheduleEnd) values["scheduler.end"] = derived.scheduleEnd->text();
  if (derived.run.samplesPerEpoch) values["data.samples_per_epoch"] = std::to_string(*derived.run.samplesPerEpoch);
  if (derived.run.batchesPerEpoch) values["data.batches_per_epoch"] = std::to_string(*derived.run.batchesPerEpoch);
  if (derived.growthEvery) values["batch.growth.every"] = derived.growthEvery->text();
  if (derived.growthLargest) values["batch.growth.device_maximum"] = std::to_string(*derived.growthLargest);
  if (derived.rampDuration) values["batch.rampup.duration"] = derived.rampDuration->text();
  std::vector<std::string> sizes;
  std::vector<std::string> starts;
  for (const std::int64_t size : derived.rampSizes) sizes.push_back(std::to_string(size));
  for (const Time& start : derived.rampStarts) starts.push_back(start.text());
  if (!sizes.empty()) values["batch.rampup.sizes"] = joined(sizes);
  if (!starts.empty()) values["batch.rampup.starts"] = joined(starts);
  return values;
}

Result<DerivedValues> fromResolvedValues(const TrainConfig& config, const ResolvedValues& values) {
  DerivedValues derived;
  ValueReader reader(values);
  derived.globalUnits = reader.needSize("batch.global_train_batch_size");
  derived.microbatchUnits = reader.needSize("batch.device_train_microbatch_size");
  derived.referenceBatchSize = reader.needPositive("lr_scaling.reference_batch_size");
  derived.samplesPerBatch = reader.needPositive("scheduler.samples_per_batch");
  derived.tokensPerBatch = reader.needPositive("scheduler.tokens_per_batch");
  derived.scheduleEnd = reader.time("scheduler.end");
  derived.run.samplesPerEpoch = reader.count("data.samples_per_epoch");
  derived.run.batchesPerEpoch = reader.count("data.batches_per_epoch");
  derived.growthEvery = reader.time("batch.growth.every");
  if (reader.text("batch.growth.device_maximum"))
    derived.growthLargest = reader.needSize("batch.growth.device_maximum");
  derived.rampDuration = reader.time("batch.rampup.duration");
  readRamp(reader, derived);
  ASSIGN_OR_RETURN(auto duration, scaleMaxDuration(config.maxDuration, config.scaleScheduleRatio));
  derived.run.maxDuration = duration;
  derived.holdsSchedule = reader.text("max_duration").value_or("") != duration.text();
  if (reader.problem()) return *reader.problem();
  ASSIGN_OR_RETURN(auto scheduler, withScheduleTimes(config.scheduler, values));
  derived.scheduler = scheduler;
  return derived;
}

Result<void> makeSource(PlanState& state, std::shared_ptr<const Lengths> lengths, std::int64_t globalUnits) {
  const TrainConfig& config = state.config;
  state.dataKnown = lengths != nullptr;
  if (lengths && lengths->known()) state.lengths = lengths;
  if (lengths && lengths->size() == 0) return Error::config(messages::dataHoldsNoSample());
  if (lengths && lengths->longest() == 0) return Error::config(messages::dataSamplesHaveZeroTokens(lengths->size()));
  if (lengths && (lengths->totalTokens() >= kMaxCountedTokens || lengths->size() >= kFarthestSample))
    return Error::config(messages::dataTooLargeToCount(lengths->size(), lengths->longest()));
  if (config.batch.tokens.enabled()) {
    ASSIGN_OR_RETURN(const auto rules, packRules(config.batch.tokens, globalUnits));
    if (!lengths) return Error::config(messages::tokenBudgetNeedsSampleLengths());
    ASSIGN_OR_RETURN(auto packs, PackSource::make(config, lengths, rules));
    state.packs = packs;
    state.source = packs;
    return {};
  }
  if (!lengths) {
    // For unknown data, an epoch longer than any run.
    const auto longest = static_cast<std::uint32_t>(config.data.maxSeqLen);
    lengths = std::make_shared<EqualLengths>(2 * farthestSample(longest), longest);
  }
  const DataOrder order = config.data.shuffle ? DataOrder::Shuffled : DataOrder::File;
  state.source = std::make_shared<SampleSource>(std::move(lengths), static_cast<std::uint64_t>(config.seed), order);
  return {};
}

namespace {

/// Returns the trainable samples of an epoch and their tokens; zero for unknown data.
UnitCounts usableOf(const PlanState& state, const Lengths* lengths) {
  if (state.packs) return state.packs->usable();
  return lengths != nullptr ? UnitCounts{lengths->size(), lengths->totalTokens()} : UnitCounts{};
}

/// Bounds growth by the global batch that the devices hold at once.
void boundGrowth(const TrainConfig& config, const DeviceShape& devices, DerivedValues& derived,
                 std::vector<Message>& notes) {
  if (!derived.growthEvery || config.batch.growth.bound != "device_maximum") return;
  const std::int64_t largest = std::max(devices.largestUnits, config.batch.deviceTrainMicrobatchSize.value_or(0));
  if (largest > 0)
    derived.growthLargest = largest * devices.devices;
  else if (devices.microbatchUnits > 0)
    notes.push_back(messages::planGrowthUnboundedOnCpu());
  else
    notes.push_back(messages::planGrowthBoundNotKnown());
}

void noteLongSamples(const TrainConfig& config, const Lengths* lengths, std::vector<Message>& notes) {
  if (lengths == nullptr || lengths->longest() <= config.data.maxSeqLen) return;
  notes.push_back(messages::planSequenceLimitBelowLongest(config.data.maxSeqLen, lengths->longest()));
}

}  // namespace

Result<Plan> Plan::resolve(const TrainConfig& config, std::shared_ptr<const Lengths> lengths,
                           const DeviceShape& devices, GrowthFunction growth) {
  PlanState state;
  state.config = config;
  state.devices = devices;
  DerivedValues sizes;
  std::vector<Message> sizeNotes;
  RETURN_IF_ERROR(deriveSizes(config, devices, sizes, sizeNotes));
  RETURN_IF_ERROR(makeSource(state, lengths, sizes.globalUnits));
  const bool grows = config.batch.growth.enabled() || growth;
  const UnitCounts usable = usableOf(state, lengths.get());
  ASSIGN_OR_RETURN(auto derived, derive(state, lengths.get(), usable, grows, state.notes));
  state.derived = derived;
  boundGrowth(config, devices, state.derived, state.notes);
  noteLongSamples(config, lengths.get(), state.notes);
  RETURN_IF_ERROR(assemble(state, std::move(growth)));
  if (lengths) RETURN_IF_ERROR(lengths->intact());
  return Plan(std::make_shared<const PlanState>(std::move(state)));
}

Result<Plan> Plan::restore(const TrainConfig& config, const ResolvedValues& resolved,
                           std::shared_ptr<const Lengths> lengths, const DeviceShape& devices, GrowthFunction growth) {
  PlanState state;
  state.config = config;
  state.devices = devices;
  auto derived = fromResolvedValues(config, resolved);
  if (!derived) return derived.error();
  state.derived = *derived;
  RETURN_IF_ERROR(makeSource(state, lengths, derived->globalUnits));
  const std::int64_t usable = usableOf(state, lengths.get()).samples;
  if (lengths && !derived->run.samplesPerEpoch) return Error::config(messages::storedSamplesPerEpochMissing());
  if (derived->run.samplesPerEpoch && *derived->run.samplesPerEpoch != usable)
    return Error::config(messages::dataSampleCountChanged(usable, *derived->run.samplesPerEpoch));
  if (devices.microbatchUnits > 0) state.derived.microbatchUnits = devices.microbatchUnits;
  RETURN_IF_ERROR(assemble(state, std::move(growth)));
  if (lengths) RETURN_IF_ERROR(lengths->intact());
  return Plan(std::make_shared<const PlanState>(std::move(state)));
}

}  // namespace batchwise
