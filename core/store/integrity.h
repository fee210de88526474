// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/store/database.h"

namespace batchwise {

// Checksums of what a run is resumed from and of what its figures are found by. They are compared where that is read,
// and updated by whoever changes it (SCHEMA.md, "Checksums"). Metrics and events have their own. Functions here throw
// what SQLite throws.

/// Rows of a run with one checksum, in a column of its row in `run`.
enum class RunPart {
  Launch,       ///< configuration, resolved values, reference levels
  Figures,      ///< the newest values, as lists of runs show them
  Segments,     ///< all rows of `segment`
  Series,       ///< all rows of `series`
  Checkpoints,  ///< all rows of `checkpoint`
};

/// Throws SQLITE_CORRUPT unless a part of a run has its checksum.
void checkPart(SQLite::Database& database, RunPart part, std::int64_t run);
/// The same for all runs.
void checkPartOfAll(SQLite::Database& database, RunPart part);

/// Stores the checksum of a part as it is.
void storeChecksum(SQLite::Database& database, RunPart part, std::int64_t run);
/// Stores those of all parts, of a new run.
void storeChecksums(SQLite::Database& database, std::int64_t run);

/// Calls `change`, which changes a part of a run. Throws SQLITE_CORRUPT if the part was damaged before, because its new
/// checksum would hide that.
template <typename Change>
void changePart(SQLite::Database& database, RunPart part, std::int64_t run, Change&& change) {
  checkPart(database, part, run);
  change();
  storeChecksum(database, part, run);
}

/// Returns the checksum of `count` columns of a row, from column `first`. Those of RunPart::Figures in their order have
/// the checksum that is stored as figures_crc.
/// `crc`: of the columns before them.
std::int64_t checksumOfColumns(const SQLite::Statement& row, int first, int count, std::int64_t crc = 0);

/// Checks for damage at opening in bounded time: a file up to 8 MiB completely, a larger one by its index tables, as
/// many as fit into 100 ms. Compares indexes with their tables. Other rows are checked by their checksums when they are
/// read. Fails with Corrupt, naming the first problem, or as catchDatabaseErrors() does.
Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file);

/// Runs all of SQLite's checks and compares the checksums of all parts of all runs; about a second per gigabyte.
/// Appends each problem to `problems`.
void checkStructure(SQLite::Database& database, std::vector<std::string>& problems);

}  // namespace batchwise
