// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/plan/run_plan.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/launch/resume_decision.h"
#include "core/run/launch/run_store.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_checkpoint.h"
#include "core/run/trainer.h"
#include "core/text/prepare_data.h"
#include "core/train/devices.h"
#include "core/train/loop_state.h"

namespace batchwise {

class RankGroup;

/// What a stage of a run trains on.
struct PreparedStage {
  PreparedData data;  ///< that of the run with the training samples of the stage
  std::shared_ptr<const Lengths> lengths;
  RunIntervals intervals;
};

/// Returns the plan of the stage that `state` is in, with its micro-batch. Fails with Corrupt if there is none.
Result<Plan> planOf(const RunPlan& runPlan, const LoopState& state);

/// Returns the state in which the next stage begins.
LoopState stateOfNextStage(const RunPlan& runPlan, LoopState state);

/// Gives the replicas, and the shape in their checkpoints, what a stage may change in them. `resolved`: of the run.
void enterStage(const RunStage& stage, const ResolvedValues& resolved, ModelShape& shape,
                std::vector<Replica>& replicas);

/// A run that is ready to start: everything checkable is checked, and nothing is in the store yet. prepareRun() sets
/// data, model and plan. Ranks other than 0 have no store, no source and no state.
struct PreparedRun {
  LoadedConfig config;
  std::optional<ResumeDecision> resume;  ///< none: a run that starts fresh
  std::vector<std::string> warnings;     ///< for the user
  std::vector<std::string> notes;        ///< for the user, informational
  std::unique_ptr<RunStore> store;
  std::optional<RunCheckpoint> source;  ///< set unless fresh; its tensors were moved into the replicas
  DeviceChoice devices;
  std::vector<std::shared_ptr<const TaskData>> tasks;  ///< without their test parts; of rank 0
  std::optional<PreparedData> data;
  std::optional<LaunchModel> model;
  std::vector<Replica> replicas;      ///< one per device of this process
  std::vector<PreparedStage> stages;  ///< as in runPlan
  std::optional<RunPlan> runPlan;
  std::optional<Plan> plan;  ///< of the stage that `state` is in
  ResolvedValues resolved;
  LoopState state;  ///< initial state
  std::string environment;

  const RunStage& stage() const { return runPlan->stages()[static_cast<std::size_t>(state.stage)]; }
  const PreparedStage& preparedStage() const { return stages[static_cast<std::size_t>(state.stage)]; }
  bool isInLastStage() const { return state.stage + 1 == std::ssize(stages); }
  bool stageFinished() const { return state.now.stepInBatch == 0 && plan->finished(state.now); }
  bool finished() const { return isInLastStage() && stageFinished(); }
  bool fromCheckpoint() const { return resume.has_value(); }
  bool is(ResumeDecision::Kind kind) const { return resume && resume->kind == kind; }
  /// Whether the clocks of the checkpoint go on, in the same run or in a fork.
  bool isContinuation() const { return is(ResumeDecision::Kind::Continue) || is(ResumeDecision::Kind::ForkFromState); }
};

/// Opens the workspace and the checkpoint, chooses devices, reads the data, builds models, resolves the plan and
/// restores the state, in this order. Calls `configKnown` once, before anything slow. Blocks, and publishes its phases
/// to `events`. With `rankGroup`, all its ranks call it: rank 0 decides by the request and sends the others what they
/// need, so theirs is empty. Fails as Trainer::train.
Result<PreparedRun> prepareRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                               const Clock& clock, const std::function<void(const TrainConfig&)>& configKnown,
                               RankGroup* rankGroup = nullptr);

}  // namespace batchwise
