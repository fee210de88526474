// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/folder.h"
#include "core/base/result.h"
#include "core/store/records.h"
#include "core/store/workspace.h"

namespace SQLite {
class Database;
}

namespace batchwise {

// Files in `checkpoints/` without a row: what a killed process saved, deleted or imported. `folder`: a workspace; files
// are named as in CheckpointRecord::file.

/// The parts of "<run>-<segment>-<step>", the id of a checkpoint that a run saved and the name of its file.
struct CheckpointName {
  std::string run;
  std::int64_t segment = 0, step = 0;
};
/// Returns nullopt for other names. The last two parts are numbers, so each name belongs to one run, also where the id
/// of one run is the start of another's.
std::optional<CheckpointName> parseCheckpointName(std::string_view id);

/// Returns the files that bear the name of a checkpoint which `run` saved: complete ones, unfinished ones, pin markers.
/// Leaves out those that a row of another run names, as an import may bring, and all if rows are missing or damaged.
std::vector<std::string> checkpointFilesNamedFor(SQLite::Database& database, const std::filesystem::path& folder,
                                                 const std::string& run);

/// Deletes checkpoint files without a row that segments of `run` before `segment` saved. Keeps those that are farther
/// than every checkpoint with a row, from which `store restore` could go on, those with a pin marker, and all of a run
/// with a journal, which other hosts may write. Requires a transaction that holds the workspace's lock, and that the
/// caller is the only writer of the run, so that nobody is about to insert such a row. Deletes nothing if rows of
/// checkpoints are missing or damaged; failures leave files.
void removeUnlistedCheckpoints(SQLite::Database& database, const std::filesystem::path& folder, const std::string& run,
                               std::int64_t segment);

/// Returns a note for each checkpoint file without a row, with what removes it. Leaves out those of runs that are being
/// written. Fails as Workspace's reading functions do.
Result<std::vector<std::string>> unlistedCheckpointNotes(const Workspace& workspace);

/// Reads every checkpoint file of its recorded size and returns those that are damaged (a hash differs) or hold the
/// state at another step than their row says; Workspace::check() reports the others. `progress`: bytes read and in all.
/// Fails as Workspace's reading functions do, or with Stopped.
Result<std::vector<std::string>> checkCheckpointContents(const Workspace& workspace,
                                                         const std::function<void(double done, double total)>& progress,
                                                         const std::stop_token& stop = {});

// Checkpoints that no run saves, such as imported ones, are written into a staging folder, get their names inside the
// transaction that inserts their rows, and keep those of the staging folder until that is committed. So whatever a
// killed process leaves is found by its staging folder, except on file systems without hard links (FAT).

/// Creates a hidden folder in `checkpoints/`, after removeStagedCheckpoints(). Fails with Io or DiskFull.
Result<StagedFolder> stageCheckpoints(Workspace& workspace);

/// Makes the file `staged` of a staging folder the checkpoint file `file`, durably. Fails with Io or DiskFull.
Result<void> placeStagedCheckpoint(const std::filesystem::path& staged, const std::filesystem::path& folder,
                                   const std::string& file);

/// Removes the staging folders that killed processes left, with the files that were placed from there and whose rows
/// were not committed.
void removeStagedCheckpoints(Workspace& workspace);

/// Adds a checkpoint to a run whose weights are the mean of its last `count` checkpoints, with the clocks and moments
/// of the newest; it is pinned, and no resume or roll-back chooses it by itself. Returns its record. Fails with Config
/// if the run has fewer checkpoints (or `count` is below 2), NotFound, Corrupt, Io or DiskFull.
Result<CheckpointRecord> addAveragedCheckpoint(Workspace& workspace, const std::string& run, std::int64_t count);

/// The checkpoints of a run on the disk.
struct RunDiskUse {
  RunSummary run;
  std::int64_t bytes = 0;
};

/// What a workspace folder holds, in bytes.
struct DiskUse {
  std::vector<RunDiskUse> runs;  ///< archived ones too, largest first
  std::int64_t checkpoints = 0;  ///< of all runs
  std::int64_t archived = 0;     ///< of these, of archived runs
  std::int64_t database = 0;     ///< metrics, events and settings of all runs
  std::int64_t cache = 0;        ///< tokenized text, which is made again when needed
  std::int64_t other = 0;        ///< backups, journals, texts, files that no record names
  std::int64_t total() const { return checkpoints + database + cache + other; }
};

/// Reads every file name of the folder.
Result<DiskUse> diskUse(const Workspace& workspace);

/// Returns what keeping only the best checkpoint of a run removes, oldest first: all but the best by
/// checkpoint.best_metric and pinned ones. Without a finite metric the one that a resume would use is the best. Empty
/// while the run trains.
Result<std::vector<CheckpointRecord>> checkpointsBesidesBest(const Workspace& workspace, const std::string& run);

}  // namespace batchwise
