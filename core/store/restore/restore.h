// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/store/backups.h"
#include "core/store/workspace.h"

namespace batchwise {

/// A run whose checkpoint files got the rows that they lacked.
struct AdoptedRun {
  std::string id, name;
  bool isNew = false;            ///< the run itself had no row
  std::int64_t checkpoints = 0;  ///< number of adopted files
  std::int64_t rowsUntil = 0;    ///< global batches whose metrics the database has
  std::int64_t batch = 0;        ///< global batches at the farthest adopted checkpoint
};

struct Adoption {
  std::vector<AdoptedRun> runs;
  std::vector<std::string> leftOut;  ///< files that are damaged or no checkpoint of a run
};

/// Adds the files in `checkpoints/` that no row names, as they describe themselves. A run without a row gets the
/// configuration and the name of its newest checkpoint, but no metrics. Leaves out files of runs that are being
/// written, and of those with a journal but no row, which syncJournals() adds. Reads every such file. Fails as
/// Workspace's writing functions do, or with Stopped.
Result<Adoption> adoptCheckpoints(Workspace& workspace, const std::stop_token& stop = {});

/// What restoreWorkspace() did.
struct RestoreReport {
  std::optional<BackupFile> backup;  ///< put in place; nothing if there was none, or the database was intact
  std::filesystem::path replaced;    ///< where the former database is now; empty if it stayed or there was none
  std::vector<std::string> added;    ///< what came after the backup, from checkpoint files and journals
  std::vector<std::string> missing;  ///< what neither the backup nor those files have
  std::vector<std::string> notes;    ///< skipped backups, files that were left out
};

/// Returns the report for people, one line each: what is in place and from when, what was added, what is missing.
std::vector<std::string> restoreLines(const RestoreReport& report);

/// Puts the newest good backup of the workspace `folder`, or the backup `from` if it is not empty, in the place of its
/// database, and adds what checkpoint files and journals tell beyond it. Without any backup the database is made from
/// those files alone. The former database is renamed, not deleted. An intact database that has runs is only replaced by
/// a given backup; without one, it gets what the files tell.
/// The new database is complete before it takes the place, so a crash leaves the old one or the new one. Fails with
/// NotFound (no such backup; no backup and no files), Corrupt or Unsupported (`from` is not usable), Busy (a run is
/// being written), DiskFull, Io or Stopped; then nothing has changed.
Result<RestoreReport> restoreWorkspace(const std::filesystem::path& folder, const std::filesystem::path& from = {},
                                       const std::stop_token& stop = {}, const Clock& clock = Workspace::systemClock());

}  // namespace batchwise
