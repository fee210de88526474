// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/store/database.h"

namespace batchwise {

// Checksums per row, so that any SQLite program may open, vacuum and checkpoint the file: damaged rows, and rows that
// another program changed, are detected when they are read. The last column of each table is `crc`; `table_count` holds
// the number of rows per group, so that missing rows are detected, too (SCHEMA.md, "Checksums"). Functions here throw
// what SQLite throws.

struct ChecksummedTable {
  std::string name;
  std::vector<std::string> columns;  ///< all but `crc`, in table order: the input of the checksum
  std::vector<std::string> key;      ///< the primary key
};

/// Returns the tables that have a column `crc`. For the newest version use newestChecksummedTables() (schema.h).
std::vector<ChecksummedTable> checksummedTables(SQLite::Database& database);

/// Adds two SQL functions to the connection. `row_crc(table, value…)` returns the checksum of a row: CRC-32C over the
/// table's name and the values, each with its type and length. `row_check(crc, table, value…)` returns 1, or fails with
/// SQLITE_CORRUPT if the checksum differs.
void addRowFunctions(SQLite::Database& database);

// The next three require a database of the newest version and are fastest inside a transaction.

/// Creates a temporary view `<table>_checked` of each sealed table: its rows without `crc`, verified as they are read.
/// All reads go through these views.
void verifyRowsOnRead(SQLite::Database& database);

/// The same, plus temporary triggers that set the checksum of each inserted or changed row and maintain `table_count`.
/// The old row is verified before a change, so damage is never sealed. INSERT OR REPLACE bypasses the triggers for the
/// rows it removes: use ON CONFLICT DO UPDATE. A row inserted with `crc` = rowChecksumSql() keeps that value.
void checksumRowsOnWrite(SQLite::Database& database);

/// Returns an SQL expression for the checksum of a row inserted with `values`: SQL expressions for all columns but
/// `crc`, in table order.
std::string rowChecksumSql(std::string_view table, std::string_view values);

/// Rows of one table whose number is stored as a row of `table_count`.
struct RowGroup {
  std::string_view table;
  std::array<std::int64_t, 3> owner{};  ///< values of the table's grouping columns, else 0
};

/// Throws SQLITE_CORRUPT unless the group has the stored number of rows. Reads only keys.
void requireRowCount(SQLite::Database& database, const RowGroup& group);
/// The same for every group of a table.
void requireRowCounts(SQLite::Database& database, std::string_view table);

/// Returns an SQL condition that is true for rows of `table` with a correct checksum.
std::string checksumMatchesSql(std::string_view table);

/// Verifies checksums and row counts; appends a line per damaged table to `problems`. Metrics rows are checked by
/// metric_store.h, which names their series.
void checkAllRows(SQLite::Database& database, std::vector<Message>& problems);

/// Checks for damage at opening in bounded time: a file up to 8 MiB completely, a larger one by its index tables, as
/// many as fit into 100 ms. Compares indexes with their tables. Other rows are checked by their checksums when they are
/// read. Fails with Corrupt, naming the first problem, or as catchDatabaseErrors() does.
Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file);

/// Runs all of SQLite's checks and verifies checksums and row counts of all tables; about a second per gigabyte.
/// Appends each problem to `problems`.
void checkStructure(SQLite::Database& database, std::vector<Message>& problems);

}  // namespace batchwise
