// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/run/launch/memory_forecast.h"

namespace batchwise {

/// Something outside the configuration that a launch would fail on, or may fail on later.
struct PreflightFinding {
  bool fatal = true;   ///< the run cannot start; else it may not reach its end
  std::string field;   ///< to be changed; empty: none would help
  std::string what;    ///< what was found
  std::string remedy;  ///< what would do
};

/// Whether a forecast speaks against a launch: above devices.memory_limit, or on the processor above the `freeBytes`
/// that all its devices share (empty: not known, so that nothing is above them). Never fatal, for a forecast may be
/// wrong. Pure.
std::optional<PreflightFinding> judgeMemory(const MemoryForecast& forecast, std::optional<std::int64_t> freeBytes);

/// Looks whether this machine has what the configuration names, without reading the data or loading the trainer: text
/// files, vocabulary, a model to start from, devices, memory for a step (of the lengths that the samples have, if the
/// workspace's cache knows them), a workspace that can be written, room for the checkpoints that are kept. Empty:
/// nothing speaks against a launch. Any thread; blocks on the file system.
std::vector<PreflightFinding> preflight(const LoadedConfig& config, const std::filesystem::path& workspace);

}  // namespace batchwise
