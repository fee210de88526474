// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/workspace.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/count_text.h"
#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/file_system.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/output_file.h"
#include "core/store/process_identity.h"
#include "core/store/row_seal.h"
#include "core/store/run_claim.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// Also true for a link that leads nowhere: its disk may only be missing now, so nothing new must take its place.
bool isThere(const fs::path& file) {
  std::error_code ignored;
  return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

bool isWritable(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Error notWritable(const fs::path& path) {
  return {ErrorCode::Io,
          "'" + path.native() + "' is not writable for you; choose another workspace folder, or change its permissions",
          {}};
}

std::string remedyWithoutDatabase(const fs::path& file) {
  if (!tellsOfRuns(file.parent_path())) return "or delete it to start a new one";
  return "or let `batchwise store salvage NEW --from '" + file.parent_path().native() +
         "'` make a new workspace of the checkpoints and journals that lie beside it";
}

/// Is the file one that this program may open? Looks at its first bytes only and touches nothing.
Result<void> checkFile(const fs::path& file) {
  const auto header = readDatabaseHeader(file);
  if (!header.ok()) return header.error();
  if (header->isEmpty)
    return Error::corrupt("'" + file.native() +
                          "' is empty (0 bytes): it is not a workspace; restore it from a backup, " +
                          remedyWithoutDatabase(file));
  if (!header->isDatabase)
    return Error::corrupt("'" + file.native() + "' is not an SQLite database; restore it from a backup, " +
                          remedyWithoutDatabase(file));
  if (header->applicationId != kWorkspaceApplicationId)
    return Error::unsupported("'" + file.native() + "' is a database of another program (application id " +
                              std::to_string(header->applicationId) + "); it was not touched; choose another folder");
  const std::int32_t newest = newestVersion(workspaceMigrations());
  if (header->userVersion > newest)
    return Error::unsupported("'" + file.native() + "' has schema version " + std::to_string(header->userVersion) +
                              ", this program knows up to " + std::to_string(newest) + "; use a newer Batchwise");
  return {};
}

/// A WAL without its database would be replayed into the new one.
Result<void> checkNoOrphanedWal(const fs::path& file) {
  const fs::path wal = walOf(file);
  std::error_code ignored;
  if (!fs::exists(wal, ignored)) return {};
  return Error::corrupt("'" + file.native() + "' is missing, but its '" + wal.filename().native() +
                        "' is there; restore the file from a backup, or move the other away to start a new workspace");
}

/// A connection to a file that shows no damage at a first look.
Result<std::unique_ptr<SQLite::Database>> openChecked(const fs::path& file, DatabaseUse use) {
  std::unique_ptr<SQLite::Database> database;
  auto opened = guarded(database, file, [&]() -> Result<void> {
    database = openDatabase(file, use);
    const WorkLimit limit(*database, stepsForFile(file));
    const auto version = queryInteger(*database, "PRAGMA user_version").value_or(0);
    if (version > newestVersion(workspaceMigrations())) return {};  // refused by its number, with a better word
    return checkSchema(*database, file, static_cast<std::int32_t>(version));
  });
  if (opened.ok()) {
    const WorkLimit limit(*database, stepsForFile(file));
    opened = checkQuickly(database, file);
  }
  if (!opened.ok()) return opened.error();
  return database;
}

/// A program of an earlier version that writes a run would go on without checksums.
Result<void> checkNoOlderWriter(const std::unique_ptr<SQLite::Database>& database, const fs::path& file) {
  return guarded(database, file, [&]() -> Result<void> {
    const auto version = queryInteger(*database, "PRAGMA user_version").value_or(0);
    if (version == 0 || version >= newestVersion(workspaceMigrations())) return {};
    for (const RunClaim& claim : uncheckedClaims(*database)) {
      if (claim.isDeadAt(SystemClock().wallMs(), file.parent_path())) continue;
      return Error{ErrorCode::Busy,
                   "process " + std::to_string(claim.process.processId) + " on '" + claim.process.host +
                       "' writes a run in '" + file.parent_path().native() +
                       "' with an earlier version of Batchwise; stop that run, then open the workspace again",
                   {}};
    }
    return {};
  });
}

/// Creates or migrates, under the lock; gives back the writing connection.
Result<std::unique_ptr<SQLite::Database>> openForWriting(const fs::path& file, const FileLock& lock) {
  const auto held = lock.take();
  if (!held.ok()) return held.error();
  if (!isThere(file)) {
    if (auto alone = checkNoOrphanedWal(file); !alone.ok()) return alone.error();
    if (auto made = createDatabase(file, workspaceMigrations()); !made.ok()) return made.error();
  }
  if (auto fine = checkFile(file); !fine.ok()) return fine.error();
  auto database = openChecked(file, DatabaseUse::Write);
  if (!database.ok()) return database;
  if (auto alone = checkNoOlderWriter(*database, file); !alone.ok()) return alone.error();
  if (auto migrated = migrateDatabase(*database, file, workspaceMigrations()); !migrated.ok()) return migrated.error();
  auto moved = guarded(*database, file, [&]() -> Result<void> {
    // Another program may have left it in another mode.
    if (queryText(**database, "PRAGMA journal_mode") != "wal") (*database)->exec("PRAGMA journal_mode = WAL");
    checkpointWal(**database, WalCheckpoint::TruncateIfIdle);  // what a killed process left
    return {};
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
                 "'" + file.parent_path().native() + "' is read-only and its newest rows are still in '" +
                     wal.filename().native() + "'; copy the folder to a writable place and open it there",
                 {}};
  auto database = openChecked(file, fixed ? DatabaseUse::ReadFixed : DatabaseUse::Read);
  if (!database.ok()) return database;
  const auto version = guarded(*database, file, [&]() -> Result<std::int64_t> {
    return queryInteger(**database, "PRAGMA user_version").value_or(0);
  });
  if (!version.ok()) return version.error();
  if (*version != newestVersion(workspaceMigrations()))
    return Error::unsupported("'" + file.native() + "' has schema version " + std::to_string(*version) +
                              ", needed is " + std::to_string(newestVersion(workspaceMigrations())) +
                              "; open it once for writing");
  auto checked = guarded(*database, file, [&]() -> Result<void> {
    const ReadTransaction together(**database);
    checkRowsOnRead(**database);
    return {};
  });
  if (!checked.ok()) return checked.error();
  return database;
}

/// Makes the folder and its subfolders.
Result<void> prepareFolder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
    return Error::config("the workspace '" + folder.native() + "' is a file, a folder is needed");
  if (auto made = makeFolders(folder); !made.ok()) return made;
  if (!isWritable(folder)) return notWritable(folder);
  for (const char* inner : {"checkpoints", "runs", kCacheFolder})
    if (auto made = makeFolders(folder / inner); !made.ok()) return made;
  return {};
}

Result<void> prepareForWriting(const fs::path& folder, const fs::path& file, std::vector<std::string>& notices) {
  if (isThere(file)) {
    if (auto fine = checkFile(file); !fine.ok()) return fine;
    if (!isWritable(file)) return notWritable(file);
  } else if (const std::int64_t strays = checkpointFilesWithoutJournal(folder); strays > 0) {
    notices.push_back("There was no database in '" + folder.native() + "', a new one was made. It does not know the " +
                      countText(strays, "checkpoint file") + " in it: `batchwise store salvage NEW --from '" +
                      folder.native() + "'` makes a workspace that does.");
  }
  if (auto prepared = prepareFolder(folder); !prepared.ok()) return prepared;
  const auto network = networkFileSystemOf(folder);
  if (!network) return {};
  notices.push_back("The workspace lies on a network file system (" + *network + "): only this machine can open it.");
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
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  auto state = std::unique_ptr<State>(new State{absolute, absolute / kDatabaseName, clock, {}, {}, {}, {}});
  if (auto fine = checkWorkspaceFolder(absolute); !fine.ok()) return fine.error();
  if (mode == Mode::ReadWrite) {
    if (auto ready = prepareForWriting(absolute, state->file, state->notices); !ready.ok()) return ready.error();
    auto lock = FileLock::open(absolute / "workspace.lock");
    if (!lock.ok()) return lock.error();
    auto database = openForWriting(state->file, *lock);
    if (!database.ok()) return database.error();
    state->writer =
        std::make_unique<WriterThread>(std::move(*database), state->file, std::move(*lock), WriterThread::Patience{});
  } else if (auto fine = checkFile(state->file); !fine.ok()) {
    return fine.error();
  }
  auto reader = openForReading(state->file);
  if (!reader.ok()) return reader.error();
  {
    const MutexLock lock(state->readMutex);
    state->reader = std::move(*reader);
  }
  auto workspace = std::shared_ptr<Workspace>(new Workspace(std::move(state)));
  if (mode == Mode::ReadWrite) {
    removeAbandonedCheckpointFiles(workspace->checkpointFolder(), clock.wallMs());
    if (auto marked = workspace->markDeadRuns(); !marked.ok()) return marked.error();
  }
  return workspace;
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

Result<void> Workspace::State::write(const WriterThread::Work& work) {
  if (!writer) return Error{ErrorCode::Io, "the workspace '" + folder.native() + "' was opened for reading only", {}};
  return writer->execute(work);
}

Result<void> Workspace::saveSetting(const std::string& key, const std::string& value) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement insert(
        database, "INSERT INTO setting(key, value) VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value");
    insert.bind(1, key);
    insert.bind(2, value);
    insert.exec();
    return {};
  });
}

Result<std::optional<std::string>> Workspace::setting(const std::string& key) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::optional<std::string>> {
    SQLite::Statement query(database, "SELECT value FROM setting_checked WHERE key=?");
    query.bind(1, key);
    if (!query.executeStep()) {
      requireAllRows(database, {"setting"});
      return std::optional<std::string>{};
    }
    return std::optional{query.getColumn(0).getString()};
  });
}

Result<void> Workspace::backup(const fs::path& target) const {
  if (isThere(target)) return Error::config("'" + target.native() + "' exists already; name a file that does not");
  const fs::path folder = fs::absolute(target).parent_path();
  const auto staging = StagingFolder::make(folder, ".batchwise-backup-");
  if (!staging.ok()) return staging.error();
  const fs::path beside = staging->path() / kDatabaseName;
  const MutexLock lock(state_->readMutex);
  SQLite::Database& source = *state_->reader;
  std::unique_ptr<SQLite::Database> copy;
  auto copied = guarded(copy, beside, [&]() -> Result<void> {
    copy = openDatabase(beside, DatabaseUse::CreateFile);
    copyDatabase(source, *copy);
    copy.reset();
    return {};
  });
  if (copied.ok()) copied = syncFile(beside);
  if (copied.ok() && ::rename(beside.c_str(), target.c_str()) != 0)
    copied = Error::fromErrno(errno, "cannot write", target.native());
  return copied.ok() ? syncFolder(folder) : copied;
}

}  // namespace batchwise
