// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/store/database.h"

namespace batchwise {

/// A migration to schema version `version` (`user_version`). Existing migrations never change (SCHEMA.md describes the
/// tables).
struct Migration {
  std::int32_t version = 0;
  std::string_view sql;
};

/// Returns all migrations of this build, oldest first; the first creates version 1 in an empty file.
std::span<const Migration> workspaceMigrations();

std::int32_t newestVersion(std::span<const Migration> steps);

/// Fails with Unsupported unless the database has exactly the tables and indexes of `version` and those that `moreSql`
/// makes, by their SQL text: no views, no triggers, nothing else except statistics of ANALYZE. Throws what SQLite
/// throws.
Result<void> checkSchema(SQLite::Database& database, const std::filesystem::path& file, std::int32_t version,
                         std::string_view moreSql = {});

/// Calls fsync. Fails with Io or DiskFull.
Result<void> syncFile(const std::filesystem::path& file);

/// Syncs the complete file `from` and renames it to `to`, durably. Fails with Io or DiskFull.
Result<void> moveDurably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes the tables of the newest version in an empty database. Throws what SQLite throws.
void createTables(SQLite::Database& database, std::span<const Migration> steps);

/// Creates a complete, synced database under a temporary name and renames it to `file`. Fails with Io or DiskFull.
Result<void> createDatabase(const std::filesystem::path& file, std::span<const Migration> steps);

/// Migrates `database` to the newest version, one transaction per step, after addBackup().
/// Requires the workspace's lock. Does nothing if it is up to date. Fails with Unsupported if it is newer than `steps`,
/// or with DiskFull, Io or Corrupt; the database then has the version of the last successful step.
Result<void> migrateDatabase(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file,
                             std::span<const Migration> steps);

}  // namespace batchwise
