// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/batch/plan.h"
#include "core/batch/ramp.h"
#include "core/batch/step_scaling.h"
#include "core/batch/timeline.h"
#include "core/batch/token_budget.h"
#include "core/batch/unit_source.h"
#include "core/schedule/schedule.h"

namespace batchwise {

/// What is derived at launch and stored with the run: everything that a resume must not derive again.
struct Derived {
  std::int64_t globalUnits = 1;
  std::int64_t microbatchUnits = 1;
  RunLength run;                        ///< max_duration may differ from the one at launch
  std::vector<std::int64_t> rampSizes;  ///< below the full size; for a table, all of them
  std::optional<Time> rampDuration;     ///< of equal stages
  std::vector<Time> rampStarts;         ///< of a table
  SchedulerConfig scheduler;            ///< resolved
  std::optional<Time> scheduleEnd;      ///< 1dur at launch, or a later Time of the schedule
  bool holdsSchedule = false;           ///< the run was made longer: the value at scheduleEnd holds from there on
  double samplesPerBatch = 1.0;
  double tokensPerBatch = 1.0;
  double referenceBatchSize = 1.0;
  std::optional<Time> growthEvery;
  std::optional<std::int64_t> growthLargest;  ///< global units that the devices of the launch can hold at once
};

/// The ramp that was derived; of one stage where there is none.
Ramp rampOf(const Derived& derived);

ResolvedValues toResolvedValues(const Derived& derived);
/// Fails with Config, naming the value that is missing or cannot be read.
Result<Derived> fromResolvedValues(const TrainConfig& config, const ResolvedValues& values);

/// Everything behind a Plan. Built once, then constant.
struct PlanState {
  TrainConfig config;
  DeviceShape devices;
  Derived derived;
  Time end;  ///< where the run ends, on a clock
  Ramp ramp{1};
  std::optional<Schedule> schedule;
  StepScaling scaling;
  std::optional<GrowthRule> growth;
  std::shared_ptr<const UnitSource> source;
  std::shared_ptr<const PackSource> packs;  ///< the source under a token budget, else null
  std::shared_ptr<const Lengths> lengths;   ///< of the samples; null where they are not known
  bool dataKnown = true;                    ///< false: the source only stands in for data of unknown length
  std::optional<Timeline> timeline;
  std::vector<Segment> segments;         ///< as far as known before the run
  std::optional<Timestamp> rampEnd;      ///< the first global batch of full size; empty: never
  std::optional<Timestamp> unknownFrom;  ///< growth depends on the run from here on
  std::vector<PlannedStage> stages;
  /// Counted when first asked for: packs have to be planned for it. Shared by copies of the state.
  struct LazyTotals {
    std::once_flag once;
    Plan::Totals totals;
  };
  std::shared_ptr<LazyTotals> lazyTotals = std::make_shared<LazyTotals>();
  ResolvedValues resolved;
  std::vector<std::string> notes;

  bool finished(const Timestamp& now) const;
  /// Where holdsSchedule: the clocks at scheduleEnd.
  std::optional<Timestamp> heldAt;

  /// Factor of the schedule.
  double factorAt(const Timestamp& now) const;
  /// Whether the global batch that starts at `start` is cut where the run ends.
  enum class RunEnd { Cuts, Ignored };
  Result<GlobalBatch> batchFrom(const Timestamp& start, const Segment& segment, RunEnd runEnd) const;
  /// Asked at `now` since `state`: a multiple of growth.every has passed after the ramp.
  bool growthDue(const Timestamp& now, const GrowthState& state) const;
  /// The clocks after the last global batch, and whether that ends an epoch. Empty if the schedule has no value there.
  /// Plans all packs up to there.
  struct EndOfRun {
    Timestamp start;  ///< of the last global batch
    Timestamp inItsEpoch;
    bool endsEpoch = false;
    Timestamp next() const { return endsEpoch ? inItsEpoch.afterEpoch() : inItsEpoch; }
  };
  std::optional<EndOfRun> endOfRun() const;
  /// Whether the end may cut a global batch short.
  bool endCuts() const { return end.unit() == TimeUnit::Sample || end.unit() == TimeUnit::Token; }
  /// End of the run where it can be foreseen.
  Plan::Totals countTotals() const;
  /// Passes per device that a step of `stepUnits` takes.
  std::int64_t microBatches(std::int64_t stepUnits) const;
};

/// The segment of `segments` that holds the global batch starting at `start`.
const Segment& segmentOf(const std::vector<Segment>& segments, const Timestamp& start);

/// Builds the rest of a state from config, devices, derived and source: ramp, schedule, scaling, growth, segments,
/// stages, totals. Fails with Config, naming the field.
Result<void> assemble(PlanState& state, GrowthFunction growth);

/// Where samples or packs come from: sets source, packs and dataKnown. Fails with Config for a token budget that cannot
/// work.
Result<void> makeSource(PlanState& state, std::shared_ptr<const Lengths> lengths, std::int64_t globalUnits);

}  // namespace batchwise
