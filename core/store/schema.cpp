// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/schema.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/store/integrity.h"
#include "core/store/messages.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE setting(
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE run(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL DEFAULT 0,
  planned_batches INTEGER NOT NULL,
  parent TEXT NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL,
  config_yaml TEXT NOT NULL,
  resolved_yaml TEXT NOT NULL,
  at TEXT NOT NULL DEFAULT '{}',
  loss ANY, eval_loss ANY, learning_rate ANY, samples_per_sec ANY, tokens_per_sec ANY
) STRICT;

CREATE TABLE run_value(
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_reference(
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT NOT NULL,
  value ANY NOT NULL,
  PRIMARY KEY(run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_tag(
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position INTEGER NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY(run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_writer(
  run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  host TEXT NOT NULL,
  system TEXT NOT NULL,
  process_id INTEGER NOT NULL,
  start_ticks INTEGER NOT NULL,
  heartbeat_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE segment(
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  number INTEGER NOT NULL,
  from_at TEXT NOT NULL,
  from_batch INTEGER NOT NULL,
  from_step INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  process_id INTEGER NOT NULL,
  environment TEXT NOT NULL,
  PRIMARY KEY(run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT NOT NULL,
  UNIQUE(run, name)
) STRICT;

CREATE TABLE metric_row(
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  position INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY(run, segment, kind, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_sealed(
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY(run, segment, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_block(
  id INTEGER PRIMARY KEY,
  series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE(series, segment, first)
) STRICT;

CREATE TABLE metric_level(
  id INTEGER PRIMARY KEY,
  series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  level INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE(series, segment, level, first)
) STRICT;

CREATE TABLE event(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,
  step INTEGER,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX event_of_run ON event(run, id);

CREATE TABLE checkpoint(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  segment INTEGER NOT NULL,
  at TEXT NOT NULL,
  file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  metric ANY,
  pinned INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  finite INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoint_of_run ON checkpoint(run, number);
)sql";

// Version 2 put a checksum into reserved bytes of each page; they are no longer read.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE setting ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_value ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_reference ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_tag ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_writer ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segment ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE series ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metric_row ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metric_sealed ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metric_block ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metric_level ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkpoint ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;

CREATE TABLE table_count(
  name TEXT NOT NULL,
  a INTEGER NOT NULL,
  b INTEGER NOT NULL,
  c INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  crc INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(name, a, b, c)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::array kMigrations{Migration{1, kVersion1}, Migration{2, ""},
                                 Migration{3, kVersion3, Migration::Rows::Checksummed}};

/// Runs one migration as one transaction, with foreign keys off so that it may rebuild a table.
void applyStep(SQLite::Database& database, const Migration& step) {
  database.exec("PRAGMA foreign_keys = OFF");
  {
    WriteTransaction transaction(database);
    database.exec(std::string{step.sql});
    if (step.rows == Migration::Rows::Checksummed) checksumAllRows(database);
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

struct VersionSchema {
  std::vector<std::string> texts;
  std::vector<ChecksummedTable> sealed;
};

VersionSchema schemaOfVersion(std::int32_t version) {
  SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const Migration& step : kMigrations)
    if (step.version <= version) fresh.exec(std::string{step.sql});
  return {schemaTexts(fresh, std::numeric_limits<std::int64_t>::max()), checksummedTables(fresh)};
}

const VersionSchema& newestSchema() {
  static const VersionSchema schema = schemaOfVersion(newestVersion(kMigrations));
  return schema;
}

Result<void> backUp(SQLite::Database& database, const fs::path& file, std::int32_t newest) {
  const fs::path target = file.native() + ".before-v" + std::to_string(newest);
  const fs::path beside = target.native() + ".partial";
  std::error_code ignored;
  fs::remove(beside, ignored);
  auto copy = openDatabase(beside, DatabaseUse::CreateFile);
  copyDatabase(database, *copy);
  copy.reset();
  return moveDurably(beside, target);
}

}  // namespace

Result<void> syncFile(const fs::path& file) {
  const FileDescriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!opened.valid() || ::fsync(opened.get()) != 0)
    return Error::fromErrno(errno, messages::cannotSync, file.native());
  return {};
}

Result<void> moveDurably(const fs::path& from, const fs::path& to) {
  RETURN_IF_ERROR(syncFile(from));
  if (::rename(from.c_str(), to.c_str()) != 0) return Error::fromErrno(errno, messages::cannotWrite, to.native());
  return syncFolder(to.has_parent_path() ? to.parent_path() : fs::path{"."});
}

const std::vector<ChecksummedTable>& newestChecksummedTables() {
  return newestSchema().sealed;
}

Result<void> checkSchema(SQLite::Database& database, const fs::path& file, std::int32_t version) {
  const bool isNewest = version == newestVersion(kMigrations);
  const auto wanted = isNewest ? newestSchema().texts : schemaOfVersion(version).texts;
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

Result<void> createDatabase(const fs::path& file, std::span<const Migration> steps) {
  const fs::path beside = file.native() + ".partial";
  std::error_code ignored;
  for (const char* side : {"", "-journal", "-wal", "-shm"})  // left by a dead process; the lock excludes others
    fs::remove(beside.native() + side, ignored);
  std::unique_ptr<SQLite::Database> database;
  auto made = catchDatabaseErrors(database, file, [&] {
    database = openDatabase(beside, DatabaseUse::CreateFile);
    database->exec("PRAGMA application_id = " + std::to_string(kWorkspaceApplicationId));
    for (const Migration& step : steps) applyStep(*database, step);
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
      return Error::corrupt("damaged: '" + file.native() + "': " + *answer +
                            "; it was not brought to the new version; " +
                            "`batchwise store salvage` copies what can be read into a new workspace");
    RETURN_IF_ERROR(backUp(*database, file, newest));
    for (const Migration& step : steps)
      if (step.version > version) applyStep(*database, step);
    checkpointWal(*database, WalCheckpoint::Truncate);
    return {};
  });
}

}  // namespace batchwise
