// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/batch/lengths.h"

namespace batchwise {

/// The file that `batch.tokens.metrics_path` means: the path itself if it ends with .u16 or .u32, else lengths.u32 in
/// the folder of that name.
std::filesystem::path keptLengthsFile(const std::filesystem::path& metricsPath);

/// Writes `lengths` to `file` (.u16 or .u32, as openLengths reads it) if there is none; else compares the two. Fails
/// with Config, naming the first difference and what would do, or if a length does not fit 16 bits; Io, DiskFull.
Result<void> keepLengths(const std::filesystem::path& file, const Lengths& lengths);

}  // namespace batchwise
