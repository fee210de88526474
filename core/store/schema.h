// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/database.h"
#include "core/store/row_seal.h"

namespace batchwise {

/// One step from a schema version to the next; `version` is what `user_version` says afterwards. Steps are only ever
/// added (SCHEMA.md describes the tables).
struct Migration {
  enum class Rows {
    AsTheyAre,
    Sealed,  ///< after `sql` each row gets its checksum, and the rows are counted (row_seal.h)
  };
  std::int32_t version = 0;
  std::string_view sql;
  Rows rows = Rows::AsTheyAre;
};

/// All steps of this build, oldest first; the first makes version 1 from an empty file.
std::span<const Migration> workspaceMigrations();

/// The version that `steps` lead to.
std::int32_t newestVersion(std::span<const Migration> steps);

/// The tables of the newest version whose rows carry a checksum.
const std::vector<SealedTable>& newestSealedTables();

/// Fails with Unsupported if the database does not hold exactly the tables and indexes of `version`, by the text they
/// were made with: no view, no trigger, nothing besides, except the statistics that ANALYZE leaves. Throws what SQLite
/// throws.
Result<void> checkSchema(SQLite::Database& database, const std::filesystem::path& file, std::int32_t version);

/// fsync of a file. Fails with Io or DiskFull.
Result<void> syncFile(const std::filesystem::path& file);

/// Makes a database beside `file`, complete and synced, and renames it. Fails with Io or DiskFull.
Result<void> createDatabase(const std::filesystem::path& file, std::span<const Migration> steps);

/// Brings `database` to the newest version, one transaction per step, after copying it to
/// `<file>.before-v<newest>`. Nothing happens if it is there already. The caller holds the workspace's lock. Fails with
/// Unsupported if it is newer than `steps`, or DiskFull, Io, Corrupt; then it is at the last step that succeeded.
Result<void> migrateDatabase(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file,
                             std::span<const Migration> steps);

}  // namespace batchwise
