// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/run_claim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
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
              "UPDATE run SET status='running', reason='', ended_ms=0 WHERE number=? AND status='interrupted'",
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

void interruptRun(SQLite::Database& database, const RunClaim& claim, const std::string& reason) {
  const std::string why = reason.empty()
                              ? formatText("the program was closed or killed during training (process {} on '{}')",
                                           claim.processId, claim.host)
                              : reason;
  const int marked =
      execute(database, "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=? AND status=?",
              choiceName(RunStatus::Interrupted), why, claim.writtenMs, claim.run, choiceName(RunStatus::Running));
  if (marked > 0) noteInterruption(database, claim.run, claim.writtenMs, why);
  execute(database, "DELETE FROM run_writer WHERE run=?", claim.run);
}
namespace {

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The first line of a small file; empty if it cannot be read.
std::string firstLineOf(const std::filesystem::path& path) {
  const auto file = readFile(path, 4096);
  return file.ok() ? file->substr(0, file->find('\n')) : "";
}

std::string bootId() {
  return firstLineOf("/proc/sys/kernel/random/boot_id");
}

std::string machineIdHash() {
  std::string id = firstLineOf("/etc/machine-id");
  if (id.empty()) id = firstLineOf("/var/lib/dbus/machine-id");
  return id.empty() || id == "uninitialized" ? "" : hash128("batchwise workspace " + id).hex();
}

std::string systemId() {
  std::error_code ignored;
  return bootId() + " " + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).native();
}

/// Returns nullopt if there is no such process or it is a zombie.
std::optional<std::int64_t> startTicksOf(std::int64_t processId) {
  const auto stat = readFile("/proc/" + std::to_string(processId) + "/stat");
  if (!stat.ok()) return std::nullopt;
  // The name in parentheses may contain anything. The state (field 3) follows it, then 18 fields up to field 22.
  const std::size_t nameEnd = stat->rfind(')');
  if (nameEnd == std::string::npos) return std::nullopt;
  std::istringstream fields(stat->substr(nameEnd + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::int64_t ticks = 0;
  return fields >> ticks ? std::optional{ticks} : std::nullopt;
}

}  // namespace

MachineIdentity currentMachine() {
  return {hostName(), machineIdHash(), bootId()};
}

bool isSameMachine(const MachineIdentity& one, const MachineIdentity& other) {
  if (!one.boot.empty() && one.boot == other.boot) return true;
  return one.host == other.host && !one.machine.empty() && one.machine == other.machine;
}

std::string machineText(const MachineIdentity& machine) {
  return machine.host + "\n" + machine.machine + "\n" + machine.boot + "\n";
}

MachineIdentity machineFromText(std::string_view text) {
  const auto line = [&text] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string found(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return found;
  };
  MachineIdentity machine;
  machine.host = line();
  machine.machine = line();
  machine.boot = line();
  return machine;
}

ProcessIdentity currentProcess() {
  const std::int64_t id = ::getpid();
  return {hostName(), systemId(), id, startTicksOf(id).value_or(0)};
}

Liveness livenessOf(const ProcessIdentity& process) {
  if (process.processId == 0) return Liveness::Dead;
  if (process.system != systemId()) return Liveness::Unknown;
  const auto ticks = startTicksOf(process.processId);
  return ticks && *ticks == process.startTicks ? Liveness::Alive : Liveness::Dead;
}

}  // namespace batchwise
