// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace batchwise {

inline constexpr const char* kDatabaseName = "workspace.sqlite";
/// Contains tokenized data.
inline constexpr const char* kCacheFolder = "cache";

/// Returns whether the folder contains a workspace: a database, or journals of runs that are not imported yet. Opens no
/// file. Thread-safe.
bool holdsWorkspace(const std::filesystem::path& folder);

/// Checks that the files of a workspace folder from any source are safe to open. Everything that Batchwise writes to
/// must be a regular file or folder: no links, no pipes. Also refuses a rollback journal beside the database, which
/// SQLite would apply, unless another program switched the database to rollback journals; one that names a
/// super-journal, which SQLite would delete, is always refused. Changes nothing; succeeds if there is nothing. Fails
/// with Unsupported (a link, a pipe) or Corrupt (the journal). Thread-safe.
Result<void> checkWorkspaceFolder(const std::filesystem::path& folder);

/// Fails with Corrupt unless `file` is "checkpoints/" followed by a plain file name, as in CheckpointRecord::file.
Result<void> checkCheckpointPath(const std::string& file);

/// Returns the path of the checkpoint file `file`. Neither `checkpoints` nor the file is a link, so the path lies in
/// the workspace. Fails with Corrupt, NotFound, Io, or Unsupported (a link).
Result<std::filesystem::path> findCheckpointFile(const std::filesystem::path& folder, const std::string& file);

}  // namespace batchwise
