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
enum class LaunchTarget {
  ThisProcess,
  OwnProcess,
  Slurm,     ///< a job to submit to the cluster
  SlurmJob,  ///< a job already in the queue, to be monitored
};

/// True for runs on a cluster, which do not depend on this window or machine.
constexpr bool onCluster(LaunchTarget place) {
  return place == LaunchTarget::Slurm || place == LaunchTarget::SlurmJob;
}

using ControllerFactory = std::function<std::unique_ptr<RunController>(LaunchTarget, EventSink&)>;

enum class RunPhase {
  Idle,
  Starting,  ///< until the first global batch is complete
  Training,
  Paused,
  Stopping,  ///< ends after the current step or global batch
};

/// Activity and progress of a run.
struct TrainingState {
  RunPhase phase = RunPhase::Idle;
  LaunchTarget place = LaunchTarget::ThisProcess;
  QString run;     ///< id; empty until the run exists
  QString ticket;  ///< the caller's key, from launch()
  QString name;
  QString activity;                            ///< "Training", "Reading text", …
  QString blockedReason;                       ///< why the run is blocked; empty: it is not
  double activityDone = 0, activityTotal = 0;  ///< progress of the activity; total 0: unknown
  std::int64_t batches = 0, plannedBatches = 0;
  std::optional<double> secondsLeft, tokensPerSec;
  std::optional<DeviceMemory> fullestDevice;
};

/// State of a run that another process trains, from the store.
TrainingState stateOfStoredRun(const RunSummary& run);

}  // namespace batchwise
