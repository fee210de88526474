// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Values of a run that are resolved beside the plan's, under the same rule: derived once, stored, kept by a resume.
namespace resolved_names {
inline constexpr const char* kDevices = "devices.count";
inline constexpr const char* kThreads = "devices.threads";
inline constexpr const char* kGrowthLargest = "batch.growth.device_maximum";
inline constexpr const char* kBaseFolder = "config.folder";
}  // namespace resolved_names

}  // namespace batchwise
