// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/config/events/run_event.h"
#include "core/store/database.h"

namespace batchwise {

// Who writes a run, and whether it still lives (SCHEMA.md, "Dead runs").

/// The lock of whoever writes a run in the database: one byte of `workspace.writers`, at the run's number, for as long
/// as it lives. It is an OFD lock as in FileLock: tied to this object, not to the process, and released by the kernel
/// when the process dies.
class WriterLock {
 public:
  /// Fails with Busy if another writer has the lock, with Unsupported on a file system without locks.
  static Result<WriterLock> acquire(const std::filesystem::path& workspaceFolder, std::int64_t run);
  /// Returns false if the locked file was deleted or replaced, so that nobody sees the lock.
  bool isInPlace() const;

 private:
  WriterLock(FileDescriptor file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}
  FileDescriptor file_;
  std::filesystem::path path_;
};

/// Returns false only if no process has a WriterLock in this workspace.
bool mayHaveAnyWriter(const std::filesystem::path& workspaceFolder);

/// Says that a run is Running. Stored until its end is.
struct RunClaim {
  std::int64_t run = 0;
  std::int64_t segment = 0;
  bool ofJournal = false;  ///< the run is known through its journal
  std::string host;        ///< of the writing process, for display
  std::int64_t processId = 0;
  std::int64_t writtenMs = 0;  ///< when its newest event was recorded
  std::string runId = {};      ///< of the run; not stored with the claim

  /// Returns whether nobody writes the run in the workspace `folder` any more: nobody holds its WriterLock. If the file
  /// of these locks is missing, or the run has a journal, whose lock may not be seen from here, the run counts as
  /// written for two minutes after its newest event; with a journal that is seen to be locked for two weeks.
  bool isDeadAt(std::int64_t nowMs, const std::filesystem::path& folder) const;
};

// These run inside the caller's transaction and throw what SQLite throws.
std::vector<RunClaim> claimsIn(SQLite::Database& database);
std::optional<RunClaim> claimOn(SQLite::Database& database, std::int64_t run);
/// Replaces the claim on its run.
void storeClaim(SQLite::Database& database, const RunClaim& claim);
/// Stores that the writer of a segment recorded an event at `writtenMs`. Returns false if it has no claim.
bool updateClaim(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t writtenMs);
/// Stores the claim of a journal's writer and sets the run to Running again if the run was set to Interrupted, but the
/// writer is not isDeadAt() `nowMs` and writes the newest segment.
void reclaimIfAlive(SQLite::Database& database, const RunClaim& claim, std::int64_t nowMs,
                    const std::filesystem::path& folder);
/// Deletes the claim of a segment that has ended.
void removeClaim(SQLite::Database& database, std::int64_t run, std::int64_t segment);
/// Adds a warning with the reason of an interruption to the events of a run, at its newest clocks.
void noteInterruption(SQLite::Database& database, std::int64_t run, std::int64_t wallMs, const std::string& reason);
/// Sets a Running run to Interrupted, for `reason` or else for what is known of the process, and deletes the claim.
void interruptRun(SQLite::Database& database, const RunClaim& claim, const std::string& reason = {},
                  FailureCause cause = FailureCause::Unknown);

}  // namespace batchwise
