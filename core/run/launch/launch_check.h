// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/batch/plan.h"
#include "core/config/config_file.h"

namespace batchwise {

/// What a plan finds wrong with a configuration whatever the data is like: expressions that cannot be read, Times that
/// cannot be compared, a schedule without an end. Resolves the plan for imagined data of several sizes and takes what
/// all of them agree on; reads and writes nothing. Several issues where they do not hang together, each with the place
/// of its field. Empty for a configuration that has errors already.
std::vector<ConfigIssue> checkPlan(const LoadedConfig& config);

/// The same configuration with what checkPlan() finds among its errors.
LoadedConfig withPlanChecked(LoadedConfig config);

/// Whether it would be trained on GPUs.
bool plansGpus(const TrainConfig& config);

/// Fails with Config if the data is too small for one global batch: says how many samples there are and what would do.
Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths);

/// The devices that a configuration names, or that this machine has.
DeviceShape plannedDevices(const TrainConfig& config);

}  // namespace batchwise
