// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/batch/plan_state.h"
#include "core/time/time.h"

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
      return Error::config("batch.rampup", formatText("a global batch of {} would be trained in {} steps of {}; at "
                                                      "most {} are allowed, so start with a larger size",
                                                      state.ramp.target(), shape.parts, shape.stepUnits, kMaxParts));
  }
  return {};
}

/// Notes global batches that are reached and have another size than the full one, because no number of steps makes it.
void noteOtherBatchSizes(PlanState& state) {
  constexpr std::size_t kNamed = 4;
  const std::int64_t full = state.ramp.target();
  std::vector<std::string> sizes;
  for (const Segment& segment : state.segments) {
    const std::int64_t units = segment.shape.batchUnits();
    if (units == full || state.finished(segment.start)) continue;
    sizes.push_back(formatInteger(segment.shape.parts) + " x " + formatInteger(segment.shape.stepUnits) + " = " +
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
  RETURN_IF_ERROR(checkParts(state));
  state.segments = state.timeline->rampSegments(state.ramp, state.begin());
  if (state.segments.back().stage == state.ramp.stages() - 1)
    state.rampEnd = state.segments.back().start;
  else
    state.note("batch.rampup", "the ramp never ends in any run that can be counted");
  noteOtherBatchSizes(state);
  return {};
}

/// Predicts the sizes under growth, one segment per change, as far as they are known before the run.
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
    const Segment segment = state.segments.back();
    const auto due = state.timeline->firstWhere(segment.start, segment.shape,
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
    const auto answer = state.growth->evaluate({due->epoch, evaluated.globalUnits, std::nullopt, std::nullopt});
    changesSize = changesSize || answer.size != evaluated.globalUnits || !answer.note.empty();
    const bool reported = answer.boundedAt && std::exchange(reportedBound, answer.boundedAt) == answer.boundedAt;
    const FieldProblem note{"batch.growth", answer.note};
    const bool known = std::find(state.notes.begin(), state.notes.end(), note) != state.notes.end();
    if (!answer.note.empty() && !reported && !known && state.notes.size() < 50) state.notes.push_back(note);
    evaluated.evaluatedAt = *due;
    // Of the same shape: the search goes on from here, and mergeSegments() drops the row.
    const StepShape shape = answer.size == evaluated.globalUnits ? segment.shape : StepShape{answer.size, 1};
    evaluated.globalUnits = answer.size;
    state.segments.push_back({*due, shape, segment.stage, answer.size});
  }
  state.unknownFrom = state.segments.back().start;
  state.note(
      "batch.growth",
      formatText(
          "the function is evaluated too often to forecast every size; shown as if the size did not change from {} on",
          Time::of(state.unknownFrom->batch, TimeUnit::Batch).text()));
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

/// Clips a table of stages to the run: the stage it ends in takes the remainder, those from `firstUnreached` on
/// nothing.
void clipStages(PlanState& state, std::vector<PlannedStage>::iterator firstUnreached) {
  for (auto row = firstUnreached; row != state.stages.end(); ++row) row->globalBatches = row->optimizerSteps = 0;
  const Plan::Totals totals = state.countTotals();
  if (firstUnreached == state.stages.begin() || !totals.batches || !totals.steps) return;
  const Segment& last = state.segments[static_cast<std::size_t>(firstUnreached - state.stages.begin()) - 1];
  std::prev(firstUnreached)->globalBatches = *totals.batches - last.start.batch;
  std::prev(firstUnreached)->optimizerSteps = *totals.steps - last.start.step;
}

}  // namespace

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

Result<void> planSegments(PlanState& state, GrowthFunction growth) {
  RETURN_IF_ERROR(buildRamp(state));
  if (!state.derived.growthEvery) return {};
  ASSIGN_OR_RETURN(state.growth, GrowthRule::make(state.config, state.derived.globalUnits, state.derived.growthLargest,
                                                  std::move(growth)));
  predictGrowth(state);
  mergeSegments(state.segments);
  return {};
}

void listStages(PlanState& state) {
  for (std::size_t index = 0; index < state.segments.size(); ++index) state.stages.push_back(stageOf(state, index));
  const auto firstUnreached =
      std::find_if(state.stages.begin(), state.stages.end(), [](const auto& row) { return !row.reached; });
  if (firstUnreached == state.stages.end()) return;
  state.note("", formatText("the run ends before the last {} of {} stages", state.stages.end() - firstUnreached,
                            state.stages.size()));
  // A ramp is shown with its configured length; only a table lists its stages.
  if (!state.derived.rampStarts.empty()) clipStages(state, firstUnreached);
}

}  // namespace batchwise
