// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/backups.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/record_text.h"
#include "core/store/run_rows.h"
#include "core/store/schema.h"
#include "core/store/texts.h"
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

}  // namespace

std::optional<std::string> damageOf(SQLite::Database& database) {
  std::vector<std::string> problems;
  checkStructure(database, problems);
  if (problems.empty()) checkEvents(database, problems);
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
    return Error{ErrorCode::Stopped, kStoreWorkCanceled, {}};  // regardless of the error it caused
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

}  // namespace batchwise
