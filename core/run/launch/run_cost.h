// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/base/machine.h"
#include "core/config/config_file.h"
#include "core/plan/run_plan.h"
#include "core/run/launch/scaling_plan.h"

namespace batchwise {

/// What a run takes on this machine, before it starts.
struct RunCost {
  double tokens = 0;
  double operations = 0;               ///< floating-point operations of the training
  double seconds = 0;                  ///< of the training, without evaluations and checkpoints
  std::optional<MeasuredSpeed> speed;  ///< from which the seconds follow; none: a guess, see roughOperationsPerSec()
};

/// Returns the cost of a run whose stages have these totals. `speed`: of a run on the planned kind of device, see
/// MeasuredSpeeds::of(); its operations per second and GPU or core are assumed, so that other lengths and numbers of
/// devices count. Nothing if the end of the run or its model is not known. Reads the config.json and the vocabulary
/// that the configuration names. Thread-safe.
std::optional<RunCost> runCost(const LoadedConfig& config, const std::vector<Plan::Totals>& stages,
                               std::optional<MeasuredSpeed> speed, const MachineInfo& machine);

std::vector<Plan::Totals> totalsOfStages(const RunPlan& plan);

/// Returns what the configuration would train on: its devices, if they are GPUs; else devices.threads for each of them,
/// or all cores of `machine`, whatever their number.
ComputeUnits plannedUnits(const TrainConfig& config, const MachineInfo& machine);

/// Returns a cautious guess of the floating-point operations per second that training on the configured devices
/// reaches: 15 G per processor core, 40 T per GPU.
double roughOperationsPerSec(const TrainConfig& config, const MachineInfo& machine);

}  // namespace batchwise
