// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/workspace.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/file_lock.h"
#include "core/store/integrity.h"
#include "core/store/process_identity.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// Also true for a dangling link: its disk may be missing at the moment, so nothing may replace it.
bool entryExists(const fs::path& file) {
  std::error_code ignored;
  return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

bool isWritable(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Error notWritable(const fs::path& path) {
  return {ErrorCode::Io,
          formatText("'{}' is not writable for you; choose another workspace folder, or change its permissions",
                     path.native()),
          {}};
}

std::string missingDatabaseHint(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const bool restorable = hasRunFiles(folder) || !backupsOf(folder).empty();
  return restorable ? "`batchwise store restore` puts the newest good backup in its place and adds what checkpoints "
                      "and journals tell"
                    : "restore it from a copy of yours, or delete it to start a new one";
}

/// Checks by its header that this program may open the file. Changes nothing.
Result<void> checkFile(const fs::path& file) {
  const auto header = readDatabaseHeader(file);
  if (!header.ok()) return header.error();
  if (header->isEmpty)
    return Error::corrupt(
        formatText("'{}' is empty (0 bytes): it is not a workspace; {}", file.native(), missingDatabaseHint(file)));
  if (!header->isDatabase)
    return Error::corrupt(formatText("'{}' is not an SQLite database; {}", file.native(), missingDatabaseHint(file)));
  if (header->applicationId != kWorkspaceApplicationId)
    return Error::unsupported(formatText(
        "'{}' is a database of another program (application id {}); it was not touched; choose another folder",
        file.native(), header->applicationId));
  const std::int32_t newest = newestVersion(workspaceMigrations());
  if (header->userVersion > newest)
    return Error::unsupported(
        formatText("'{}' has schema version {}, this program knows up to {}; use a newer Batchwise", file.native(),
                   header->userVersion, newest));
  return {};
}

/// SQLite would replay a WAL left without its database into the new one.
Result<void> checkNoOrphanedWal(const fs::path& file) {
  const fs::path wal = walOf(file);
  std::error_code ignored;
  if (!fs::exists(wal, ignored)) return {};
  return Error::corrupt(
      formatText("'{}' is missing, but its '{}' is there; put the file back, or use `batchwise store restore`",
                 file.native(), wal.filename().native()));
}

/// Opens a connection and checks version, schema and integrity (checkQuickly()).
Result<std::unique_ptr<SQLite::Database>> openChecked(const fs::path& file, DatabaseUse use) {
  std::unique_ptr<SQLite::Database> database;
  auto opened = catchDatabaseErrors(database, file, [&]() -> Result<void> {
    database = openDatabase(file, use);
    const WorkLimit limit(*database, vmStepLimit(file));
    const auto version = queryInteger(*database, "PRAGMA user_version").value_or(0);
    if (version > newestVersion(workspaceMigrations())) return {};  // refused later, with a better message
    return checkSchema(*database, file, static_cast<std::int32_t>(version));
  });
  if (opened.ok()) {
    const WorkLimit limit(*database, vmStepLimit(file));
    opened = checkQuickly(database, file);
  }
  if (!opened.ok()) return opened.error();
  return database;
}

/// Creates or migrates the database under the lock. Returns the writing connection.
Result<std::unique_ptr<SQLite::Database>> openForWriting(const fs::path& file, const FileLock& lock) {
  ASSIGN_OR_RETURN(const auto held, lock.acquire());
  if (!entryExists(file)) {
    RETURN_IF_ERROR(checkNoOrphanedWal(file));
    RETURN_IF_ERROR(createDatabase(file, workspaceMigrations()));
  }
  RETURN_IF_ERROR(checkFile(file));
  auto database = openChecked(file, DatabaseUse::Write);
  if (!database.ok()) return database;
  RETURN_IF_ERROR(migrateDatabase(*database, file, workspaceMigrations()));
  auto moved = catchDatabaseErrors(*database, file, [&] {
    // Another program may have changed the journal mode.
    if (queryText(**database, "PRAGMA journal_mode") != "wal") (*database)->exec("PRAGMA journal_mode = WAL");
    checkpointWal(**database, WalCheckpoint::TruncateIfIdle);  // left by a killed process
  });
  if (!moved.ok() && moved.error().code != ErrorCode::DiskFull) return moved.error();
  return database;
}

Result<std::unique_ptr<SQLite::Database>> openForReading(const fs::path& file) {
  std::error_code ignored;
  const fs::path wal = walOf(file);
  const bool fixed = !isWritable(file.parent_path()) && !fs::exists(file.native() + "-shm", ignored);
  if (fixed && fs::exists(wal, ignored) && fs::file_size(wal, ignored) > 0)
    return Error{ErrorCode::Io,
                 formatText("'{}' is read-only and its newest rows are still in '{}'; copy the folder to a writable "
                            "place and open it there",
                            file.parent_path().native(), wal.filename().native()),
                 {}};
  auto database = openChecked(file, fixed ? DatabaseUse::ReadImmutable : DatabaseUse::Read);
  if (!database.ok()) return database;
  RETURN_IF_ERROR(catchDatabaseErrors(*database, file, [&]() -> Result<void> {
    const std::int64_t version = queryInteger(**database, "PRAGMA user_version").value_or(0);
    const std::int32_t newest = newestVersion(workspaceMigrations());
    if (version != newest)
      return Error::unsupported(formatText("'{}' has schema version {}, but {} is needed; open it once for writing",
                                           file.native(), version, newest));
    return {};
  }));
  return database;
}

/// Creates the folder and its subfolders.
Result<void> prepareFolder(const fs::path& folder) {
  RETURN_IF_ERROR(checkNotInFile(folder));
  RETURN_IF_ERROR(makeFolders(folder));
  if (!isWritable(folder)) return notWritable(folder);
  for (const char* inner : {"checkpoints", "runs", kCacheFolder}) RETURN_IF_ERROR(makeFolders(folder / inner));
  return {};
}

Result<void> prepareForWriting(const fs::path& folder, const fs::path& file, std::vector<std::string>& notices) {
  if (entryExists(file)) {
    RETURN_IF_ERROR(checkFile(file));
    if (!isWritable(file)) return notWritable(file);
  } else if (checkpointFilesWithoutJournal(folder) > 0 || !backupsOf(folder).empty()) {
    notices.push_back(
        formatText("There was no database in '{}', so a new one was created. `batchwise store restore` puts the newest "
                   "backup in its place and adds the checkpoints that are there.",
                   folder.native()));
  }
  RETURN_IF_ERROR(prepareFolder(folder));
  const auto network = networkFileSystemOf(folder);
  if (!network) return {};
  notices.push_back(
      formatText("The workspace lies on a network file system ({}): only this machine can open it.", *network));
  return claimForMachine(folder, *network, currentMachine());
}

/// Fails with Unsupported where another machine has the database, unless this one cannot write there: else a reader too
/// may rebuild the index of the WAL, which two machines do not see alike.
Result<void> checkMayRead(const fs::path& folder) {
  const auto network = isWritable(folder) ? networkFileSystemOf(folder) : std::nullopt;
  if (!network || !otherMachineOf(folder, currentMachine())) return {};
  return claimForMachine(folder, *network, currentMachine());
}

}  // namespace

Workspace::Workspace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workspace::~Workspace() = default;

const Clock& Workspace::systemClock() {
  static const SystemClock clock;
  return clock;
}

Result<std::shared_ptr<Workspace>> Workspace::open(const fs::path& folder, Mode mode, const Clock& clock) {
  if (folder.empty()) return Error::config(kWorkspaceFolderUnknown);
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  const fs::path file = absolute / kDatabaseName;
  RETURN_IF_ERROR(checkWorkspaceFolder(absolute));
  if (mode == Mode::ReadOnly) {
    RETURN_IF_ERROR(checkMayRead(absolute));
    RETURN_IF_ERROR(checkFile(file));
    return openReader(std::unique_ptr<State>(new State{absolute, file, clock, {}, {}, {}, {}}));
  }
  std::vector<std::string> notices;
  RETURN_IF_ERROR(finishRestore(absolute));
  RETURN_IF_ERROR(prepareForWriting(absolute, file, notices));
  ASSIGN_OR_RETURN(auto workspace, openFile(absolute, file, clock));
  workspace->state_->notices = std::move(notices);
  removeAbandonedCheckpointFiles(workspace->checkpointFolder());
  removeStagedCheckpoints(*workspace);
  RETURN_IF_ERROR(workspace->markDeadRuns());
  return workspace;
}

Result<std::shared_ptr<Workspace>> Workspace::openFile(const fs::path& folder, const fs::path& file,
                                                       const Clock& clock) {
  auto state = std::unique_ptr<State>(new State{folder, file, clock, {}, {}, {}, {}});
  ASSIGN_OR_RETURN(auto lock, FileLock::open(folder / kWorkspaceLock));
  ASSIGN_OR_RETURN(auto database, openForWriting(file, lock));
  state->writer =
      std::make_unique<WriterThread>(std::move(database), file, std::move(lock), WriterThread::LockTimeouts{});
  return openReader(std::move(state));
}

Result<std::shared_ptr<Workspace>> Workspace::openImmutable(const fs::path& file, std::string_view moreSql) {
  constexpr int kLongestValue = 16 << 20;
  std::unique_ptr<SQLite::Database> database;
  RETURN_IF_ERROR(catchDatabaseErrors(database, file, [&]() -> Result<void> {
    database = openDatabase(file, DatabaseUse::ReadImmutable);
    hardenForUntrustedFile(*database, kLongestValue);
    const WorkLimit limit(*database, vmStepLimit(file));
    return checkSchema(*database, file, newestVersion(workspaceMigrations()), moreSql);
  }));
  auto state = std::unique_ptr<State>(new State{file.parent_path(), file, systemClock(), {}, {}, {}, {}});
  {
    const MutexLock lock(state->readMutex);
    state->reader = std::move(database);
  }
  return std::shared_ptr<Workspace>(new Workspace(std::move(state)));
}

Result<std::shared_ptr<Workspace>> Workspace::openReader(std::unique_ptr<State> state) {
  ASSIGN_OR_RETURN(auto reader, openForReading(state->file));
  {
    const MutexLock lock(state->readMutex);
    state->reader = std::move(reader);
  }
  return std::shared_ptr<Workspace>(new Workspace(std::move(state)));
}

const fs::path& Workspace::folder() const {
  return state_->folder;
}
const std::vector<std::string>& Workspace::notices() const {
  return state_->notices;
}
fs::path Workspace::checkpointFolder() const {
  return state_->folder / "checkpoints";
}
fs::path Workspace::cacheFolder() const {
  return state_->folder / kCacheFolder;
}

Result<void> Workspace::saveSetting(const std::string& key, const std::string& value) {
  return state_->write([&](SQLite::Database& database) { putSetting(database, key, value); });
}

Result<std::optional<std::string>> Workspace::setting(const std::string& key) const {
  return state_->read(
      [&](SQLite::Database& database) { return queryText(database, "SELECT value FROM setting WHERE key=?", key); });
}

Result<std::int64_t> Workspace::dataVersion() const {
  return state_->read(
      [](SQLite::Database& database) { return queryInteger(database, "PRAGMA data_version").value_or(0); });
}

Result<void> Workspace::backup(const fs::path& target) const {
  if (entryExists(target))
    return Error::config(formatText("'{}' exists already; name a file that does not", target.native()));
  const MutexLock lock(state_->readMutex);
  return writeBackup(*state_->reader, fs::absolute(target), CopyCheck::Content);
}

}  // namespace batchwise
