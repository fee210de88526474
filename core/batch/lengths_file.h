// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/batch/lengths.h"

namespace batchwise {

/// Opens a file of lengths, as given to `--seqlens`. `.u16` and `.u32` are little-endian binary and memory-mapped (read
/// once when opened); any other file is a JSON array of integers, or one integer per line. Fails with NotFound, Io, or
/// Config, naming the line or position that is not a length.
Result<std::shared_ptr<const Lengths>> openLengths(const std::filesystem::path& path);

}  // namespace batchwise
