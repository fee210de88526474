// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/result.h"
#include "core/store/file_lock.h"

namespace SQLite {
class Database;
}

namespace batchwise {

// Copies of a workspace's database in its folder `backups/`. They hold no checkpoint files.

inline constexpr const char* kBackupFolder = "backups";
inline constexpr const char* kUnfinishedBackup = ".partial-";  ///< in the name of a copy being made

struct BackupFile {
  std::filesystem::path file;
  std::int64_t takenMs = 0;  ///< milliseconds since 1970 UTC, from the name
  std::int64_t bytes = 0;
  bool operator==(const BackupFile&) const = default;
};

/// Returns the time as in file names, which may have no colon on some file systems.
std::string nameTime(std::int64_t timeMs);

/// Returns the backups in the workspace `folder`, newest first. Thread-safe.
std::vector<BackupFile> backupsOf(const std::filesystem::path& folder);

/// Returns whether the newest backup (`backups`: newest first) is a day old, or there is none.
bool isBackupDue(const std::vector<BackupFile>& backups, std::int64_t nowMs);

/// Returns which backups to delete (`backups`: newest first): all but the newest three and the newest of each week of
/// the last 31 days. Of these, also those that do not fit into `limitBytes` together with all newer ones that stay; the
/// newest always stays.
std::vector<BackupFile> superfluousBackups(const std::vector<BackupFile>& backups, std::int64_t nowMs,
                                           std::int64_t limitBytes);

/// Returns the first damage that SQLite or a checksum finds in a workspace's database of the newest version.
std::optional<std::string> damageOf(SQLite::Database& database);

/// How a copy is checked: by `PRAGMA quick_check`, which serves a database of any version, or by damageOf().
enum class CopyCheck { Pages, Content };

/// Copies `database` as one snapshot to `target`: checks the copy, syncs and renames it. Fails with Corrupt if the
/// database is damaged, Io, DiskFull or Stopped; then `target` is unchanged.
Result<void> writeBackup(SQLite::Database& database, const std::filesystem::path& target, CopyCheck check,
                         const std::stop_token& stop = {});

/// writeBackup() into `backups/` of the workspace that has the database `file`.
Result<BackupFile> addBackup(SQLite::Database& database, const std::filesystem::path& file, std::int64_t nowMs,
                             CopyCheck check, const std::stop_token& stop = {});

/// Holds `backups/lock` while backups are made, deleted or restored.
class BackupLock {
 public:
  /// Creates the folder. Fails with Busy after `timeout`, or with Io.
  static Result<BackupLock> acquire(const std::filesystem::path& folder, std::chrono::milliseconds timeout);

 private:
  BackupLock(FileLock lock, FileLock::Guard held) : lock_(std::move(lock)), held_(std::move(held)) {}
  FileLock lock_;
  FileLock::Guard held_;
};

/// Backs up the database of the workspace `folder` through a connection of its own, then deletes superfluousBackups().
/// Fails as writeBackup(), with DiskFull if less than twice its size is free, or with Busy.
Result<BackupFile> backUpWorkspace(const std::filesystem::path& folder, std::int64_t nowMs,
                                   const std::stop_token& stop = {});

/// Does so if isBackupDue(), the workspace has a run and no other process is at it; else returns nothing.
Result<std::optional<BackupFile>> backUpIfDue(const std::filesystem::path& folder, std::int64_t nowMs,
                                              const std::stop_token& stop = {});

/// Lets the database that a restore completed take the place of the present one, which is renamed to
/// `workspace.replaced-<time>.sqlite` with its WAL. Returns that file; empty if there was none. Does nothing if no
/// restored database waits, and continues where a killed process stopped. Fails with Io, DiskFull or Busy.
Result<std::filesystem::path> finishRestore(const std::filesystem::path& folder);

}  // namespace batchwise
