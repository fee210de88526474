// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/run/launch/file_check.h"
#include "core/run/launch/memory_forecast.h"

namespace batchwise {

/// Whether a forecast speaks against a launch: above devices.memory_limit, or on the processor above the `freeBytes`
/// that all its devices share (empty: not known, so that nothing is above them). Never fatal, for a forecast may be
/// wrong. Pure.
std::optional<PreflightFinding> judgeMemory(const MemoryForecast& forecast, std::optional<std::int64_t> freeBytes);

/// What speaks against a launch, without reading the data or loading the trainer: all that checkedForLaunch() finds in
/// the configuration and its files, then what this machine lacks: devices, memory for a step (of the lengths that the
/// samples have, if the workspace's cache knows them), a workspace that can be written, room for the checkpoints that
/// are kept. Empty: nothing speaks against a launch. Any thread; blocks on the file system.
std::vector<PreflightFinding> preflight(const LoadedConfig& config, const std::filesystem::path& workspace);

}  // namespace batchwise
