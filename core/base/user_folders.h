// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/base/launched_rank.h"

namespace batchwise {

// The user's folders, which may not exist. A variable that holds a relative path is ignored (XDG Base Directory
// Specification). ~ is userHome(). Empty if there is none.

/// Returns the home folder of this account in the password database; empty if it names none. Thread-safe.
std::filesystem::path accountHome();

/// Returns $HOME if that is an absolute path, else `home`; empty if neither is one.
std::filesystem::path userHome(const Environment& environment = processEnvironment(),
                               const std::filesystem::path& home = accountHome());

/// Returns the folder for what can be made again: $XDG_CACHE_HOME/batchwise, or ~/.cache/batchwise.
std::filesystem::path userCacheFolder(const Environment& environment,
                                      const std::filesystem::path& home = accountHome());

/// Returns the default workspace: $XDG_DATA_HOME/batchwise, or ~/.local/share/batchwise.
std::filesystem::path defaultWorkspacePath(const Environment& environment = processEnvironment(),
                                           const std::filesystem::path& home = accountHome());

/// Start of the names of the files in it that hold what the check of a GPU's operations found.
inline constexpr const char* kRememberedChecks = "gpu-check-";

}  // namespace batchwise
