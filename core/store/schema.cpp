// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/schema.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/store/backups.h"
#include "core/store/migration_sql.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::array kMigrations{Migration{1, kMigrationSql1}};

/// Runs one migration as one transaction, with foreign keys off so that it may rebuild a table.
void applyStep(SQLite::Database& database, const Migration& step) {
  database.exec("PRAGMA foreign_keys = OFF");
  {
    WriteTransaction transaction(database);
    database.exec(std::string{step.sql});
    database.exec("PRAGMA user_version = " + std::to_string(step.version));
    SQLite::Statement violations(database, "PRAGMA foreign_key_check");
    if (violations.executeStep())
      throw SQLite::Exception("the step to schema version " + std::to_string(step.version) +
                              " leaves dangling rows in " + violations.getColumn(0).getString());
    violations.reset();
    transaction.commit();
  }
  database.exec("PRAGMA foreign_keys = ON");
}

/// Returns one text per table and index, sorted, at most `limit`.
std::vector<std::string> schemaTexts(SQLite::Database& database, std::int64_t limit) {
  SQLite::Statement query = prepare(database,
                                    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema "
                                    "WHERE tbl_name NOT IN ('sqlite_stat1', 'sqlite_stat4') LIMIT ?",
                                    limit);
  std::vector<std::string> texts;
  while (query.executeStep()) {
    std::string text;
    for (int column = 0; column < 4; ++column) text += query.getColumn(column).getString() + "\n";
    texts.push_back(std::move(text));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::vector<std::string> schemaOfVersion(std::int32_t version, std::string_view moreSql = {}) {
  SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const Migration& step : kMigrations)
    if (step.version <= version) fresh.exec(std::string{step.sql});
  if (!moreSql.empty()) fresh.exec(std::string{moreSql});
  return schemaTexts(fresh, std::numeric_limits<std::int64_t>::max());
}

}  // namespace

Result<void> syncFile(const fs::path& file) {
  const FileDescriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!opened.valid() || ::fsync(opened.get()) != 0) return Error::fromErrno(errno, "cannot sync '{}'", file.native());
  return {};
}

Result<void> moveDurably(const fs::path& from, const fs::path& to) {
  RETURN_IF_ERROR(syncFile(from));
  if (::rename(from.c_str(), to.c_str()) != 0) return Error::fromErrno(errno, "cannot write '{}'", to.native());
  return syncFolder(to.has_parent_path() ? to.parent_path() : fs::path{"."});
}

Result<void> checkSchema(SQLite::Database& database, const fs::path& file, std::int32_t version,
                         std::string_view moreSql) {
  static const auto newest = schemaOfVersion(newestVersion(kMigrations));
  const bool isNewest = version == newestVersion(kMigrations) && moreSql.empty();
  const auto wanted = isNewest ? newest : schemaOfVersion(version, moreSql);
  const auto found = schemaTexts(database, static_cast<std::int64_t>(wanted.size()) + 1);
  if (found == wanted) return {};
  return Error::unsupported("'" + file.native() + "' does not have the tables of a workspace of version " +
                            std::to_string(version) + ": something was added, left out or replaced");
}

std::span<const Migration> workspaceMigrations() {
  return kMigrations;
}

std::int32_t newestVersion(std::span<const Migration> steps) {
  return steps.empty() ? 0 : steps.back().version;
}

void createTables(SQLite::Database& database, std::span<const Migration> steps) {
  for (const Migration& step : steps) applyStep(database, step);
}

Result<void> createDatabase(const fs::path& file, std::span<const Migration> steps) {
  const fs::path beside = file.native() + ".partial";
  std::error_code ignored;
  for (const char* side : {"", "-journal", "-wal", "-shm"})  // left by a dead process; the lock excludes others
    fs::remove(beside.native() + side, ignored);
  std::unique_ptr<SQLite::Database> database;
  auto made = catchDatabaseErrors(database, file, [&] {
    database = openDatabase(beside, DatabaseUse::CreateFile);
    database->exec("PRAGMA application_id = " + std::to_string(kWorkspaceApplicationId));
    createTables(*database, steps);
    database->exec("PRAGMA journal_mode = WAL");
    checkpointWal(*database, WalCheckpoint::Truncate);
  });
  database.reset();
  for (const char* side : {"-wal", "-shm"}) fs::remove(beside.native() + side, ignored);
  if (made.ok()) made = moveDurably(beside, file);
  if (!made.ok()) fs::remove(beside, ignored);
  return made;
}

Result<void> migrateDatabase(const std::unique_ptr<SQLite::Database>& database, const fs::path& file,
                             std::span<const Migration> steps) {
  return catchDatabaseErrors(database, file, [&]() -> Result<void> {
    const std::int64_t version = queryInteger(*database, "PRAGMA user_version").value_or(0);
    const std::int32_t newest = newestVersion(steps);
    if (version > newest)
      return Error::unsupported("'" + file.native() + "' has schema version " + std::to_string(version) +
                                ", this program knows up to " + std::to_string(newest) + "; use a newer Batchwise");
    if (version == newest) return {};
    if (const auto answer = queryText(*database, "PRAGMA integrity_check(1)"); answer && *answer != "ok")
      return Error::corrupt(
          "damaged: '" + file.native() + "': " + *answer +
          "; it was not brought to the new version; `batchwise store restore` puts a backup in its place");
    RETURN_IF_ERROR(addBackup(*database, file, SystemClock().wallMs(), CopyCheck::Pages));
    for (const Migration& step : steps)
      if (step.version > version) applyStep(*database, step);
    checkpointWal(*database, WalCheckpoint::Truncate);
    return {};
  });
}

}  // namespace batchwise
