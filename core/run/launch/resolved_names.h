// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Names of values that are resolved at launch besides those of the plan; stored with the run and kept by a resume.
namespace resolved_names {
inline constexpr const char* kDevices = "devices.count";
inline constexpr const char* kThreads = "devices.threads";
inline constexpr const char* kGrowthLargest = "batch.growth.device_maximum";
inline constexpr const char* kBaseFolder = "config.folder";
}  // namespace resolved_names

}  // namespace batchwise
