// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"

namespace batchwise {

/// What is evaluated and saved where nothing is said: ten evaluations per run, none where there is nothing to evaluate
/// on; a checkpoint every 10 minutes.
std::vector<Time> evalInterval(const TrainConfig& config);
std::vector<Time> checkpointInterval(const TrainConfig& config);
/// Whether the configuration gives anything to evaluate on.
bool evaluatesOnSomething(const TrainConfig& config);

/// The configuration with a value in each field that was left out (auto) and follows from the others: warm-up and
/// intervals. A run is launched with it and stores it, so that a later default changes no run. Precision, norm epsilon
/// and micro-batch need the device and the model: see PreparedRun.
TrainConfig withDefaults(TrainConfig config);

/// "scheduler.t_warmup: 0.06dur" for each field that `resolved` has a value for and `typed` leaves out.
std::vector<std::string> filledDefaults(const TrainConfig& typed, const TrainConfig& resolved);

/// Reads the configuration that a run stored as it was resolved. What a run of an earlier version left out keeps the
/// meaning that it had: no warm-up.
LoadedConfig parseResolvedConfig(const std::string& yaml, const std::string& sourceName);

}  // namespace batchwise
