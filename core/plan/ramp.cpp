// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/ramp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/time/time.h"
#include "core/plan/plan_state.h"

namespace batchwise {
namespace {

Result<void> checkInitial(std::int64_t initial, std::int64_t target) {
  constexpr const char* kInitialField = "batch.rampup.initial_global_train_batch_size";
  if (initial < 1) return belowOneError(kInitialField, initial);
  if (initial > target)
    return Error::config(
        kInitialField,
        formatText("{} is above batch.global_train_batch_size {}; a ramp grows, use a smaller size", initial, target));
  return {};
}

/// Returns the smallest v with stages * v / duration >= stage: ceil(stage * duration / stages), without overflow.
std::int64_t stageBegin(std::int64_t stage, std::int64_t stages, std::int64_t duration) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>((Wide{stage} * duration + stages - 1) / stages);
}

/// Maximum number of growth evaluations predicted for the table of stages; sizes beyond are only known at run time.
constexpr int kMaxPredictedEvaluations = 10'000;

/// Maximum steps per global batch; more would exhaust memory and are a mistake.
constexpr std::int64_t kMaxSteps = std::int64_t{1} << 20;

Result<void> checkSteps(const PlanState& state) {
  const std::int64_t inEpoch = state.derived.run.samplesPerEpoch.value_or(std::numeric_limits<std::int64_t>::max());
  for (std::int64_t stage = 0; stage < state.ramp.stages(); ++stage) {
    const StepShape shape = state.ramp.shape(stage);
    if (std::min(shape.steps, inEpoch / shape.stepUnits) > kMaxSteps)
      return Error::config("batch.rampup", formatText("a global batch of {} would be trained in {} steps of {}; at "
                                                      "most {} are allowed, so start with a larger size",
                                                      formatInteger(state.ramp.target()), formatInteger(shape.steps),
                                                      formatInteger(shape.stepUnits), formatInteger(kMaxSteps)));
  }
  return {};
}

/// Notes global batches that are reached and have another size than the full one, because no number of steps makes it.
void noteOtherBatchSizes(PlanState& state) {
  constexpr std::size_t kNamed = 4;
  const std::int64_t full = state.ramp.target();
  std::vector<std::string> sizes;
  for (const ShapeRange& range : state.ranges) {
    const std::int64_t units = range.shape.batchUnits();
    if (units == full || state.finished(range.start)) continue;
    sizes.push_back(formatInteger(range.shape.steps) + " x " + formatInteger(range.shape.stepUnits) + " = " +
                    formatInteger(units));
  }
  if (sizes.empty()) return;
  const std::size_t more = sizes.size() - std::min(sizes.size(), kNamed);
  sizes.resize(sizes.size() - more);
  const std::string named = joined(sizes) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
  state.note(
      "batch.rampup",
      formatText(
          "not every step size divides {}, and a global batch is a whole number of steps: during the ramp some have {}",
          formatInteger(full), named));
}

Result<void> buildRamp(PlanState& state) {
  state.ramp = state.derived.ramp();
  RETURN_IF_ERROR(checkSteps(state));
  state.ranges = state.timeline->rampRanges(state.ramp, state.begin());
  if (state.ranges.back().rampStage == state.ramp.stages() - 1)
    state.rampEnd = state.ranges.back().start;
  else
    state.note("batch.rampup", "the ramp never ends in any run that can be counted");
  noteOtherBatchSizes(state);
  return {};
}

/// Returns the share of the run that is done.
double fractionDone(const PlanState& state, const Timestamp& now) {
  const double length = state.end.number();
  if (state.end.unit() == TimeUnit::Second) return now.seconds / length;
  const double samples = static_cast<double>(state.derived.run.samplesPerEpoch.value_or(1));
  const double inEpoch = state.end.unit() == TimeUnit::Epoch ? static_cast<double>(now.sampleInEpoch) / samples : 0.0;
  return (static_cast<double>(clockValue(now, state.end.unit())) + inEpoch) / length;
}

/// Predicts the sizes under growth, one range per change, as far as they are known before the run.
void predictGrowth(PlanState& state) {
  if (!state.growth || state.derived.staysAtFullSize(state.config)) return;
  if (!state.rampEnd || state.finished(*state.rampEnd)) {
    state.note("batch.growth", "the growth function is first evaluated after the ramp, and the run ends before that");
    return;
  }
  GrowthState evaluated;
  evaluated.globalUnits = state.derived.globalUnits;
  std::optional<std::int64_t> reportedBound;
  bool changesSize = false;  // or has a note why not
  for (int evaluation = 0; evaluation < kMaxPredictedEvaluations; ++evaluation) {
    const ShapeRange range = state.ranges.back();
    const auto due = state.timeline->firstWhere(range.start, range.shape, state.derived.growthEvery->unit(),
                                                [&](const Timestamp& at) { return state.growthDue(at, evaluated); });
    if (!due || state.finished(*due)) {
      if (evaluation == 0)
        state.note("batch.growth.every",
                   formatText("the growth function is first evaluated after {}, and the run ends before that",
                              state.derived.growthEvery->text()));
      else if (!changesSize)
        state.note("batch.growth",
                   formatText("the function always gives the current size, {}, so the batch never grows",
                              evaluated.globalUnits));
      return;
    }
    if (state.growth->dependsOnRun()) {
      state.unknownFrom = *due;
      state.note("batch.growth", formatText("the sizes from {} on depend on the run; shown as if they did not change",
                                            Time::of(due->batch, TimeUnit::Batch).text()));
      return;
    }
    const auto answer = state.evaluateGrowth(*due, evaluated, {});
    changesSize = changesSize || answer.size != evaluated.globalUnits || !answer.note.empty();
    const bool reported = answer.boundedAt && std::exchange(reportedBound, answer.boundedAt) == answer.boundedAt;
    const FieldProblem note{"batch.growth", answer.note};
    const bool known = std::find(state.notes.begin(), state.notes.end(), note) != state.notes.end();
    if (!answer.note.empty() && !reported && !known && state.notes.size() < 50) state.notes.push_back(note);
    // Of the same shape: the search goes on from here, and mergeRanges() drops the row.
    const StepShape shape = answer.size == evaluated.globalUnits ? range.shape : StepShape{answer.size, 1};
    evaluated = state.grown(*due, evaluated, answer.size);
    state.ranges.push_back({*due, shape, range.rampStage, answer.size});
  }
  state.unknownFrom = state.ranges.back().start;
  state.note(
      "batch.growth",
      formatText(
          "the function is evaluated too often to forecast every size; shown as if the size did not change from {} on",
          Time::of(state.unknownFrom->batch, TimeUnit::Batch).text()));
}

void mergeRanges(std::vector<ShapeRange>& ranges) {
  std::vector<ShapeRange> merged;
  for (const ShapeRange& range : ranges)
    if (merged.empty() || merged.back().shape != range.shape || merged.back().rampStage != range.rampStage)
      merged.push_back(range);
  ranges = std::move(merged);
}

/// Returns a range as it is shown, as if the run had no end.
PlannedRange shownRange(const PlanState& state, std::size_t index) {
  const ShapeRange& range = state.ranges[index];
  PlannedRange shown;
  shown.fromBatch = range.start.batch;
  shown.steps = range.shape.steps;
  shown.stepUnits = range.shape.stepUnits;
  shown.microbatchUnits = state.derived.microbatchUnits;
  shown.microBatchesPerStep = state.microBatches(range.shape.stepUnits);
  shown.reached = !state.finished(range.start);
  StepSizes sizes = state.fullStep(range.shape.stepUnits);
  sizes.fullUnits = range.globalUnits;
  shown.beta2 = state.beta2Of(static_cast<double>(sizes.tokens));
  if (state.config.optimizer.weightDecayFollows == WeightDecayClock::Tokens)
    shown.weightDecay = state.config.optimizer.weightDecay * state.weightDecayFactor(sizes);
  if (index + 1 < state.ranges.size()) {
    shown.globalBatches = state.ranges[index + 1].start.batch - range.start.batch;
    shown.optimizerSteps = state.ranges[index + 1].start.step - range.start.step;
  }
  return shown;
}

/// Notes a second moment that forgets within a few steps, which leaves mostly noise in it.
void noteShortHalfLife(PlanState& state) {
  constexpr double kFewestSteps = 10.0;
  const auto& halfLife = state.config.optimizer.beta2HalfLife;
  if (!halfLife) return;
  std::int64_t most = 0;
  for (const PlannedRange& row : state.plannedRanges)
    if (row.reached) most = std::max(most, row.stepUnits);
  const double tokens = static_cast<double>(state.fullStep(most).tokens);
  if (halfLife->number() >= kFewestSteps * tokens) return;
  state.note("optimizer.beta2_half_life",
             formatText("{} are {} steps of the largest size, {} of about {} tokens; below 10 steps the second moment "
                        "is mostly noise; use {} or more",
                        halfLife->text(), formatValue(halfLife->number() / tokens),
                        countText(most, state.packs ? "pack" : "sample"), formatValue(tokens),
                        Time::of(std::llround(kFewestSteps * tokens), TimeUnit::Token).text()));
}

}  // namespace

Error belowOneError(std::string_view field, std::int64_t value) {
  return Error::config(field, formatText("{} is below 1; use 1 or more", value));
}

Result<std::vector<std::int64_t>> doublingStages(std::int64_t initial, std::int64_t target) {
  RETURN_IF_ERROR(checkInitial(initial, target));
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = initial; size < target; size *= 2) {
    sizes.push_back(size);
    if (size > std::numeric_limits<std::int64_t>::max() / 2) break;
  }
  return sizes;
}

Result<std::vector<std::int64_t>> linearStages(std::int64_t initial, std::int64_t increment, std::int64_t target) {
  RETURN_IF_ERROR(checkInitial(initial, target));
  if (increment < 1) return belowOneError("batch.rampup.increment", increment);
  if ((target - initial) / increment > 100'000)
    return Error::config("batch.rampup.increment",
                         formatText("{} gives more than 100,000 stages; use a larger one", increment));
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = initial; size < target; size += increment) sizes.push_back(size);
  return sizes;
}

std::vector<std::int64_t> equalStepBegins(const std::vector<std::int64_t>& sizes, std::int64_t duration) {
  const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::vector<std::int64_t> begins = {0};
  std::int64_t before = 0;
  for (const std::int64_t size : sizes) begins.push_back(stageBegin(before += size, all, duration));
  return begins;
}

StepShape shapeOf(std::int64_t stepUnits, std::int64_t target) {
  const std::int64_t whole = target / stepUnits;
  const std::int64_t rest = target % stepUnits;
  return {stepUnits, std::max<std::int64_t>(1, whole + (rest >= stepUnits - rest ? 1 : 0))};
}

Ramp Ramp::equalStages(std::vector<std::int64_t> below, std::int64_t target, Time duration) {
  Ramp ramp(target);
  if (below.empty()) return ramp;
  const auto count = static_cast<std::int64_t>(below.size());
  ramp.unit_ = duration.unit();
  for (std::int64_t stage = 0; stage <= count; ++stage)
    ramp.begins_.push_back(stageBegin(stage, count, duration.count()));
  ramp.sizes_ = std::move(below);
  ramp.sizes_.push_back(target);
  return ramp;
}

Ramp Ramp::table(std::vector<Time> starts, std::vector<std::int64_t> sizes) {
  Ramp ramp(sizes.back());
  ramp.unit_ = starts.front().unit();
  ramp.sizes_ = std::move(sizes);
  for (const Time& start : starts) ramp.begins_.push_back(start.count());
  return ramp;
}

std::int64_t Ramp::stageAt(const Timestamp& start) const {
  if (begins_.empty()) return 0;
  const std::int64_t done = clockValue(start, unit_);
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), done);
  return std::max<std::int64_t>(0, next - begins_.begin() - 1);
}

GrowthRule::Evaluation PlanState::evaluateGrowth(const Timestamp& now, const GrowthState& state,
                                                 NoiseParts noise) const {
  if (const auto& dwell = derived.growthDwell) {
    const TimeUnit unit = dwell->unit();
    const std::int64_t since = std::max(state.changedAt, rampEnd ? clockValue(*rampEnd, unit) : std::int64_t{0});
    if (clockValue(now, unit) - since < dwell->count()) return {state.globalUnits, {}, std::nullopt, false};
  }
  const double perUnit = derived.samplesPerPack.value_or(1.0);
  if (noise.scale) *noise.scale /= perUnit;
  if (noise.trace) *noise.trace /= perUnit;
  const Timestamp ofRun = inRun(now);
  GrowthInput input{.epoch = now.epoch,
                    .currentBatchSize = state.globalUnits,
                    .noise = noise,
                    .lastGradientSquared = state.lastGradientSquared,
                    .evalLoss = state.evalLoss,
                    .learningRate = learningRate->rate(learningRate->factor(now), fullStep(state.globalUnits)),
                    .batch = static_cast<double>(ofRun.batch),
                    .token = static_cast<double>(ofRun.token),
                    .fraction = fractionDone(*this, now)};
  if (state.lossCount > 0) input.loss = state.lossSum / static_cast<double>(state.lossCount);
  input.criticalBatch = criticalBatchAt(config.batch.growth.criticalBatch, input.token);
  if (input.criticalBatch) *input.criticalBatch /= perUnit;
  return growth->evaluate(input);
}

GrowthState PlanState::grown(const Timestamp& now, const GrowthState& before, std::int64_t size) const {
  GrowthState after{.globalUnits = size,
                    .evaluatedAt = now,
                    .changedAt = before.changedAt,
                    .lastGradientSquared = before.lastGradientSquared,
                    .evalLoss = before.evalLoss};
  if (derived.growthDwell && size != before.globalUnits) after.changedAt = clockValue(now, derived.growthDwell->unit());
  return after;
}

bool PlanState::growthDue(const Timestamp& now, const GrowthState& state) const {
  if (!growth || !rampEnd || now.batch < rampEnd->batch) return false;
  const Time& every = *derived.growthEvery;
  const auto passed = [&](const Timestamp& at) { return clockValue(at, every.unit()) / every.count(); };
  // Boundaries inside the ramp do not count, except one at its end.
  std::int64_t before = passed(*rampEnd);
  const bool insideEpoch = every.unit() == TimeUnit::Epoch && rampEnd->unitInEpoch != 0;
  if (before > 0 && !insideEpoch && clockValue(*rampEnd, every.unit()) % every.count() == 0) --before;
  return passed(now) > std::max(before, passed(state.evaluatedAt));
}

Result<void> planRanges(PlanState& state, GrowthFunction growth) {
  RETURN_IF_ERROR(buildRamp(state));
  if (!state.derived.growthEvery) return {};
  ASSIGN_OR_RETURN(state.growth, GrowthRule::make(state.config, state.derived.globalUnits, state.derived.growthLargest,
                                                  std::move(growth)));
  predictGrowth(state);
  mergeRanges(state.ranges);
  return {};
}

void listRanges(PlanState& state) {
  std::vector<PlannedRange>& rows = state.plannedRanges;
  for (std::size_t index = 0; index < state.ranges.size(); ++index) rows.push_back(shownRange(state, index));
  noteShortHalfLife(state);
  const auto unreached = std::ranges::find(rows, false, &PlannedRange::reached);
  if (unreached == rows.end()) return;
  state.note("", formatText("the run ends before the last {} of {} stages", rows.end() - unreached, rows.size()));
  // A ramp is shown with its configured length; only the stages of a table are clipped to the run.
  if (state.derived.rampStarts.empty()) return;
  for (auto row = unreached; row != rows.end(); ++row) row->globalBatches = row->optimizerSteps = 0;
  const Plan::Totals totals = state.countTotals();
  if (unreached == rows.begin() || !totals.batches) return;
  const Timestamp& last = state.ranges[static_cast<std::size_t>(unreached - rows.begin()) - 1].start;
  std::prev(unreached)->globalBatches = *totals.batches - last.batch;
  std::prev(unreached)->optimizerSteps = *totals.steps - last.step;
}

}  // namespace batchwise
