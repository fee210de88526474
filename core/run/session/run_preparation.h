// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/batch/plan.h"
#include "core/data/prepare_data.h"
#include "core/run/launch/run_home.h"
#include "core/run/launch/run_intervals.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/resume_source.h"
#include "core/run/trainer.h"
#include "core/train/devices.h"
#include "core/train/loop_state.h"

namespace batchwise {

class RankTeam;

/// Where a run stands in relation to an earlier one.
enum class Origin {
  Fresh,
  Resume,       ///< the same run goes on
  ForkGoingOn,  ///< a new run from the weights, moments and clocks of a checkpoint
  ForkAnew,     ///< a new run from the weights of a checkpoint, everything else from the start
};

/// A run that may begin: all that can be checked has been, and nothing is in the store yet. After prepareRun() data,
/// model and plan are set.
struct PreparedRun {
  LoadedConfig config;
  Origin origin = Origin::Fresh;
  std::vector<std::string> warnings;  ///< for the person who launched it
  std::vector<std::string> notes;     ///< the same, of what is as it may be
  std::unique_ptr<RunHome> home;
  std::optional<RunCheckpoint> source;  ///< set unless Fresh; its tensors have been moved into the replicas
  DeviceChoice devices;
  std::optional<PreparedData> data;
  std::shared_ptr<const Lengths> lengths;
  std::optional<LaunchModel> model;
  std::vector<Replica> replicas;  ///< one per device of this process
  std::optional<Plan> plan;
  ResolvedValues resolved;
  RunIntervals intervals;
  LoopState state;  ///< where it begins
  std::string environment;

  bool fromCheckpoint() const { return origin != Origin::Fresh; }
  bool goesOn() const { return origin == Origin::Resume || origin == Origin::ForkGoingOn; }
};

/// Opens the workspace and the checkpoint, chooses devices, reads the data, builds models, resolves the plan and
/// restores the state, in this order. `configKnown` is called once, before anything that takes long. Blocks, and tells
/// `events` its phases. Fails as Trainer::train. With `team`, its other ranks are told on the way what they need to do
/// the same.
Result<PreparedRun> prepareRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                               const Clock& clock, const std::function<void(const TrainConfig&)>& configKnown,
                               RankTeam* team = nullptr);

}  // namespace batchwise
