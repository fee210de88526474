// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace batchwise {

/// The database in the folder of a workspace.
inline constexpr const char* kDatabaseName = "workspace.sqlite";
/// The folder with tokenised data in it.
inline constexpr const char* kCacheFolder = "cache";

/// Whether there is a workspace in the folder: a database, or journals of runs that nobody has taken in yet. Looks at
/// names only. Any thread.
bool holdsWorkspace(const std::filesystem::path& folder);

/// Whether what lies in the folder of a workspace may be opened, whoever put it there. What Batchwise writes to must be
/// a plain file or folder: no link leads out, no pipe makes us wait. A rollback journal beside the database, which
/// SQLite would apply, is refused: a workspace has a WAL in its place. Another program may have changed that; but a
/// journal that names a super-journal, a file anywhere that SQLite then deletes, is never let through. Nothing is
/// changed; fine if there is nothing. Fails with Unsupported (a link, a pipe) or Corrupt (the journal). Any thread.
Result<void> checkWorkspaceFolder(const std::filesystem::path& folder);

/// Fails with Corrupt unless `file` is "checkpoints/" and the plain name of a file, as CheckpointRecord::file.
Result<void> checkCheckpointPath(const std::string& file);

/// The path of the checkpoint file `file` of a workspace. Neither `checkpoints` nor the file is a link: what is opened
/// under this path lies in the workspace. Fails with Corrupt, NotFound, Io, or Unsupported (a link).
Result<std::filesystem::path> findCheckpointFile(const std::filesystem::path& folder, const std::string& file);

}  // namespace batchwise
