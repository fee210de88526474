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
#include "core/store/run_rows.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kAlwaysAllowedBytes = std::int64_t{1} << 30;

std::int64_t sizeOf(const fs::path& file) {
  std::error_code missing;
  const auto bytes = fs::file_size(file, missing);
  return missing ? 0 : static_cast<std::int64_t>(bytes);
}

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
  RETURN_IF_ERROR(checkSpace(folder, sizeOf(file) + sizeOf(walOf(file))));
  ASSIGN_OR_RETURN(auto made, addBackup(database, file, nowMs, stop));
  std::error_code ignored;
  if (auto whole = checkCopy(made.file, stop); !whole.ok()) {  // a damaged one must not push out the good ones
    fs::remove(made.file, ignored);
    return whole.error();
  }
  const std::int64_t limit = std::max(kAlwaysAllowedBytes, 2 * made.bytes);
  for (const BackupFile& each : superfluousBackups(backupsOf(folder), nowMs, limit)) fs::remove(each.file, ignored);
  return made;
}

}  // namespace

Result<void> checkCopy(const fs::path& file, const std::stop_token& stop) {
  std::unique_ptr<SQLite::Database> database;
  return catchDatabaseErrors(database, file, [&]() -> Result<void> {
    database = openDatabase(file, DatabaseUse::ReadImmutable);
    const WorkLimit limit(*database, std::numeric_limits<std::int64_t>::max(), stop);
    std::vector<std::string> problems;
    checkStructure(*database, problems);
    if (problems.empty()) checkEvents(*database, problems);
    if (problems.empty()) checkMetrics(*database, problems);
    if (problems.empty()) return {};
    return Error::corrupt(formatText("'{}' is damaged: {}", file.native(), problems.front()));
  });
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
