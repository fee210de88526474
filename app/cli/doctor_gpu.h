// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/cli/commands.h"
#include "core/base/output_file.h"
#include "core/config/config_file.h"

namespace batchwise::cli {

/// `doctor --gpu`: what a device computes, holds and how fast it trains, in one file for a report.
struct GpuReportArguments {
  bool wanted = false;
  std::string device;  ///< "cuda:1"; empty: the first GPU. The processor, "cpu", only tries the way to the report.
  std::filesystem::path report = "batchwise-gpu-report.json";
  Replaces replaces = Replaces::Nothing;
};

/// Checks the operations of the device anew, searches its largest micro-batch, trains a few steps, prints the table and
/// writes the report. Returns kFailed if something on the device is wrong. Fails with Config if it is no device of this
/// machine, with Unsupported if it is a GPU that is not there, and says what to do; with DiskFull; with Stopped after a
/// signal. What it writes on the way is in a temporary folder that it removes. Call it before other threads start.
Result<int> doctorGpu(const Globals& globals, const GpuReportArguments& arguments);

/// Returns the vocab.txt of what is trained on a device: single characters, and as many unused tokens as it takes for
/// the size that the report compares.
std::string trialVocabulary(const std::string& device);

/// Returns the configuration of what is trained on a device with `sequences` in a step, checked for a launch.
/// `folder`: an absolute path with a vocab.txt, which is trialVocabulary().
LoadedConfig trialConfig(const std::string& device, std::int64_t sequences, const std::filesystem::path& folder);

/// Prints the table of a report.
void printGpuReport(const nlohmann::ordered_json& report);

}  // namespace batchwise::cli
