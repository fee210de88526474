// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"

namespace batchwise {

inline std::string storeFileLostText(const auto& path) {
  return formatText("'{}' was moved, replaced or deleted while it was in use; put it back", path);
}
inline constexpr const char* kWorkspaceFolderUnknown =
    "this account has no home folder for a workspace: neither HOME nor XDG_DATA_HOME names one; name a folder with "
    "--workspace";

inline constexpr const char* kDatabaseName = "workspace.sqlite";
inline constexpr const char* kWorkspaceLock = "workspace.lock";
/// A complete database that a restore made, until it takes the place of the other one.
inline constexpr const char* kRestoredDatabaseName = "workspace.restored.sqlite";
/// Contains tokenized data.
inline constexpr const char* kCacheFolder = "cache";
/// Contains general text drawn for runs.
inline constexpr const char* kTextsFolder = "texts";

/// Returns whether the folder contains a workspace: a database, or journals or logs of Python that are not imported
/// yet. Does not open the database. Thread-safe.
bool holdsWorkspace(const std::filesystem::path& folder);
/// Fails with Config if the folder is a file, or inside one.
Result<void> checkNotInFile(const std::filesystem::path& folder);

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

/// Ends the names of journals.
inline constexpr const char* kJournalEnding = ".jsonl";
/// Returns `runs/<id>.jsonl`.
std::filesystem::path journalFile(const std::filesystem::path& folder, const std::string& id);

/// Returns `runs/<id>.request.json`: what the jobs of a run that was submitted to Slurm read, written anew by each
/// submission.
std::filesystem::path slurmRequestFile(const std::filesystem::path& folder, const std::string& id);

/// Returns all journals of the workspace `folder`, sorted by name.
std::vector<std::filesystem::path> journalFiles(const std::filesystem::path& folder);

/// Returns whether there are checkpoint files or journals beside the database.
bool hasRunFiles(const std::filesystem::path& folder);

/// Returns the number of checkpoint files whose run has no journal: only the database describes them.
std::int64_t checkpointFilesWithoutJournal(const std::filesystem::path& folder);

/// Returns the size of the checkpoint file `file`. Fails with Corrupt as checkCheckpointPath(), with NotFound or Io.
Result<std::int64_t> checkpointFileBytes(const std::filesystem::path& folder, const std::string& file);

/// Returns the path of a marker file that shows runs on other hosts, which cannot read the database, that a checkpoint
/// is pinned. `file`: as in CheckpointRecord::file.
std::filesystem::path pinMarkerPath(const std::filesystem::path& folder, const std::string& file);
bool hasPinMarker(const std::filesystem::path& folder, const std::string& file);

/// Deletes files of the workspace, given as "checkpoints/<name>" or "runs/<name>"; ignores missing ones and deletes
/// links, not their targets. Fails with Io, Corrupt or Unsupported after trying all of them.
Result<void> removeFiles(const std::filesystem::path& folder, const std::vector<std::string>& files);

}  // namespace batchwise
