// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/backups.h"
#include "core/store/database.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/run_rows.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kAlwaysAllowedBytes = std::int64_t{1} << 30;

/// Whoever has the lock may delete what a killed process left.
void removeUnfinished(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& entry : entriesOf(folder))
    if (const std::string name = entry.filename().native();
        name.starts_with("workspace-") &&
        name.find(std::string(".sqlite") + std::string(kUnfinishedBackup)) != name.npos)
      fs::remove(entry, ignored);
}

Result<void> checkSpace(const fs::path& folder, std::int64_t bytes) {
  ASSIGN_OR_RETURN(const auto free, freeBytes(folder));
  if (free >= 2 * bytes) return {};
  return Error{ErrorCode::DiskFull,
               formatText("a backup needs {}, '{}' has {} free; free some space", formatBytes(2 * bytes),
                          folder.native(), formatBytes(free)),
               {}};
}

Result<BackupFile> backUpLocked(SQLite::Database& database, const fs::path& folder, std::int64_t nowMs,
                                const std::stop_token& stop) {
  const fs::path file = folder / kDatabaseName;
  removeUnfinished(folder / kBackupFolder);
  RETURN_IF_ERROR(checkSpace(folder, bytesWithWal(file)));
  ASSIGN_OR_RETURN(auto made, addBackup(database, file, nowMs, CopyCheck::Content, stop));
  std::error_code ignored;
  const std::int64_t limit = std::max(kAlwaysAllowedBytes, 2 * made.bytes);
  for (const BackupFile& each : superfluousBackups(backupsOf(folder), nowMs, limit)) fs::remove(each.file, ignored);
  return made;
}

std::optional<std::string> damageOfCopy(const fs::path& file, CopyCheck check, const std::stop_token& stop) {
  const auto database = openDatabase(file, DatabaseUse::ReadImmutable);
  const bool all = check == CopyCheck::Content;
  const WorkLimit limit(*database, all ? std::numeric_limits<std::int64_t>::max() : vmStepLimit(file), stop);
  if (all) return damageOf(*database);
  const auto answer = queryText(*database, "PRAGMA quick_check(1)").value_or("");
  return answer == "ok" ? std::nullopt : std::optional(answer);
}

constexpr std::int64_t kDayMs = 24LL * 3'600'000;
constexpr std::int64_t kWeekMs = 7 * kDayMs;
constexpr std::int64_t kMonthMs = 31 * kDayMs;
constexpr std::size_t kNewest = 3;
constexpr const char* kNameFormat = "workspace-%Y-%m-%dT%H%M%SZ.sqlite";

std::optional<std::int64_t> timeInName(const std::string& name) {
  std::tm utc{};
  const char* end = ::strptime(name.c_str(), kNameFormat, &utc);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return std::int64_t{::timegm(&utc)} * 1000;
}

}  // namespace

std::optional<std::string> damageOf(SQLite::Database& database) {
  std::vector<std::string> problems;
  checkStructure(database, problems);
  if (problems.empty()) checkMetrics(database, problems);
  return problems.empty() ? std::nullopt : std::optional(problems.front());
}

Result<void> writeBackup(SQLite::Database& database, const fs::path& target, CopyCheck check,
                         const std::stop_token& stop) {
  const fs::path beside = target.native() + std::string(kUnfinishedBackup) + newRecordId();
  std::unique_ptr<SQLite::Database> copy;
  auto made = catchDatabaseErrors(copy, beside, [&]() -> Result<void> {
    copy = openDatabase(beside, DatabaseUse::CreateFile);
    copyDatabase(database, *copy, stop);
    copy.reset();
    if (const auto damage = damageOfCopy(beside, check, stop))
      return Error::corrupt(
          formatText("the database is damaged ({}), so no backup was made; `batchwise store restore` puts the newest "
                     "good backup in its place",
                     *damage));
    return moveDurably(beside, target);
  });
  copy.reset();
  std::error_code ignored;
  if (!made.ok()) fs::remove(beside, ignored);
  if (!made.ok() && stop.stop_requested())
    return Error{ErrorCode::Stopped, "canceled", {}};  // regardless of the error it caused
  return made;
}

Result<BackupFile> addBackup(SQLite::Database& database, const fs::path& file, std::int64_t nowMs, CopyCheck check,
                             const std::stop_token& stop) {
  const fs::path folder = file.parent_path() / kBackupFolder;
  RETURN_IF_ERROR(makeFolders(folder));
  const fs::path target = folder / ("workspace-" + nameTime(nowMs) + ".sqlite");
  RETURN_IF_ERROR(writeBackup(database, target, check, stop));
  return BackupFile{target, nowMs / 1000 * 1000, bytesWithWal(target)};
}

Result<BackupFile> backUpWorkspace(const fs::path& folder, std::int64_t nowMs, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const auto held, BackupLock::acquire(folder, std::chrono::seconds{30}));
  std::unique_ptr<SQLite::Database> database;
  return catchDatabaseErrors(database, folder / kDatabaseName, [&]() -> Result<BackupFile> {
    database = openDatabase(folder / kDatabaseName, DatabaseUse::Read);
    return backUpLocked(*database, folder, nowMs, stop);
  });
}

Result<std::optional<BackupFile>> backUpIfDue(const fs::path& folder, std::int64_t nowMs, const std::stop_token& stop) {
  using Outcome = Result<std::optional<BackupFile>>;
  if (!isBackupDue(backupsOf(folder), nowMs)) return Outcome(std::nullopt);
  const auto held = BackupLock::acquire(folder, std::chrono::milliseconds{0});
  if (!held.ok() && held.error().code != ErrorCode::Busy) return held.error();
  if (!held.ok() || !isBackupDue(backupsOf(folder), nowMs)) return Outcome(std::nullopt);
  std::unique_ptr<SQLite::Database> database;
  return catchDatabaseErrors(database, folder / kDatabaseName, [&]() -> Outcome {
    database = openDatabase(folder / kDatabaseName, DatabaseUse::Read);
    if (!hasRow(*database, "SELECT 1 FROM run")) return Outcome(std::nullopt);
    ASSIGN_OR_RETURN(auto made, backUpLocked(*database, folder, nowMs, stop));
    return Outcome(std::move(made));
  });
}

std::string nameTime(std::int64_t timeMs) {
  std::string time = isoTime(timeMs);
  std::erase(time, ':');
  return time;
}

std::vector<BackupFile> backupsOf(const fs::path& folder) {
  std::vector<BackupFile> backups;
  for (const fs::path& entry : entriesOf(folder / kBackupFolder)) {
    std::error_code ignored;
    const auto taken = timeInName(entry.filename().native());
    if (taken && fs::is_regular_file(fs::symlink_status(entry, ignored)))
      backups.push_back({entry, *taken, bytesWithWal(entry)});
  }
  std::sort(backups.begin(), backups.end(), [](const auto& a, const auto& b) { return a.takenMs > b.takenMs; });
  return backups;
}

bool isBackupDue(const std::vector<BackupFile>& backups, std::int64_t nowMs) {
  // One that a wrong clock dated years ahead must neither end the backups nor call for one at each start.
  return std::none_of(backups.begin(), backups.end(),
                      [&](const BackupFile& each) { return std::abs(nowMs - each.takenMs) < kDayMs; });
}

std::vector<BackupFile> superfluousBackups(const std::vector<BackupFile>& backups, std::int64_t nowMs,
                                           std::int64_t limitBytes) {
  std::vector<BackupFile> superfluous;
  std::set<std::int64_t> weeks;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < backups.size(); ++i) {
    const BackupFile& each = backups[i];
    const bool newestOfWeek = weeks.insert(each.takenMs / kWeekMs).second;
    const bool wanted = i < kNewest || (newestOfWeek && nowMs - each.takenMs <= kMonthMs);
    if (i == 0 || (wanted && total + each.bytes <= limitBytes))
      total += each.bytes;
    else
      superfluous.push_back(each);
  }
  return superfluous;
}

Result<BackupLock> BackupLock::acquire(const fs::path& folder, std::chrono::milliseconds timeout) {
  RETURN_IF_ERROR(makeFolders(folder / kBackupFolder));
  ASSIGN_OR_RETURN(auto lock, FileLock::open(folder / kBackupFolder / "lock"));
  ASSIGN_OR_RETURN(auto held, lock.acquire(timeout));
  return BackupLock(std::move(lock), std::move(held));
}

Result<fs::path> finishRestore(const fs::path& folder) {
  const fs::path restored = folder / kRestoredDatabaseName, file = folder / kDatabaseName;
  if (!fileIdOf(restored)) return fs::path();
  ASSIGN_OR_RETURN(const auto lock, FileLock::open(folder / kWorkspaceLock));
  ASSIGN_OR_RETURN(const auto held, lock.acquire());
  if (!fileIdOf(restored)) return fs::path();  // another process did it
  if (fileIdOf(file) && mayHaveAnyWriter(folder))
    return Error{ErrorCode::Busy, "a run is being written in this workspace; stop it first", {}};
  std::error_code failure;
  const auto made = std::chrono::file_clock::to_sys(fs::last_write_time(restored, failure)).time_since_epoch();
  const std::int64_t madeMs = std::chrono::duration_cast<std::chrono::milliseconds>(made).count();
  const fs::path aside =
      folder / ("workspace.replaced-" + nameTime(madeMs) + "-" + std::to_string(madeMs % 1000) + ".sqlite");
  // The database first: nobody can open it without its WAL then.
  for (const char* side : {"", "-wal", "-shm"})
    if (!failure && fileIdOf(file.native() + side)) fs::rename(file.native() + side, aside.native() + side, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot write '{}'", aside.native());
  RETURN_IF_ERROR(syncFolder(folder));  // before the other one takes the name
  fs::rename(restored, file, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot write '{}'", file.native());
  RETURN_IF_ERROR(syncFolder(folder));
  return fileIdOf(aside) ? aside : fs::path();
}

}  // namespace batchwise
