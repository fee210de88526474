// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/store/database.h"
#include "core/store/process_identity.h"

namespace batchwise {

// Which process writes a run, and whether it still lives.

/// A writer without events stores a heartbeat this often.
constexpr double kHeartbeatIntervalSec = 5.0;

/// Returns whether a writer whose last heartbeat was at `heartbeatMs` counts as dead at `nowMs`: its process has ended,
/// or its process cannot be checked from here and the heartbeat is more than 2 minutes old.
bool isDead(const ProcessIdentity& process, std::int64_t heartbeatMs, std::int64_t nowMs);

/// Shows that a writer of a run exists: locks one byte of `workspace.writers`, at the run's number, for as long as it
/// lives. It is an OFD lock as in FileLock: tied to this object, not to the process, and released by the kernel when
/// the process dies. A claim in the database may outlive its writer inside a live process, if a full disk prevented its
/// deletion; this lock does not.
class WriterLock {
 public:
  /// Fails with Busy if another writer has the lock, with Unsupported on a file system without locks.
  static Result<WriterLock> acquire(const std::filesystem::path& workspaceFolder, std::int64_t run);

 private:
  explicit WriterLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

/// Returns false only if no process has a WriterLock in this workspace.
bool mayHaveAnyWriter(const std::filesystem::path& workspaceFolder);

/// ProcessIdentity::system of a writer that is known only through its journal.
inline constexpr const char* kJournalWriterSystem = "journal";

/// Which process writes a run, and its last heartbeat. Stored while the run is Running.
struct RunClaim {
  std::int64_t run = 0;
  std::int64_t segment = 0;
  ProcessIdentity process;
  std::int64_t heartbeatMs = 0;
  std::string runId = {};  ///< of the run; not stored with the claim

  /// Returns whether the writing process is dead, or lives on this machine but has no writer of the run in the
  /// workspace `folder` any more. A journal that is seen to be locked has a living writer, unless it was silent for two
  /// weeks.
  bool isDeadAt(std::int64_t nowMs, const std::filesystem::path& folder) const;
};

// These run inside the caller's transaction and throw what SQLite throws.
std::vector<RunClaim> claimsIn(SQLite::Database& database);
std::optional<RunClaim> claimOn(SQLite::Database& database, std::int64_t run);
/// Replaces the claim on its run.
void storeClaim(SQLite::Database& database, const RunClaim& claim);
/// Stores the heartbeat of a claim. Another host, which cannot see the process, may have set the run to Interrupted and
/// deleted the claim: then stores the claim and sets the run to Running again.
void storeHeartbeat(SQLite::Database& database, const RunClaim& claim);
/// Advances the heartbeat of a run that is known only through its journal. Returns false if there is no claim.
bool advanceHeartbeat(SQLite::Database& database, std::int64_t run, std::int64_t heartbeatMs);
/// Stores the claim of a journal's writer and sets the run to Running again if the run was set to Interrupted, but the
/// writer is not isDeadAt() `nowMs` and writes the newest segment.
void reclaimIfAlive(SQLite::Database& database, const RunClaim& claim, std::int64_t nowMs,
                    const std::filesystem::path& folder);
/// Marks a claim as one without a process, so that the run counts as dead at once.
void releaseClaim(SQLite::Database& database, std::int64_t run, std::int64_t segment);
/// Deletes the claim of a segment that has ended.
void removeClaim(SQLite::Database& database, std::int64_t run, std::int64_t segment);
/// Adds a warning with the reason of an interruption to the events of a run, at its newest clocks.
void noteInterruption(SQLite::Database& database, std::int64_t run, std::int64_t wallMs, const std::string& reason);
/// Sets a Running run to Interrupted, for `reason` or else for what is known of the process, and deletes the claim.
void interruptRun(SQLite::Database& database, const RunClaim& claim, const std::string& reason = {});

}  // namespace batchwise
