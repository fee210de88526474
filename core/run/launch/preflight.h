// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/config/config_file.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/memory_forecast.h"

namespace batchwise {

/// Returns a finding if the forecast exceeds devices.memory_limit, or on CPUs the `freeBytes` that all devices share
/// (empty: unknown, never exceeded). Never fatal, because a forecast may be wrong. Pure.
std::optional<PreflightFinding> assessMemory(const MemoryForecast& forecast, std::optional<std::int64_t> freeBytes);

/// Adds to a configuration that checkedForLaunch() accepts what a launch notes of its plan and of its text
/// (reviewLaunchText(), whose errors are added too): all of it if the workspace's cache has the data, else as far as it
/// is known without tokenizing the text.
LoadedConfig withLaunchNotes(LoadedConfig config, const std::filesystem::path& workspace);

/// Returns everything that speaks against a launch, without tokenizing text or loading the trainer: the problems found
/// by checkedForLaunch() and reviewLaunchText(), then missing devices, memory for a step (with real sample lengths if
/// they are cached), an unwritable workspace, and disk space for the kept checkpoints. Thread-safe; blocks on the file
/// system.
std::vector<PreflightFinding> preflight(const LoadedConfig& config, const std::filesystem::path& workspace);

}  // namespace batchwise
