// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/backups.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/database.h"
#include "core/store/record_text.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

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
