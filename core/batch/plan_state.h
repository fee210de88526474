// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/batch/plan.h"
#include "core/batch/ramp.h"
#include "core/batch/step_scaling.h"
#include "core/batch/timeline.h"
#include "core/batch/token_budget.h"
#include "core/batch/unit_source.h"
#include "core/schedule/schedule.h"

namespace batchwise {

/// Values derived at launch and stored with the run, so that a resume does not derive them again.
struct DerivedValues {
  std::int64_t globalUnits = 1;
  std::int64_t microbatchUnits = 1;
  RunLength run;                        ///< max_duration may differ from the one at launch
  std::vector<std::int64_t> rampSizes;  ///< below the full size; for a table, all of them
  std::optional<Time> rampDuration;     ///< of equal stages
  std::vector<Time> rampStarts;         ///< of a table
  SchedulerConfig scheduler;            ///< resolved
  std::optional<Time> scheduleEnd;      ///< 1dur at launch, or a later Time of the schedule
  bool holdsSchedule = false;           ///< the run was extended: the value at scheduleEnd holds from there on
  double samplesPerBatch = 1.0;
  double tokensPerBatch = 1.0;
  double referenceBatchSize = 1.0;
  std::optional<Time> growthEvery;
  std::optional<std::int64_t> growthLargest;  ///< global units that the devices of the launch hold at once
};

/// Returns the derived ramp; a single stage if there is none.
Ramp rampOf(const DerivedValues& derived);

ResolvedValues toResolvedValues(const DerivedValues& derived);
/// Fails with Config, naming a value that is missing or invalid.
Result<DerivedValues> fromResolvedValues(const TrainConfig& config, const ResolvedValues& values);

/// Implementation of Plan. Built once, then constant.
struct PlanState {
  TrainConfig config;
  DeviceShape devices;
  DerivedValues derived;
  Time end;  ///< end of the run on a clock
  Ramp ramp{1};
  std::optional<Schedule> schedule;
  StepScaling scaling;
  std::optional<GrowthRule> growth;
  std::shared_ptr<const UnitSource> source;
  std::shared_ptr<const PackSource> packs;  ///< the source under a token budget, else null
  std::shared_ptr<const Lengths> lengths;   ///< of the samples; null if unknown
  bool dataKnown = true;                    ///< false: the source is a placeholder for data of unknown length
  std::optional<Timeline> timeline;
  std::vector<Segment> segments;         ///< as far as known before the run
  std::optional<Timestamp> rampEnd;      ///< the first global batch of full size; empty: never
  std::optional<Timestamp> unknownFrom;  ///< growth depends on the run from here on
  std::vector<PlannedStage> stages;
  /// Counted on first use, because that plans packs. Shared by copies of the state.
  struct LazyTotals {
    std::once_flag once;
    Plan::Totals totals;
  };
  std::shared_ptr<LazyTotals> lazyTotals = std::make_shared<LazyTotals>();
  ResolvedValues resolved;
  std::vector<Message> notes;

  bool finished(const Timestamp& now) const;
  /// If holdsSchedule: the clocks at scheduleEnd.
  std::optional<Timestamp> heldAt;

  double factorAt(const Timestamp& now) const;
  /// Whether the end of the run shortens the global batch that starts at `start`.
  enum class RunEnd { Cuts, Ignored };
  Result<GlobalBatch> batchFrom(const Timestamp& start, const Segment& segment, RunEnd runEnd) const;
  /// Returns whether a multiple of growth.every after the ramp has passed between `state` and `now`.
  bool growthDue(const Timestamp& now, const GrowthState& state) const;
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

const Segment& segmentOf(const std::vector<Segment>& segments, const Timestamp& start);

/// Completes a state from config, devices, derived and source: ramp, schedule, scaling, growth, segments, stages,
/// totals. Fails with Config, naming the field.
Result<void> assemble(PlanState& state, GrowthFunction growth);

/// Sets source, packs and dataKnown. Fails with Config for an unusable token budget.
Result<void> makeSource(PlanState& state, std::shared_ptr<const Lengths> lengths, std::int64_t globalUnits);

}  // namespace batchwise
