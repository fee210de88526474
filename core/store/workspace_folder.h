// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace batchwise {

/// The database in the folder of a workspace.
inline constexpr const char* kDatabaseName = "workspace.sqlite";
/// The folder with tokenised data in it.
inline constexpr const char* kCacheFolder = "cache";

/// Whether there is a workspace in the folder: a database, or journals of runs that nobody has taken in yet. Looks at
/// names only. Any thread.
bool holdsWorkspace(const std::filesystem::path& folder);

}  // namespace batchwise
