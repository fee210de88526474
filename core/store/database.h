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
#include <vector>

#include "core/base/choice.h"
#include "core/base/format.h"
#include "core/base/result.h"

namespace batchwise {

// Additions to SQLiteCpp, so that sqlite3.h is included only in database.cpp. Only core/store includes this file, and
// core/trackers/mlflow_trackio.cpp.
// Functions here throw SQLite::Exception, which catchDatabaseErrors() turns into an Error at the boundary of the store.

/// `application_id` of a workspace ("BtWs") and of a checkpoint file ("BtCk").
constexpr std::int32_t kWorkspaceApplicationId = 0x42745773;
constexpr std::int32_t kCheckpointApplicationId = 0x4274436B;

inline std::filesystem::path walOf(const std::filesystem::path& database) {
  return database.native() + "-wal";
}

/// Fields of the first 100 bytes of a database file, read without a lock and without its journals. The read goes
/// through SQLite: closing a descriptor of our own would drop the POSIX locks that this process holds on the file.
struct DatabaseHeader {
  bool isDatabase = false;  ///< starts with SQLite's magic bytes
  bool isEmpty = false;     ///< 0 bytes
  bool usesWal = false;     ///< so it has no rollback journal
  std::int32_t applicationId = 0;
  std::int32_t userVersion = 0;
  std::int64_t pages = 0;  ///< according to the header
  std::int64_t pageBytes = 0;
};
/// Fails with NotFound, Io, or Corrupt if `file` is not a regular file. A file that is not a database is no failure.
Result<DatabaseHeader> readDatabaseHeader(const std::filesystem::path& file);

enum class DatabaseUse {
  Write,          ///< a workspace: FULL sync, foreign keys, automatic WAL checkpoints off
  Read,           ///< a workspace that others may write
  ReadImmutable,  ///< a file that nobody writes: immutable, no lock, no side files
  CreateFile,     ///< a new file that is renamed when complete: no journal, no sync
};

/// Opens a connection with the settings for `use` and the common ones: no checkpoint on close, DEFENSIVE, untrusted
/// schema, no triggers, views or extensions, a busy timeout of 5 s.
std::unique_ptr<SQLite::Database> openDatabase(const std::filesystem::path& file, DatabaseUse use);

/// Lowers the limits of a connection to an untrusted file; reads of text or blobs longer than `valueBytes` fail. The
/// caller compares the schema with the expected one before it reads any table.
void hardenForUntrustedFile(SQLite::Database& database, int valueBytes);

/// Returns the number of SQLite virtual machine steps that reading a file of `bytes` may take: about one second's
/// worth, and more per byte than any of our statements needs for an intact file.
std::int64_t vmStepLimit(std::int64_t bytes);
/// Returns the bytes of a database and its WAL, as far as they are there.
std::int64_t bytesWithWal(const std::filesystem::path& database);
/// The same for bytesWithWal(); does not open them.
std::int64_t vmStepLimit(const std::filesystem::path& database);

/// Interrupts the connection with SQLITE_INTERRUPT after about `steps` virtual machine steps in total, or when a stop
/// is requested, for as long as this object lives. Pages of a damaged or hostile file may form cycles.
class WorkLimit {
 public:
  WorkLimit(SQLite::Database& database, std::int64_t steps, std::stop_token stop = {});
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

 private:
  SQLite::Database& database_;
  std::int64_t left_;  // in calls of the progress handler
  std::stop_token stop_;
};

/// Copies committed pages from the WAL into the database. Requires the workspace's lock.
enum class WalCheckpoint {
  Passive,          ///< as far as readers allow
  Truncate,         ///< waits for readers (5 s), then truncates the WAL to 0 bytes
  TruncateBriefly,  ///< waits 1 s at most, as in front of a run that trains
  TruncateIfIdle    ///< truncates it if no reader is active right now
};
void checkpointWal(SQLite::Database& database, WalCheckpoint mode);

/// Keeps `*pages` at the length of the WAL in pages, as of this connection's last commit.
void watchWal(SQLite::Database& database, std::int64_t* pages);

/// Copies the whole database as one snapshot. Requires that `from` has no transaction. Throws also when a stop is
/// requested.
void copyDatabase(SQLite::Database& from, SQLite::Database& into, const std::stop_token& stop = {});

/// Returns whether the database file (or its folder) was moved, replaced or deleted since it was opened.
bool hasMoved(SQLite::Database& database);

/// Returns an Error whose code follows the SQLite error code. `database` may be null.
Error databaseError(const SQLite::Exception& failure, SQLite::Database* database, const std::filesystem::path& file);

/// The Result in which a function of the database returns: itself, or one with its value.
template <typename Value>
struct ResultOf {
  using Type = Result<Value>;
};
template <typename Value>
struct ResultOf<Result<Value>> {
  using Type = Result<Value>;
};
template <typename Work, typename... Arguments>
using ResultOfCall = typename ResultOf<std::invoke_result_t<Work, Arguments...>>::Type;

/// Calls `work`, which returns a Result, a value or nothing, and turns exceptions of SQLite and the standard library
/// into an Error about `file`. `work` may open `database` itself.
template <typename Work>
ResultOfCall<Work> catchDatabaseErrors(const std::unique_ptr<SQLite::Database>& database,
                                       const std::filesystem::path& file, Work&& work) try {
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    work();
    return {};
  } else {
    return work();
  }
} catch (const SQLite::Exception& failure) {
  return databaseError(failure, database.get(), file);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::OutOfMemory, formatText("not enough memory to work with '{}'", file.native()), {}};
} catch (const std::exception& failure) {
  return Error::internal("'" + file.native() + "': " + failure.what());
}

/// A write transaction (BEGIN IMMEDIATE). The destructor rolls back unless commit() was called.
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

/// A read transaction: several reads see one snapshot.
class ReadTransaction {
 public:
  explicit ReadTransaction(SQLite::Database& database);
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;
  ~ReadTransaction();

 private:
  SQLite::Database& database_;
};

/// Stores a NaN as a BLOB of its 8 bytes (little endian), because SQLite would store it as NULL; other values as REAL.
void bindDouble(SQLite::Statement& statement, int index, double value);
std::optional<double> readDouble(const SQLite::Column& column);

/// Returns the bytes of a BLOB, valid until the statement's next step.
std::span<const std::byte> blobOf(const SQLite::Column& column);
void bindBlob(SQLite::Statement& statement, int index, std::span<const std::byte> bytes);

/// Throws SQLITE_CORRUPT with `what`.
[[noreturn]] void throwDamaged(const std::string& what);

/// Binds an integer, the name of a Choice, another enumerator as its number, a double (as bindDouble() does), a text,
/// bytes, or nothing (NULL).
template <typename Value>
void bindValue(SQLite::Statement& statement, int index, const Value& value) {
  if constexpr (Choice<Value>) {
    statement.bind(index, std::string{choiceName(value)});
  } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    statement.bind(index, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<Value, double>) {
    bindDouble(statement, index, value);
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    statement.bind(index, std::string{std::string_view{value}});
  } else {
    bindBlob(statement, index, value);
  }
}
template <typename Value>
void bindValue(SQLite::Statement& statement, int index, const std::optional<Value>& value) {
  if (value) return bindValue(statement, index, *value);
  statement.bind(index);
}

/// Reads an integer (0 for NULL), a bool, a Choice by its name (throws SQLITE_CORRUPT for an unknown one), a text (""
/// for NULL) or a double as readDouble() does.
template <typename Value>
void readValue(const SQLite::Column& column, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = column.getInt64() != 0;
  } else if constexpr (Choice<Value>) {
    const auto known = choiceFromName<Value>(column.getString());
    if (!known) throwDamaged(formatText("the unknown name '{}' in column {}", column.getString(), column.getName()));
    value = *known;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = column.getString();
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    value = readDouble(column);
  } else {
    value = column.getInt64();
  }
}
/// Reads the columns of the present row, from the first one.
template <typename... Values>
void readRow(const SQLite::Statement& row, Values&... values) {
  int column = 0;
  (readValue(row.getColumn(column++), values), ...);
}

// Run a statement with `values` for its parameters ?1, ?2, …; bytes are not copied, so they must outlive it.

/// Returns the prepared statement, before its first row.
template <typename... Values>
SQLite::Statement prepare(SQLite::Database& database, const std::string& sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  int index = 0;
  (bindValue(statement, ++index, values), ...);
  return statement;
}
/// Runs a statement that returns no rows. Returns the number of changed rows.
template <typename... Values>
int execute(SQLite::Database& database, const std::string& sql, const Values&... values) {
  return prepare(database, sql, values...).exec();
}
/// The same for a prepared statement that runs several times.
template <typename... Values>
int execute(SQLite::Statement& statement, const Values&... values) {
  statement.tryReset();  // reset() would report the error of a failed run again
  int index = 0;
  (bindValue(statement, ++index, values), ...);
  return statement.exec();
}
template <typename... Values>
bool hasRow(SQLite::Database& database, const std::string& sql, const Values&... values) {
  return prepare(database, sql, values...).executeStep();
}
/// Return the first column of the first row; nullopt if there is no row or it is NULL.
template <typename... Values>
std::optional<std::int64_t> queryInteger(SQLite::Database& database, const std::string& sql, const Values&... values) {
  SQLite::Statement query = prepare(database, sql, values...);
  if (!query.executeStep() || query.getColumn(0).isNull()) return std::nullopt;
  return query.getColumn(0).getInt64();
}
template <typename... Values>
std::optional<std::string> queryText(SQLite::Database& database, const std::string& sql, const Values&... values) {
  SQLite::Statement query = prepare(database, sql, values...);
  if (!query.executeStep() || query.getColumn(0).isNull()) return std::nullopt;
  return query.getColumn(0).getString();
}
/// Returns the first column of all rows.
template <typename... Values>
std::vector<std::string> queryTexts(SQLite::Database& database, const std::string& sql, const Values&... values) {
  SQLite::Statement query = prepare(database, sql, values...);
  std::vector<std::string> texts;
  while (query.executeStep()) texts.push_back(query.getColumn(0).getString());
  return texts;
}

}  // namespace batchwise
