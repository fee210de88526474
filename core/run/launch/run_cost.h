// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/base/machine.h"
#include "core/batch/run_plan.h"
#include "core/config/config_file.h"
#include "core/run/launch/scaling_plan.h"

namespace batchwise {

/// What a run takes on this machine, before it starts.
struct RunCost {
  double tokens = 0;
  double operations = 0;               ///< floating-point operations of the training
  double seconds = 0;                  ///< of the training, without evaluations and checkpoints
  std::optional<MeasuredSpeed> speed;  ///< from which the seconds follow; none: a guess, see roughOperationsPerSec()
};

/// Returns the cost of a run whose stages have these totals. `speed`: of a run with the same model; its operations per
/// second are assumed, so that other lengths count. Nothing if the end of the run or its model is not known. Reads the
/// config.json and the vocabulary that the configuration names. Thread-safe.
std::optional<RunCost> runCost(const LoadedConfig& config, const std::vector<Plan::Totals>& stages,
                               std::optional<MeasuredSpeed> speed, const MachineInfo& machine);

std::vector<Plan::Totals> totalsOfStages(const RunPlan& plan);

/// Returns a cautious guess of the floating-point operations per second that training on the configured devices
/// reaches: 15 G per processor core, 40 T per GPU.
double roughOperationsPerSec(const TrainConfig& config, const MachineInfo& machine);

}  // namespace batchwise
