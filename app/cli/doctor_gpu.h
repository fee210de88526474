// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/commands.h"
#include "core/store/output_file.h"

namespace batchwise::cli {

/// `doctor --gpu`: what a device computes, holds and how fast it trains, in one file for a report.
struct GpuReportArguments {
  bool wanted = false;
  std::string device;  ///< as in devices.use; empty: the first GPU. The processor only tries the way to the report.
  std::filesystem::path report = "batchwise-gpu-report.json";
  Replaces replaces = Replaces::OwnFiles;
};

/// Checks the operations of the device anew, searches its largest micro-batch, trains a few steps, prints the table and
/// writes the report. Returns kFailed if there is no such device or something on it is wrong, and says what to do.
Result<int> doctorGpu(const Globals& globals, const GpuReportArguments& arguments);

/// Prints the table of a report.
void printGpuReport(const nlohmann::ordered_json& report);

}  // namespace batchwise::cli
