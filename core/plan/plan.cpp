// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/schedule_parameters.h"
#include "core/config/time/time.h"
#include "core/plan/plan_state.h"
#include "core/plan/seesaw.h"

namespace batchwise {
namespace {

/// Sets source, packs, lengths and usable. Fails with Config for unusable data or token budgets.
Result<void> makeSource(PlanState& state, std::shared_ptr<const Lengths> lengths) {
  const TrainConfig& config = state.config;
  state.dataKnown = lengths != nullptr;
  if (lengths && lengths->known()) state.lengths = lengths;
  if (lengths && lengths->size() == 0) return Error::config("data", "holds no sample; give text that is not empty");
  if (lengths && lengths->longest() == 0)
    return Error::config(
        "data", formatText("all of its {} have 0 tokens; give their lengths", countText(lengths->size(), "sample")));
  if (lengths && (lengths->totalTokens() >= kMaxCountedTokens || lengths->size() >= kFarthestSample))
    return Error::config("data", formatText("{} samples of up to {} tokens are more than can be counted (an epoch has "
                                            "fewer than 2^50 samples and 2^61 tokens); give fewer or shorter samples",
                                            lengths->size(), lengths->longest()));
  if (config.batch.tokens.enabled()) {
    ASSIGN_OR_RETURN(const auto rules, packRules(config.batch.tokens, state.derived.globalUnits));
    if (!lengths)
      return Error::config("batch.tokens.max_tokens",
                           "packs need the lengths of the samples; give the data (or --seqlens FILE)");
    ASSIGN_OR_RETURN(state.packs, PackSource::make(config, lengths, rules));
    state.source = state.packs;
    state.usable = state.packs->usable();
    return {};
  }
  if (lengths) {
    state.usable = {lengths->size(), lengths->totalTokens()};
  } else {
    // For unknown data, an epoch longer than any run.
    const auto longest = static_cast<std::uint32_t>(config.data.maxSeqLen);
    lengths = std::make_shared<EqualLengths>(2 * farthestSample(longest), longest);
  }
  const DataOrder order = config.data.shuffle ? DataOrder::Shuffled : DataOrder::File;
  state.source = std::make_shared<SampleSource>(std::move(lengths), static_cast<std::uint64_t>(config.seed), order);
  return {};
}

/// Returns starts of global batches: the first of each range and the last of all; others are interpolated linearly. A
/// run that is too long to count or ends by the clock is one line, estimated from its mean global batch.
std::vector<Timestamp> sampledBatchStarts(const PlanState& state) {
  constexpr double kTimedBatches = 5000.0;
  constexpr double kMaxPacked = 0x1p24;  // samples; packing these takes a few seconds
  const double samples = state.derived.samplesAt(state.derived.run.maxDuration);
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
  for (const ShapeRange& range : state.ranges)
    if (!state.finished(range.start)) corners.push_back(range.start);
  corners.push_back(state.timeline->lastBefore(state.ranges, state.end.unit(),
                                               [&](const Timestamp& at) { return state.finished(at); }));
  return corners;
}

Result<void> checkFactorAt(const PlanState& state, const Timestamp& now) {
  const double factor = state.learningRate->factor(now);
  if (std::isfinite(factor) && factor >= 0.0) return {};
  return Error::config("scheduler.expression",
                       formatText("gives {} at {}; a factor must be finite and not negative over the whole run",
                                  std::isfinite(factor) ? formatExact(factor) : "no finite number",
                                  Time::of(now.batch, TimeUnit::Batch).text()));
}

/// An expression may have no valid value at some global batch: tries each of the run, or some thousands spread over it.
/// Others are detected when their global batch starts.
Result<void> checkExpression(const PlanState& state) {
  constexpr std::int64_t kTried = 5000;
  if (!state.learningRate->usesExpression()) return {};
  const std::vector<Timestamp> corners = sampledBatchStarts(state);
  const std::int64_t step = std::max<std::int64_t>(1, corners.back().batch / kTried);
  for (std::size_t index = 0; index + 1 < corners.size(); ++index) {
    const Timestamp& from = corners[index];
    const Timestamp& to = corners[index + 1];
    for (std::int64_t batch = from.batch; batch < to.batch; batch += step) {
      const double share = static_cast<double>(batch - from.batch) / static_cast<double>(to.batch - from.batch);
      Timestamp now;
      now.batch = batch;
      now.sample = from.sample + static_cast<std::int64_t>(share * static_cast<double>(to.sample - from.sample));
      now.token = from.token + static_cast<std::int64_t>(share * static_cast<double>(to.token - from.token));
      RETURN_IF_ERROR(checkFactorAt(state, now));
    }
  }
  return checkFactorAt(state, corners.back());
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

/// Returns whether the clocks at the end of the schedule depend on how the batch has grown, which only the run knows.
bool isScheduleEndUnknown(const PlanState& state) {
  const Time& end = *state.derived.scheduleEnd;
  return state.unknownFrom && clockValue(*state.unknownFrom, end.unit()) < end.count() &&
         !usesOnlyClock(state.derived.scheduler, end.unit());
}

Result<StepLearningRate> makeLearningRate(const PlanState& state) {
  const DerivedValues& derived = state.derived;
  return StepLearningRate::make(state.config, derived.scheduler,
                                {state.config.optimizer.lr, derived.samplesPerBatch, derived.tokensPerBatch},
                                derived.referenceBatchSize);
}

/// Completes a state from config, devices, derived and source. Fails with Config, naming the field.
Result<void> assemble(PlanState& state, GrowthFunction growth) {
  const DerivedValues& derived = state.derived;
  ASSIGN_OR_RETURN(state.end, endOfPlan(state));
  state.timeline.emplace(state.source);
  ASSIGN_OR_RETURN(state.learningRate, makeLearningRate(state));
  if (state.place.runDuration) state.learningRate->countFrom(state.place.start);
  RETURN_IF_ERROR(planRanges(state, std::move(growth)));
  if (derived.holdsSchedule && derived.scheduleEnd) {
    state.learningRate->holdFrom(*derived.scheduleEnd, clocksAtScheduleEnd(state));
    if (isScheduleEndUnknown(state))
      state.note("scheduler", formatText("the rate that is held from {} on is that of a run whose batch does not grow: "
                                         "growth depends on the run; --stretch plans the schedule anew",
                                         derived.scheduleEnd->text()));
  }
  RETURN_IF_ERROR(checkExpression(state));
  listRanges(state);
  reviewRanges(state);
  state.resolved = toResolvedValues(derived);
  if (const GrowthConfig& rule = state.config.batch.growth; rule.rule != GrowthPreset::None)
    state.resolved["batch.growth.increase_function"] = growthExpression(rule, derived.globalUnits);
  if (state.packs &&
      derived.samplesAt(derived.run.maxDuration) >= static_cast<double>(state.source->lookaheadSamples()))
    state.note("batch.tokens", "the run is too long to count its packs ahead; totals are left out");
  return {};
}

/// Upper bound of stored sizes, as in the configuration.
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 40;

/// Calls visit(name, member) for each stored value.
template <typename Derived, typename Visit>
void visitValues(Derived& derived, const Visit& visit) {
  visit("batch.global_train_batch_size", derived.globalUnits);
  visit("batch.device_train_microbatch_size", derived.microbatchUnits);
  visit("lr_scaling.reference_batch_size", derived.referenceBatchSize);
  visit("scheduler.samples_per_batch", derived.samplesPerBatch);
  visit("scheduler.tokens_per_batch", derived.tokensPerBatch);
  visit("stage_end", derived.stageEnd);
  visit("scheduler.end", derived.scheduleEnd);
  visit("data.mlm_probability_end", derived.maskRateEnd);
  visit("data.samples_per_epoch", derived.run.samplesPerEpoch);
  visit("data.batches_per_epoch", derived.run.batchesPerEpoch);
  visit("batch.growth.every", derived.growthEvery);
  visit("batch.growth.dwell", derived.growthDwell);
  visit("batch.growth.device_maximum", derived.growthLargest);
  visit("batch.growth.samples_per_pack", derived.samplesPerPack);
  visit("batch.rampup.duration", derived.rampDuration);
  visit("batch.rampup.sizes", derived.rampSizes);
  visit("batch.rampup.starts", derived.rampStarts);
}

std::string valueText(std::int64_t value) {
  return std::to_string(value);
}
std::string valueText(double value) {
  return formatExact(value);
}
std::string valueText(const Time& value) {
  return value.text();
}
template <typename Value>
std::string valueText(const std::optional<Value>& value) {
  return value ? valueText(*value) : "";
}
template <typename Value>
std::string valueText(const std::vector<Value>& values) {
  return joined(values, ",", [](const Value& value) { return valueText(value); });
}

/// Reads stored values, which are untrusted, into the members of visitValues(); records the first that is missing,
/// unreadable or impossible.
class ValueReader {
 public:
  explicit ValueReader(const ResolvedValues& values) : values_(values) {}

  void operator()(const std::string& name, std::int64_t& units) {
    if (const auto text = needed(name)) units = size(name, *text);
  }
  void operator()(const std::string& name, double& number) {
    const auto text = needed(name);
    if (!text) return;
    number = parsed<double>(name, *text).value_or(1.0);
    if (!std::isfinite(number) || number <= 0.0) fail(name, formatText("'{}' is not above 0", *text));
  }
  void operator()(const std::string& name, std::optional<std::int64_t>& count) {
    const auto text = found(name);
    if (!text) return;
    const bool ofEpoch = name.starts_with("data.");
    count = ofEpoch ? parsed<std::int64_t>(name, *text) : size(name, *text);
    if (ofEpoch && count && (*count < 1 || *count > kFarthestSample))
      fail(name, formatText("'{}' is not a valid count for an epoch", *text));
  }
  void operator()(const std::string& name, std::optional<double>& number) {
    if (found(name)) (*this)(name, number.emplace());
  }
  void operator()(const std::string& name, std::optional<Time>& time) {
    const auto text = found(name);
    if (!text) return;
    if (const auto value = Time::parse(*text))
      time = *value;
    else
      fail(name, formatText("'{}' cannot be read", *text));
  }
  void operator()(const std::string& name, std::vector<std::int64_t>& sizes) {
    for (const std::string& entry : entries(name)) sizes.push_back(size(name, entry));
  }
  void operator()(const std::string& name, std::vector<Time>& starts) {
    for (const std::string& entry : entries(name)) {
      const auto time = Time::parse(entry);
      const bool follows =
          time && (starts.empty() || (time->unit() == starts.back().unit() && time->count() > starts.back().count()));
      if (!follows) return fail(name, formatText("'{}' cannot be read, or does not follow the one before", entry));
      starts.push_back(*time);
    }
  }

  void fail(const std::string& name, const std::string& what) {
    if (!problem_) problem_ = Error::config(formatText("stored value {}: {}", name, what));
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  std::optional<std::string> found(const std::string& name) const {
    const auto place = values_.find(name);
    return place == values_.end() ? std::nullopt : std::optional{place->second};
  }
  std::optional<std::string> needed(const std::string& name) {
    auto text = found(name);
    if (!text) fail(name, "is missing");
    return text;
  }
  std::vector<std::string> entries(const std::string& name) const { return partsOf(found(name).value_or(""), ','); }
  std::int64_t size(const std::string& name, const std::string& text) {
    const std::int64_t units = parsed<std::int64_t>(name, text).value_or(1);
    if (units < 1 || units > kMaxUnits) fail(name, formatText("'{}' is not a batch size", text));
    return units;
  }
  template <typename Number>
  std::optional<Number> parsed(const std::string& name, const std::string& text) {
    const auto value = numberFrom<Number>(text);
    if (!value) fail(name, formatText("'{}' cannot be read", text));
    return value;
  }

  const ResolvedValues& values_;
  std::optional<Error> problem_;
};

/// Returns whether a stage may end at `time`.
bool countsProgress(const Time& time) {
  return time.isWhole() && time.unit() != TimeUnit::Duration && time.unit() != TimeUnit::Second;
}

/// Adds the clocks of the run at the begin of the stage, or takes them away.
Timestamp shiftedBy(Timestamp at, const StagePlace& place, int sign) {
  at.epoch += sign * place.passStart.epoch;
  at.batch += sign * place.start.batch;
  at.step += sign * place.start.step;
  at.sample += sign * place.start.sample;
  at.token += sign * place.start.token;
  at.seconds += sign * place.start.seconds;
  return at;
}

}  // namespace

Timestamp PlanState::inStage(const Timestamp& now) const {
  return shiftedBy(now, place, -1);
}

Timestamp PlanState::inRun(const Timestamp& at) const {
  return shiftedBy(at, place, 1);
}

Result<Plan> Plan::resolve(const TrainConfig& config, std::shared_ptr<const Lengths> lengths,
                           const DeviceShape& devices, GrowthFunction growth, const StagePlace& place) {
  const auto derive = [&](PlanState& derived) -> Result<void> {
    RETURN_IF_ERROR(deriveSizes(derived));
    RETURN_IF_ERROR(makeSource(derived, lengths));
    if (place.runDuration && place.first != nullptr) {
      derived.derived.scheduler = place.first->state_->derived.scheduler;
      derived.derived.scheduleEnd = place.first->state_->derived.scheduleEnd;
    }
    return deriveRunValues(derived, config.batch.growth.enabled() || growth);
  };
  PlanState state;
  state.config = config;
  fillWarmupStart(state.config);
  state.devices = devices;
  state.place = place;
  RETURN_IF_ERROR(expandSeesaw(state, derive));
  RETURN_IF_ERROR(derive(state));
  state.place.first = nullptr;
  if (lengths && lengths->longest() > config.data.maxSeqLen)
    state.note("data.max_seq_len",
               formatText("{} is below the longest of the given lengths, {}; data prepared with it has no such samples",
                          config.data.maxSeqLen, lengths->longest()));
  RETURN_IF_ERROR(assemble(state, std::move(growth)));
  noteSeesaw(config, state);
  noteScheduleSlips(config, state);
  if (lengths) RETURN_IF_ERROR(lengths->intact());
  return Plan(std::make_shared<const PlanState>(std::move(state)));
}

Result<Plan> Plan::restore(const TrainConfig& config, const ResolvedValues& resolved,
                           std::shared_ptr<const Lengths> lengths, const DeviceShape& devices, GrowthFunction growth,
                           const StagePlace& place) {
  PlanState state;
  state.config = withSeesawScaling(config);
  fillWarmupStart(state.config);
  state.devices = devices;
  state.place = place;
  ASSIGN_OR_RETURN(state.derived, fromResolvedValues(state.config, resolved));
  RETURN_IF_ERROR(makeSource(state, lengths));
  const auto& stored = state.derived.run.samplesPerEpoch;
  if (lengths && !stored)
    return Error::config("data.samples_per_epoch of the stored run is missing; resume from another checkpoint");
  if (stored && *stored != state.usable.samples)
    return Error::config("data",
                         formatText("has {}, the run was launched with {}; resume with the same data, or fork the run",
                                    countText(state.usable.samples, "sample"), *stored));
  if (devices.microbatchUnits > 0) state.derived.microbatchUnits = devices.microbatchUnits;
  // Of another length than at launch, the stage ends elsewhere.
  if (state.derived.stageEnd && state.derived.holdsSchedule) {
    ASSIGN_OR_RETURN(state.derived.stageEnd, ownEnd(state));
  }
  RETURN_IF_ERROR(assemble(state, std::move(growth)));
  if (lengths) RETURN_IF_ERROR(lengths->intact());
  return Plan(std::make_shared<const PlanState>(std::move(state)));
}

GrowthState Plan::initialGrowth() const {
  GrowthState growth;
  growth.globalUnits = state_->derived.globalUnits;
  return growth;
}
bool Plan::growthDue(const Timestamp& now, const GrowthState& state) const {
  return state_->growthDue(state_->inStage(now), state);
}
Result<Plan::Grown> Plan::grow(const Timestamp& inRun, const GrowthState& state, const NoiseParts& noise) const {
  if (!state_->growth) return Grown{state, {}, std::nullopt};
  const Timestamp now = state_->inStage(inRun);
  const auto answer = state_->evaluateGrowth(now, state, noise);
  GrowthState grown = state_->grown(now, state, answer.size);
  if (answer.isAsked && noise.gradientSquared && state_->growth->uses("last_gradient_sq"))
    grown.lastGradientSquared = noise.gradientSquared;
  if (!answer.isAsked) {
    grown.lossSum = state.lossSum;
    grown.lossCount = state.lossCount;
  }
  return Grown{grown, answer.note, answer.boundedAt};
}
bool Plan::growthUses(const char* variable) const {
  return state_->growth && state_->growth->uses(variable);
}
bool Plan::changesStepSize() const {
  return state_->unknownFrom || state_->ranges.size() > 1;
}
std::optional<double> Plan::weightDecayOf(const OptimizerStep& step) const {
  const OptimizerConfig& optimizer = state_->config.optimizer;
  if (optimizer.weightDecayFollows == WeightDecayClock::Steps) return std::nullopt;
  return optimizer.weightDecay * step.weightDecayFactor;
}

bool Plan::finished(const Timestamp& now) const {
  return state_->finished(state_->inStage(now));
}
double Plan::scheduleFactor(const Timestamp& now) const {
  return state_->learningRate->factor(state_->inStage(now));
}
Result<void> Plan::intact() const {
  return state_->lengths ? state_->lengths->intact() : Result<void>();
}
const RunLength& Plan::runLength() const {
  return state_->derived.run;
}
const std::vector<PlannedRange>& Plan::ranges() const {
  return state_->plannedRanges;
}
const ResolvedValues& Plan::resolved() const {
  return state_->resolved;
}
const std::vector<FieldProblem>& Plan::notes() const {
  return state_->notes;
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
std::int64_t Plan::microbatchUnits() const {
  return state_->derived.microbatchUnits;
}

const Timestamp& Plan::start() const {
  return state_->place.start;
}
Timestamp Plan::inRun(const Timestamp& at) const {
  return state_->inRun(at);
}

Plan Plan::startingAt(const Timestamp& start) const {
  auto changed = std::make_shared<PlanState>(*state_);
  changed->place.start = start;
  if (!changed->place.continuesPass) changed->place.passStart = start;
  if (changed->place.runDuration) changed->learningRate->countFrom(start);
  return Plan(std::move(changed));
}

Plan Plan::withMicrobatch(std::int64_t units) const {
  auto changed = std::make_shared<PlanState>(*state_);
  changed->derived.microbatchUnits = std::max<std::int64_t>(1, units);
  for (PlannedRange& stage : changed->plannedRanges) {
    stage.microbatchUnits = changed->derived.microbatchUnits;
    stage.microBatchesPerStep = changed->microBatches(stage.stepUnits);
  }
  changed->resolved["batch.device_train_microbatch_size"] = std::to_string(changed->derived.microbatchUnits);
  return Plan(std::move(changed));
}

ResolvedValues toResolvedValues(const DerivedValues& derived) {
  ResolvedValues values = scheduleTimes(derived.scheduler);
  values["max_duration"] = derived.run.maxDuration.text();
  visitValues(derived, [&](const char* name, const auto& value) {
    if (std::string text = valueText(value); !text.empty()) values[name] = std::move(text);
  });
  return values;
}

Result<DerivedValues> fromResolvedValues(const TrainConfig& config, const ResolvedValues& values) {
  DerivedValues derived;
  ValueReader reader(values);
  visitValues(derived, [&](const char* name, auto& value) { reader(name, value); });
  if (!derived.rampStarts.empty() && derived.rampStarts.size() != derived.rampSizes.size())
    reader.fail("batch.rampup.starts", "their number differs from the number of sizes");
  if (derived.rampDuration && derived.rampDuration->count() < 0) reader.fail("batch.rampup.duration", "is below 0");
  if (derived.stageEnd && !countsProgress(*derived.stageEnd))
    reader.fail("stage_end", formatText("'{}' cannot be read", derived.stageEnd->text()));
  ASSIGN_OR_RETURN(derived.run.maxDuration, scaleMaxDuration(config.maxDuration, config.scaleScheduleRatio));
  const auto launched = values.find("max_duration");
  derived.holdsSchedule = launched == values.end() || launched->second != derived.run.maxDuration.text();
  if (reader.problem()) return *reader.problem();
  ASSIGN_OR_RETURN(derived.scheduler, withScheduleTimes(config.scheduler, values));
  return derived;
}

}  // namespace batchwise
