// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/message.h"
#include "core/batch/plan.h"
#include "core/data/prepare_data.h"
#include "core/run/launch/run_intervals.h"
#include "core/run/launch/run_store.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/resume_source.h"
#include "core/run/trainer.h"
#include "core/train/devices.h"
#include "core/train/loop_state.h"

namespace batchwise {

class RankGroup;

/// Relation of a run to an earlier one.
enum class Origin {
  Fresh,
  Resume,           ///< continues the same run
  ForkFromState,    ///< a new run from the weights, moments and clocks of a checkpoint
  ForkFromWeights,  ///< a new run from the weights of a checkpoint, everything else from the start
};

/// A run that is ready to start: everything checkable is checked, and nothing is in the store yet. prepareRun() sets
/// data, model and plan.
struct PreparedRun {
  LoadedConfig config;
  Origin origin = Origin::Fresh;
  std::vector<Message> warnings;  ///< for the user
  std::vector<Message> notes;     ///< for the user, informational
  std::unique_ptr<RunStore> store;
  std::optional<RunCheckpoint> source;  ///< set unless Fresh; its tensors were moved into the replicas
  DeviceChoice devices;
  std::optional<PreparedData> data;
  std::shared_ptr<const Lengths> lengths;
  std::optional<LaunchModel> model;
  std::vector<Replica> replicas;  ///< one per device of this process
  std::optional<Plan> plan;
  ResolvedValues resolved;
  RunIntervals intervals;
  LoopState state;  ///< initial state
  std::string environment;

  bool fromCheckpoint() const { return origin != Origin::Fresh; }
  bool isContinuation() const { return origin == Origin::Resume || origin == Origin::ForkFromState; }
};

/// Opens the workspace and the checkpoint, chooses devices, reads the data, builds models, resolves the plan and
/// restores the state, in this order. Calls `configKnown` once, before anything slow. Blocks, and publishes its phases
/// to `events`. With `rankGroup`, sends the other ranks what they need to do the same. Fails as Trainer::train.
Result<PreparedRun> prepareRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                               const Clock& clock, const std::function<void(const TrainConfig&)>& configKnown,
                               RankGroup* rankGroup = nullptr);

}  // namespace batchwise
