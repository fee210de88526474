// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/run/run_controller.h"

namespace batchwise {

struct RunSummary;

/// Where a run trains.
enum class RunPlace {
  ThisProgram,
  OwnProcess,
  Slurm,     ///< a job that is to be submitted to the cluster
  SlurmJob,  ///< one that is in its queue already: it is followed
};

/// It trains on the machines of a cluster, and needs neither this window nor this machine.
constexpr bool onCluster(RunPlace place) {
  return place == RunPlace::Slurm || place == RunPlace::SlurmJob;
}

using ControllerFactory = std::function<std::unique_ptr<RunController>(RunPlace, EventSink&)>;

enum class RunPhase {
  Idle,
  Starting,  ///< until the first global batch is done
  Training,
  Paused,
  Stopping,  ///< asked to; ends after the step or global batch under way
};

/// What a run is doing, and how far it is.
struct TrainingState {
  RunPhase phase = RunPhase::Idle;
  RunPlace place = RunPlace::ThisProgram;
  QString run;     ///< id; empty until the run exists
  QString ticket;  ///< what the launch was told to remember it by
  QString name;
  QString activity;                            ///< "Training", "Reading text", …
  QString waitsFor;                            ///< what keeps it from training; empty: nothing
  double activityDone = 0, activityTotal = 0;  ///< of the activity; total 0: no known end
  std::int64_t batches = 0, plannedBatches = 0;
  std::optional<double> secondsLeft, tokensPerSec;
  std::optional<DeviceMemory> fullestDevice;
};

/// Of a run that another program trains, as the store has it.
TrainingState stateOfStoredRun(const RunSummary& run);

}  // namespace batchwise
