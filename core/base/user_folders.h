// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/base/launched_rank.h"

namespace batchwise {

/// Returns the folder for what can be made again: $XDG_CACHE_HOME/batchwise, or ~/.cache/batchwise. It may not exist.
/// Empty if neither variable holds an absolute path; a relative one is ignored (XDG Base Directory Specification).
std::filesystem::path userCacheFolder(const Environment& environment);

/// Start of the names of the files in it that hold what the check of a GPU's operations found.
inline constexpr const char* kRememberedChecks = "gpu-check-";

}  // namespace batchwise
