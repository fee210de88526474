// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/plan/plan.h"

namespace batchwise {

/// The values of stage "stages[1]" among those of a run, with their own names; all values for a run without stages.
ResolvedValues valuesOfStage(const ResolvedValues& values, const std::string& stage);
/// Adds the values of a stage to those of its run: "stages[1].scheduler.t_warmup".
void addStageValues(const ResolvedValues& values, const std::string& stage, ResolvedValues& ofRun);

/// The plans of the stages of a run, one after the other; a single one for a run without `stages`. The first stage
/// begins at 0, each of the others where the one before ends. A value. Thread-safe.
class RunPlan {
 public:
  /// What a stage is planned for. `lengths` as for Plan::resolve.
  struct StageInput {
    std::shared_ptr<const Lengths> lengths;
    DeviceShape devices;
  };
  using InputOf = std::function<Result<StageInput>(const RunStage& stage)>;

  /// Resolves the plans of a new run. `inputOf` is called once per stage, in order. Fails as it does, and as
  /// Plan::resolve, in the context of the stage.
  static Result<RunPlan> resolve(const TrainConfig& config, const InputOf& inputOf);
  /// Restores the plans of a launched run. Fails as `inputOf` and Plan::restore.
  static Result<RunPlan> restore(const TrainConfig& config, const ResolvedValues& resolved, const InputOf& inputOf);

  const std::vector<RunStage>& stages() const { return stages_; }
  const std::vector<Plan>& plans() const { return plans_; }
  const Plan& first() const { return plans_.front(); }

  // As those of Plan, for the whole run.

  Time maxDuration() const;
  Plan::Totals totals() const;
  ResolvedValues resolved() const;
  std::vector<FieldProblem> notes() const;
  Result<void> intact() const;
  /// The steps of all stages; fromBatch counts from the begin of the run.
  std::vector<PlannedRange> plannedRanges() const;
  /// Also for a place past the end. In a run of several stages, an `ep` counts epochs of the stage that it is in.
  Result<Plan::Point> pointAt(const Time& time) const;
  bool changesMaskProbability() const { return first().changesMaskProbability(); }  // a stage knows the others
  bool isPredictable() const { return plannedTo_ == plans_.size(); }

 private:
  using MakePlan = std::function<Result<Plan>(const RunStage&, const StageInput&, const StagePlace&)>;
  static Result<RunPlan> make(const TrainConfig& config, const InputOf& inputOf, const MakePlan& makePlan);
  std::size_t stageAt(const Time& place) const;

  TrainConfig config_;
  std::vector<RunStage> stages_;
  std::vector<Plan> plans_;
  std::size_t plannedTo_ = 0;  ///< number of stages whose begin is predicted
};

/// Returns the clocks at which a stage begins if the one before it ends at `end`: with a new epoch, unless its pass
/// goes on. An epoch that the end of a stage cuts counts as one.
Timestamp stageStart(const RunStage& stage, const Timestamp& end);

}  // namespace batchwise
