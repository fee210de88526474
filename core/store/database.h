// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/result.h"

namespace batchwise {

// What SQLiteCpp does not offer, so that sqlite3.h stays in database.cpp. Only core/store includes this file; functions
// here throw SQLite::Exception, which guarded() turns into an Error at the boundary of the store.

/// `application_id` of a workspace ("BtWs") and of a checkpoint file ("BtCk").
constexpr std::int32_t kWorkspaceApplicationId = 0x42745773;
constexpr std::int32_t kCheckpointApplicationId = 0x4274436B;

/// The write-ahead log beside a database.
inline std::filesystem::path walOf(const std::filesystem::path& database) {
  return database.native() + "-wal";
}

/// The first 100 bytes of a database file, read without a lock and without looking at its journals. They are read
/// through SQLite: a descriptor of our own would, when it is closed, drop the locks that this process has on the file.
struct DatabaseHeader {
  bool isDatabase = false;  ///< it begins with SQLite's magic
  bool isEmpty = false;     ///< 0 bytes
  bool usesWal = false;     ///< and so has no rollback journal
  std::int32_t applicationId = 0;
  std::int32_t userVersion = 0;
  std::int64_t pages = 0;  ///< what it says it holds
  std::int64_t pageBytes = 0;
};
/// Fails with NotFound, Io, or Corrupt if it is no plain file; one that is no database is no failure.
Result<DatabaseHeader> readDatabaseHeader(const std::filesystem::path& file);

enum class DatabaseUse {
  Write,       ///< of a workspace: FULL sync, foreign keys, automatic WAL checkpoints off
  Read,        ///< of a workspace that others may write
  ReadFixed,   ///< of a file that nobody writes: immutable, no lock, no side files
  CreateFile,  ///< a fresh file that is renamed when complete: no journal, no sync on the way
};

/// Opens a connection with the settings for `use` and those that hold for all: no checkpoint on close, DEFENSIVE,
/// schema not trusted, no triggers, views and extensions, 5 s of patience with other connections.
std::unique_ptr<SQLite::Database> openDatabase(const std::filesystem::path& file, DatabaseUse use);

/// No text or blob beyond `valueBytes` is read.
void limitValues(SQLite::Database& database, int valueBytes);

/// Lowers the limits of a connection for a file that somebody may have made to do harm; no text or blob beyond
/// `valueBytes` is read. The caller compares the schema with the one it expects before it reads any table.
void hardenAgainstContent(SQLite::Database& database, int valueBytes);

/// The steps of SQLite's machine that reading a file of this size may take: about a second, and more than any of our
/// statements needs per byte of a sound file.
std::int64_t stepsForFile(std::int64_t bytes);
/// The same for a database with its WAL, as they are now; only names are looked at.
std::int64_t stepsForFile(const std::filesystem::path& database);

/// While it lives, the connection is ended with SQLITE_INTERRUPT after about `steps` steps of SQLite's machine in all,
/// or when a stop is requested. Pages of a damaged or hostile file may lead in circles.
class WorkLimit {
 public:
  WorkLimit(SQLite::Database& database, std::int64_t steps, std::stop_token stop = {});
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

 private:
  SQLite::Database& database_;
  std::int64_t left_;  // in calls of the handler
  std::stop_token stop_;
};

/// While it lives, SQLite as a whole (all connections of the process) gets at most `bytes` more memory than it has now:
/// SQLite has no limit per connection. So it is for a process that only reads files from elsewhere, as the command
/// `store salvage`, and never for one that records a run: a write of another connection could fail for want of memory.
/// At most one at a time: each restores the limit that it found.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::int64_t before_;
};

/// Copies committed pages from the WAL into the database. The caller holds the workspace's lock.
enum class WalCheckpoint {
  Passive,        ///< as far as readers allow
  Truncate,       ///< waits for readers (5 s), then shortens the WAL to nothing
  TruncateIfIdle  ///< shortens it if no reader is inside right now
};
void checkpointWal(SQLite::Database& database, WalCheckpoint mode);

/// Keeps `*pages` at the length of the WAL in pages, as of the last commit of this connection.
void watchWal(SQLite::Database& database, std::int64_t* pages);

/// Copies the whole database as one snapshot.
void copyDatabase(SQLite::Database& from, SQLite::Database& into);

/// The kind of error, with the message that a person gets. `database` may be null.
Error databaseError(const SQLite::Exception& failure, SQLite::Database* database, const std::filesystem::path& file);

/// Calls `work` and turns what SQLite or the standard library throws into an Error about `file`. The connection may be
/// one that `work` opens.
template <typename Work>
std::invoke_result_t<Work> guarded(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file,
                                   Work&& work) try {
  return work();
} catch (const SQLite::Exception& failure) {
  return databaseError(failure, database.get(), file);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::OutOfMemory, "not enough memory to work with '" + file.native() + "'", {}};
} catch (const std::exception& failure) {
  return Error::internal("'" + file.native() + "': " + failure.what());
}

/// A write transaction (BEGIN IMMEDIATE); rolled back unless committed.
class WriteTransaction {
 public:
  explicit WriteTransaction(SQLite::Database& database);
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;
  ~WriteTransaction();
  void commit();

 private:
  SQLite::Database& database_;
  bool open_ = true;
};

/// A snapshot for several reads.
class ReadTransaction {
 public:
  explicit ReadTransaction(SQLite::Database& database);
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;
  ~ReadTransaction();

 private:
  SQLite::Database& database_;
};

/// SQLite stores a NaN as NULL, so a NaN is stored as its 8 bytes (little endian) and everything else as a REAL.
void bindDouble(SQLite::Statement& statement, int index, double value);
void bindDouble(SQLite::Statement& statement, int index, const std::optional<double>& value);
std::optional<double> readDouble(const SQLite::Column& column);

/// The bytes of a BLOB, valid until the statement moves on.
std::span<const std::byte> blobOf(const SQLite::Column& column);
void bindBlob(SQLite::Statement& statement, int index, std::span<const std::byte> bytes);

/// The first column of the first row of `sql`, or nothing.
std::optional<std::int64_t> queryInteger(SQLite::Database& database, const char* sql);
std::optional<std::string> queryText(SQLite::Database& database, const char* sql);

}  // namespace batchwise
