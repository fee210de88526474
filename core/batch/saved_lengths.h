// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/batch/lengths.h"

namespace batchwise {

/// Returns the file meant by `batch.tokens.metrics_path`: the path itself if it ends with .u16 or .u32, else
/// lengths.u32 in that folder.
std::filesystem::path savedLengthsFile(const std::filesystem::path& metricsPath);

/// Writes `lengths` to `file` (.u16 or .u32, as read by openLengths) if it does not exist, else compares the two. Fails
/// with Config if they differ or a length does not fit 16 bits; also with Io or DiskFull.
Result<void> saveLengths(const std::filesystem::path& file, const Lengths& lengths);

}  // namespace batchwise
