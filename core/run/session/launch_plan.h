// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/batch/plan.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Fails with Config if the data is too small for one global batch: says how many samples there are and what would do.
Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths);

/// Values of a run that are resolved beside the plan's, under the same rule: derived once, stored, kept by a resume.
namespace resolved_names {
inline constexpr const char* kDevices = "devices.count";
inline constexpr const char* kThreads = "devices.threads";
inline constexpr const char* kGrowthLargest = "batch.growth.device_maximum";
inline constexpr const char* kBaseFolder = "config.folder";
}  // namespace resolved_names

}  // namespace batchwise
