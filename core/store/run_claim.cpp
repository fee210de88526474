// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/run_claim.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/file_lock.h"
#include "core/store/records.h"
#include "core/store/run_rows.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

constexpr std::int64_t kSilenceMs = 120'000;
// A server of NFS version 3 keeps the lock of a host that never comes back. A paused run is silent for days.
constexpr std::int64_t kLockedSilenceMs = 14LL * 24 * 3'600'000;
constexpr const char* kWritersFile = "workspace.writers";
constexpr const char* kClaimQuery =
    "SELECT run, segment, journal, host, process_id, written_ms, "
    "(SELECT id FROM run WHERE number = claim.run) FROM run_writer AS claim";

RunClaim claimFromRow(SQLite::Statement& row) {
  RunClaim claim;
  readRow(row, claim.run, claim.segment, claim.ofJournal, claim.host, claim.processId, claim.writtenMs, claim.runId);
  return claim;
}

/// Returns false only if the lock of a run's writer can be queried and is free.
bool mayHaveWriter(const std::filesystem::path& workspaceFolder, const LockRange& range) {
  const auto path = workspaceFolder / kWritersFile;
  return fileIdOf(path) && mayBeLocked(FileDescriptor{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)}, range);
}

/// Returns true only if the lock of a run's journal can be queried and somebody has it, as its writer does.
bool isJournalLocked(const std::filesystem::path& workspaceFolder, const std::string& runId) {
  if (!isPlainId(runId)) return false;
  const auto path = journalFile(workspaceFolder, runId);
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  return isLocked(file, {}).value_or(false);
}

}  // namespace

Result<WriterLock> WriterLock::acquire(const std::filesystem::path& workspaceFolder, std::int64_t run) {
  const std::filesystem::path path = workspaceFolder / kWritersFile;
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open the lock '{}'", path.native());
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, {run, 1}));
  if (!locked) return Error{ErrorCode::Busy, "the run is being written elsewhere; stop that writer first", {}};
  return WriterLock(std::move(file), path);
}

bool WriterLock::isInPlace() const {
  struct stat info {};
  return ::fstat(file_.get(), &info) == 0 && fileIdOf(path_) == FileId{info.st_dev, info.st_ino};
}

bool mayHaveAnyWriter(const std::filesystem::path& workspaceFolder) {
  return mayHaveWriter(workspaceFolder, {});
}

bool RunClaim::isDeadAt(std::int64_t nowMs, const std::filesystem::path& folder) const {
  const std::int64_t silenceMs = nowMs - writtenMs;
  if (!ofJournal) return fileIdOf(folder / kWritersFile) ? !mayHaveWriter(folder, {run, 1}) : silenceMs > kSilenceMs;
  return silenceMs > kSilenceMs && (silenceMs > kLockedSilenceMs || !isJournalLocked(folder, runId));
}

std::vector<RunClaim> claimsIn(SQLite::Database& database) {
  SQLite::Statement query(database, kClaimQuery);
  std::vector<RunClaim> claims;
  while (query.executeStep()) claims.push_back(claimFromRow(query));
  return claims;
}

std::optional<RunClaim> claimOn(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement query = prepare(database, std::string{kClaimQuery} + " WHERE run=?", run);
  if (!query.executeStep()) return std::nullopt;
  return claimFromRow(query);
}

void storeClaim(SQLite::Database& database, const RunClaim& claim) {
  execute(database,
          "INSERT OR REPLACE INTO run_writer(run, segment, journal, host, process_id, written_ms) VALUES(?,?,?,?,?,?)",
          claim.run, claim.segment, claim.ofJournal, claim.host, claim.processId, claim.writtenMs);
}

bool updateClaim(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t writtenMs) {
  return execute(database, "UPDATE run_writer SET written_ms=max(written_ms, ?) WHERE run=? AND segment=?", writtenMs,
                 run, segment) > 0;
}

void reclaimIfAlive(SQLite::Database& database, const RunClaim& claim, std::int64_t nowMs,
                    const std::filesystem::path& folder) {
  if (nextSegment(database, claim.run) != claim.segment + 1 || claim.isDeadAt(nowMs, folder)) return;
  if (execute(database,
              "UPDATE run SET status='running', reason='', cause='unknown', ended_ms=0 WHERE number=? AND "
              "status='interrupted'",
              claim.run) > 0)
    storeClaim(database, claim);
}

void removeClaim(SQLite::Database& database, std::int64_t run, std::int64_t segment) {
  execute(database, "DELETE FROM run_writer WHERE run=? AND segment=?", run, segment);
}

void noteInterruption(SQLite::Database& database, std::int64_t run, std::int64_t wallMs, const std::string& reason) {
  SQLite::Statement query =
      prepare(database, "SELECT at, (SELECT max(number) FROM segment WHERE run=?1) FROM run WHERE number=?1", run);
  if (!query.executeStep() || query.getColumn(1).isNull()) return;
  const auto at = timestampFromText(query.getColumn(0).getString());
  const std::int64_t segment = query.getColumn(1).getInt64();
  query.reset();
  if (at.ok()) insertEvent(database, run, segment, wallMs, RunNote{NoteLevel::Warning, reason, *at});
}

void interruptRun(SQLite::Database& database, const RunClaim& claim, const std::string& reason, FailureCause cause) {
  const std::string why = reason.empty()
                              ? formatText("the program was closed or killed during training (process {} on '{}')",
                                           claim.processId, claim.host)
                              : reason;
  const int marked =
      execute(database, "UPDATE run SET status=?, reason=?, cause=?, ended_ms=? WHERE number=? AND status=?",
              RunStatus::Interrupted, why, cause, claim.writtenMs, claim.run, RunStatus::Running);
  if (marked > 0) noteInterruption(database, claim.run, claim.writtenMs, why);
  execute(database, "DELETE FROM run_writer WHERE run=?", claim.run);
}

}  // namespace batchwise
