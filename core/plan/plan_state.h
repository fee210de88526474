// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/plan/epoch_order.h"
#include "core/plan/pack_source.h"
#include "core/plan/plan.h"
#include "core/plan/ramp.h"
#include "core/plan/step_learning_rate.h"
#include "core/plan/timeline.h"

namespace batchwise {

// The implementation of Plan: plan.cpp builds a PlanState and counts the run, plan_derivation.cpp derives the values of
// a new one, plan_batches.cpp makes global batches and distributes their steps to devices.

/// Values derived at launch and stored with the run, so that a resume does not derive them again.
struct DerivedValues {
  std::int64_t globalUnits = 1;
  std::int64_t microbatchUnits = 1;
  RunLength run;                        ///< max_duration may differ from the one at launch
  std::optional<Time> stageEnd;         ///< see ownEnd()
  std::vector<std::int64_t> rampSizes;  ///< below the full size; for a table, all of them
  std::optional<Time> rampDuration;     ///< of equal stages
  std::vector<Time> rampStarts;         ///< of a table
  SchedulerConfig scheduler;            ///< resolved
  std::optional<Time> scheduleEnd;      ///< 1dur at launch, or a later Time of the schedule
  bool holdsSchedule = false;           ///< the run was extended: the value at scheduleEnd holds from there on
  std::optional<Time> maskRateEnd;      ///< where data.mlm_probability_end is reached; empty: the rate is constant
  double samplesPerBatch = 1.0;
  double tokensPerBatch = 1.0;
  double referenceBatchSize = 1.0;
  std::optional<Time> growthEvery, growthDwell;
  std::optional<double> samplesPerPack;       ///< mean, under growth; empty without packs
  std::optional<std::int64_t> growthLargest;  ///< global units that the devices of the launch hold at once

  /// Returns the derived ramp; a single stage if there is none.
  Ramp ramp() const;
  /// Returns whether the bound of growth is reached from the start.
  bool staysAtFullSize(const TrainConfig& config) const;
  /// Returns about how many samples a run has done at `time`.
  double samplesAt(const Time& time) const;
};

/// Built once, then constant.
struct PlanState {
  TrainConfig config;
  DeviceShape devices;
  StagePlace place;
  DerivedValues derived;
  Time end;  ///< end of the run on a clock
  Ramp ramp{1};
  std::optional<StepLearningRate> learningRate;
  std::optional<GrowthRule> growth;
  std::shared_ptr<const UnitSource> source;
  std::shared_ptr<const PackSource> packs;  ///< the source under a token budget, else null
  std::shared_ptr<const Lengths> lengths;   ///< of the samples; null if unknown
  bool dataKnown = true;                    ///< false: the source is a placeholder for data of unknown length
  UnitCounts usable;                        ///< trainable samples of an epoch and their tokens; zero for unknown data
  std::optional<Timeline> timeline;
  std::vector<ShapeRange> ranges;           ///< as far as known before the run
  std::optional<Timestamp> rampEnd;         ///< the first global batch of full size; empty: never
  std::optional<Timestamp> unknownFrom;     ///< growth depends on the run from here on
  std::vector<PlannedRange> plannedRanges;  ///< `ranges` as they are shown
  /// Counted on first use, because that plans packs. Shared by copies of the state.
  struct LazyTotals {
    std::once_flag once;
    Plan::Totals totals;
  };
  std::shared_ptr<LazyTotals> lazyTotals = std::make_shared<LazyTotals>();
  ResolvedValues resolved;
  std::vector<FieldProblem> notes;

  /// Adds a note about a field or a group of fields.
  void note(const std::string& field, const std::string& message) { notes.push_back({field, message}); }
  void noteUntilLaunch(const std::string& field, const std::string& message) {
    notes.push_back({field, message, true});
  }
  /// Returns the clocks of the stage at `now` of the run: 0 at its begin, but those of epochs at the begin of its pass.
  Timestamp inStage(const Timestamp& now) const;
  /// Returns the clocks of the run at `at` of the stage.
  Timestamp inRun(const Timestamp& at) const;
  /// Returns the clocks of the stage at its begin.
  Timestamp begin() const { return inStage(place.start); }
  bool finished(const Timestamp& now) const;
  /// See Plan::maskProbability(); `now` in the stage.
  double maskProbability(const Timestamp& now) const;
  /// Whether the end of the run shortens the global batch that starts at `start`.
  enum class RunEnd { Cuts, Ignored };
  Result<GlobalBatch> batchFrom(const Timestamp& start, const ShapeRange& range, RunEnd runEnd) const;
  /// Calls `visit` with the global batches of an epoch in order, as if the run had no end, until it returns false.
  Result<void> visitEpoch(std::int64_t epoch, const std::function<Result<bool>(const GlobalBatch&)>& visit) const;
  /// Returns whether a multiple of growth.every after the ramp has passed between `state` and `now`.
  bool growthDue(const Timestamp& now, const GrowthState& state) const;
  GrowthRule::Evaluation evaluateGrowth(const Timestamp& now, const GrowthState& state, NoiseParts noise) const;
  /// Returns the state after an evaluation at `now` that gave `size`.
  GrowthState grown(const Timestamp& now, const GrowthState& before, std::int64_t size) const;
  /// Returns the sizes of a full step of average length after the ramp.
  StepSizes fullStep(std::int64_t units) const;
  /// The decay of the second moment that halves a squared gradient after optimizer.beta2_half_life.
  std::optional<double> beta2Of(double tokens) const;
  /// Keeps rate x weight decay / size, the decay of a token, at that of a full step of G.
  double weightDecayFactor(const StepSizes& sizes) const;
  /// Returns the clocks after the last global batch, and whether it ends an epoch. Empty if the schedule has no value
  /// there. Plans all packs up to there.
  struct EndOfRun {
    Timestamp start;  ///< of the last global batch
    Timestamp inItsEpoch;
    bool endsEpoch = false;
    Timestamp next() const { return endsEpoch ? inItsEpoch.afterEpoch() : inItsEpoch; }
  };
  std::optional<EndOfRun> endOfRun() const;
  /// Returns whether the end may shorten a global batch.
  bool endCuts() const { return end.unit() == TimeUnit::Sample || end.unit() == TimeUnit::Token; }
  /// Returns the end of the run as far as it can be predicted.
  Plan::Totals countTotals() const;
  std::int64_t microBatches(std::int64_t stepUnits) const;
};

/// Returns the range of the global batch that starts at `start`.
const ShapeRange& rangeOf(const std::vector<ShapeRange>& ranges, const Timestamp& start);

/// Returns the clocks after the steps of a global batch that starts at `start`, before the end of its epoch.
Timestamp afterBatch(const Timestamp& start, const GlobalBatch& batch);

// The end of a plan. Of a run without stages, and of a stage that begins a pass over data of its own in a run measured
// in epochs, it is the length. Another stage ends at a place of the run, so that its length depends on its begin: the
// last step before may have gone on beyond the nominal begin.

/// Returns the end of a stage that is not its length, on the clocks of the stage (see PlanState::inStage()); empty if
/// it is, or if the begin is not predicted, as the stage then keeps its length. In a run measured in ba, sp or tok, the
/// stage ends where that clock of the run reaches the nominal end. In a run measured in epochs, a stage that continues
/// a pass ends with a sample of that pass: after the share of its samples that lies between the nominal begin of the
/// pass and the nominal end of the stage. That is named in global batches if an epoch has a fixed number of them and
/// the stage takes whole epochs, and as an epoch if packs end with one. Requires the source and derived.run.
Result<std::optional<Time>> ownEnd(const PlanState& state);
/// Returns the end of the plan on a clock. Requires derived.stageEnd.
Result<Time> endOfPlan(const PlanState& state);
/// Returns the length that `dur` means in the plan: up to its end. Requires derived.stageEnd.
RunLength lengthOfPlan(const PlanState& state);

/// Derives the micro-batch and the full global batch, in units, from the configuration and the devices. Fails with
/// Config, naming the field, like all derivations.
Result<void> deriveSizes(PlanState& state);
/// Derives all other values of a new run. Requires deriveSizes() and the source.
Result<void> deriveRunValues(PlanState& state, bool grows);

ResolvedValues toResolvedValues(const DerivedValues& derived);
/// Fails with Config, naming a value that is missing or invalid.
Result<DerivedValues> fromResolvedValues(const TrainConfig& config, const ResolvedValues& values);

/// Derives ramp, growth and ranges from the derived values and the source. Fails with Config, naming the field.
Result<void> planRanges(PlanState& state, GrowthFunction growth);
/// Sets plannedRanges of the finished plan.
void listRanges(PlanState& state);
/// Sets in plannedRanges what the steps of each mean for the optimizer.
void reviewRanges(PlanState& state);
/// Notes where rate, warm-up, weight decay or the moments of AdamW do not suit the batch sizes of the plan of `given`,
/// each kind once, with what would do.
void noteScheduleSlips(const TrainConfig& given, PlanState& state);

}  // namespace batchwise
