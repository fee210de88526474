// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/batch/lengths.h"

namespace batchwise {

/// Lengths from a file, as `--seqlens` takes them: `.u16` and `.u32` are little-endian
/// binary and stay mapped (one pass over them at opening, no memory); anything else is a JSON array of whole numbers,
/// or one whole number per line. Fails with NotFound, Io, or Config naming the line or place that is no length.
Result<std::shared_ptr<const Lengths>> openLengths(const std::filesystem::path& path);

}  // namespace batchwise
