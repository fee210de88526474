// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr int kBusyTimeoutMs = 5000;
constexpr int kBriefTimeoutMs = 1000;

std::int32_t bigEndian32(const unsigned char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = (value << 8) | bytes[i];
  return static_cast<std::int32_t>(value);
}

void configure(SQLite::Database& database, int option, int value) {
  database.check(sqlite3_db_config(database.getHandle(), option, value, nullptr));
}

/// Returns the file name as an SQLite URI with `parameters`.
std::string fileUri(const fs::path& file, std::string_view parameters) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  const std::string path = fs::absolute(file).native();
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      uri.push_back(c);
    } else {
      uri.append({'%', kDigits[byte >> 4], kDigits[byte & 15U]});
    }
  }
  return uri.append("?").append(parameters);
}

std::unique_ptr<SQLite::Database> openFor(const fs::path& file, DatabaseUse use) {
  switch (use) {
    case DatabaseUse::Write:
      return std::make_unique<SQLite::Database>(file.native(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
    case DatabaseUse::Read:
      return std::make_unique<SQLite::Database>(file.native(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    case DatabaseUse::ReadImmutable:
      return std::make_unique<SQLite::Database>(fileUri(file, "mode=ro&immutable=1"),
                                                SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    case DatabaseUse::CreateFile:
      (void)createFile(file);  // SQLite would not apply the umask's group permissions
      return std::make_unique<SQLite::Database>(file.native(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  }
  throw std::logic_error("unknown use of a database");
}

constexpr int kStepsPerCall = 10'000;

/// Checks the last system errors of the database file and its journal: SQLite reports ENOSPC, but not EDQUOT.
bool ranOutOfSpace(SQLite::Database& database) {
  int ofFile = 0;
  sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_LAST_ERRNO, &ofFile);
  int ofJournal = 0;
  sqlite3_file* journal = nullptr;
  sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
  if (journal != nullptr && journal->pMethods != nullptr)
    journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &ofJournal);
  for (const int number : {ofFile, ofJournal, sqlite3_system_errno(database.getHandle())})
    if (number == ENOSPC || number == EDQUOT || number == EFBIG) return true;
  return false;
}

/// Begins a transaction, after rolling back one whose rollback had failed for lack of memory.
void begin(SQLite::Database& database, const char* how) {
  if (sqlite3_get_autocommit(database.getHandle()) == 0) database.exec("ROLLBACK");
  database.exec(how);
}

}  // namespace

Result<DatabaseHeader> readDatabaseHeader(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return Error::fromErrno(errno, "cannot open '{}'", file.native());
  if (!S_ISREG(info.st_mode)) return Error::corrupt(notPlainFileText(file.native()));
  DatabaseHeader header;
  header.isEmpty = info.st_size == 0;
  std::array<unsigned char, 100> bytes{};
  if (info.st_size < static_cast<off_t>(bytes.size())) return header;
  std::unique_ptr<SQLite::Database> database;
  RETURN_IF_ERROR(catchDatabaseErrors(database, file, [&] {
    database = openFor(file, DatabaseUse::ReadImmutable);  // SQLite reads nothing yet
    sqlite3_file* opened = nullptr;
    database->check(sqlite3_file_control(database->getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &opened));
    database->check(opened->pMethods->xRead(opened, bytes.data(), static_cast<int>(bytes.size()), 0));
  }));
  header.isDatabase = std::memcmp(bytes.data(), "SQLite format 3", 16) == 0;
  if (!header.isDatabase) return header;
  // Offsets: SQLite's file format, section 1.3. A page size of 1 means 65,536.
  header.pageBytes = bytes[16] * 256 + bytes[17] == 1 ? 65536 : bytes[16] * 256 + bytes[17];
  header.usesWal = bytes[18] != 1 || bytes[19] != 1;
  header.pages = static_cast<std::uint32_t>(bigEndian32(&bytes[28]));
  header.userVersion = bigEndian32(&bytes[60]);
  header.applicationId = bigEndian32(&bytes[68]);
  return header;
}

std::unique_ptr<SQLite::Database> openDatabase(const fs::path& file, DatabaseUse use) {
  auto database = openFor(file, use);
  const WorkLimit limit(*database, vmStepLimit(file));  // some settings read the schema
  configure(*database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
  // DEFENSIVE refuses journal_mode = OFF, which new files use.
  configure(*database, SQLITE_DBCONFIG_DEFENSIVE, use == DatabaseUse::CreateFile ? 0 : 1);
  configure(*database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
  for (const int dangerous : {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
                              SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW})
    configure(*database, dangerous, 0);
  configure(*database, SQLITE_DBCONFIG_DQS_DML, 0);
  database->exec("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY");
  if (use == DatabaseUse::Write)
    database->exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0");
  if (use == DatabaseUse::Read) database->exec("PRAGMA wal_autocheckpoint = 0");
  if (use == DatabaseUse::CreateFile) database->exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  return database;
}

void hardenForUntrustedFile(SQLite::Database& database, int valueBytes) {
  sqlite3* handle = database.getHandle();
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 10'000);
  sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 32);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 3);
  sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 25'000);
  sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, 8);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, valueBytes);
}

std::int64_t vmStepLimit(std::int64_t bytes) {
  constexpr std::int64_t kFree = 50'000'000;
  constexpr std::int64_t kPerByte = 64;
  return kFree + kPerByte * bytes;
}

std::int64_t bytesWithWal(const fs::path& database) {
  std::int64_t bytes = 0;
  for (const char* side : {"", "-wal"}) {
    std::error_code missing;
    const auto size = fs::file_size(database.native() + side, missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

std::int64_t vmStepLimit(const fs::path& database) {
  return vmStepLimit(bytesWithWal(database));
}

WorkLimit::WorkLimit(SQLite::Database& database, std::int64_t steps, std::stop_token stop)
    : database_(database), left_(steps / kStepsPerCall), stop_(std::move(stop)) {
  const auto handler = [](void* data) {
    auto* limit = static_cast<WorkLimit*>(data);
    return --limit->left_ < 0 || limit->stop_.stop_requested() ? 1 : 0;
  };
  sqlite3_progress_handler(database_.getHandle(), kStepsPerCall, handler, this);
}

WorkLimit::~WorkLimit() {
  sqlite3_progress_handler(database_.getHandle(), 0, nullptr, nullptr);
}

void checkpointWal(SQLite::Database& database, WalCheckpoint mode) {
  const int how = mode == WalCheckpoint::Passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  if (mode == WalCheckpoint::TruncateIfIdle) database.setBusyTimeout(0);
  if (mode == WalCheckpoint::TruncateBriefly) database.setBusyTimeout(kBriefTimeoutMs);
  const int code = sqlite3_wal_checkpoint_v2(database.getHandle(), nullptr, how, nullptr, nullptr);
  database.setBusyTimeout(kBusyTimeoutMs);
  if (code != SQLITE_BUSY) database.check(code);  // busy: a reader is active; a later checkpoint copies the rest
}

void watchWal(SQLite::Database& database, std::int64_t* pages) {
  const auto note = [](void* target, sqlite3*, const char*, int length) {
    *static_cast<std::int64_t*>(target) = length;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(database.getHandle(), note, pages);
}

void copyDatabase(SQLite::Database& from, SQLite::Database& into, const std::stop_token& stop) {
  constexpr int kPagesPerStep = 256;
  const ReadTransaction snapshot(from);
  (void)hasRow(from, "SELECT 1 FROM sqlite_schema");  // begins it
  SQLite::Backup backup(into, from);
  int code = SQLITE_OK;
  while (code == SQLITE_OK && !stop.stop_requested()) code = backup.executeStep(kPagesPerStep);
  if (code != SQLITE_DONE) throw SQLite::Exception("the copy did not end", code);
}

bool hasMoved(SQLite::Database& database) {
  int moved = 0;
  sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

Error databaseError(const SQLite::Exception& failure, SQLite::Database* database, const fs::path& file) {
  const std::string where = "'" + file.native() + "': " + failure.what();
  switch (failure.getErrorCode() & 0xFF) {
    case SQLITE_FULL: return {ErrorCode::DiskFull, formatText("no space left for {}; free some space", where), {}};
    case SQLITE_IOERR:
      if (database != nullptr && ranOutOfSpace(*database))
        return {ErrorCode::DiskFull, formatText("no space left for {}; free some space", where), {}};
      return {ErrorCode::Io, formatText("cannot read or write {}", where), {}};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      if (file.filename() != kDatabaseName) return Error::corrupt(formatText("damaged: {}", where));
      return Error::corrupt(
          formatText("damaged: {}; `batchwise store restore` puts the newest good backup in its place", where));
    case SQLITE_PROTOCOL:  // locks of the WAL were contended for too long
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {ErrorCode::Busy, formatText("in use by another program: {}", where), {}};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN: return {ErrorCode::Io, formatText("not accessible: {}", where), {}};
    case SQLITE_INTERRUPT:
      return Error::corrupt(
          formatText("'{}' asks for more work than a file of its size can need; it was canceled", file.native()));
    case SQLITE_NOMEM: return {ErrorCode::OutOfMemory, formatText("not enough memory for {}", where), {}};
    default: return {ErrorCode::Internal, where, {}};
  }
}

WriteTransaction::WriteTransaction(SQLite::Database& database) : database_(database) {
  begin(database_, "BEGIN IMMEDIATE");
}

WriteTransaction::~WriteTransaction() {
  // SQLite may have rolled back by itself, for example after an I/O error.
  if (open_ && sqlite3_get_autocommit(database_.getHandle()) == 0) database_.tryExec("ROLLBACK");
}

void WriteTransaction::commit() {
  database_.exec("COMMIT");
  open_ = false;
}

ReadTransaction::ReadTransaction(SQLite::Database& database) : database_(database) {
  begin(database_, "BEGIN");
}
ReadTransaction::~ReadTransaction() {
  database_.tryExec("COMMIT");
}

void throwDamaged(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CORRUPT);
}

void bindDouble(SQLite::Statement& statement, int index, double value) {
  if (!std::isnan(value)) return statement.bind(index, value);
  const auto bits = std::bit_cast<std::array<std::byte, sizeof value>>(value);
  statement.bind(index, bits.data(), static_cast<int>(bits.size()));
}

std::optional<double> readDouble(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  if (!column.isBlob()) return column.getDouble();
  const auto bytes = blobOf(column);
  double value = std::nan("");
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::span<const std::byte> blobOf(const SQLite::Column& column) {
  const auto* data = static_cast<const std::byte*>(column.getBlob());
  return {data, static_cast<std::size_t>(column.getBytes())};
}

void bindBlob(SQLite::Statement& statement, int index, std::span<const std::byte> bytes) {
  statement.bindNoCopy(index, bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace batchwise
