// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/database.h"

namespace batchwise {

// Checksums per row, so that any SQLite may open, vacuum and checkpoint the file: damage, and rows that another program
// changed, are found where a row is read. The last column of each table is `crc`; `table_count` holds how many rows
// belong together, so that a row that is not found any more is noticed too (SCHEMA.md, "Checksums"). Functions here
// throw what SQLite throws.

/// A table whose rows carry a checksum.
struct SealedTable {
  std::string name;
  std::vector<std::string> columns;  ///< all but `crc`, in their order: what the checksum covers
  std::vector<std::string> key;      ///< the columns of its primary key
};

/// The tables of the database that have a column `crc`; none in a database of version 1 or 2. Of one of the newest
/// version newestSealedTables() knows them (schema.h).
std::vector<SealedTable> sealedTables(SQLite::Database& database);

/// Adds two SQL functions to the connection. `row_crc(table, value…)` returns the checksum of a row: CRC-32C over the
/// table's name and the values, each with its type and length. `row_check(crc, table, value…)` returns 1, or fails with
/// SQLITE_CORRUPT if the checksum is another.
void addRowFunctions(SQLite::Database& database);

// The following three are for a database of the newest version, and quickest inside a transaction.

/// Makes a temporary view `<table>_checked` of each sealed table: the rows without `crc`, checked as they are read. All
/// reading goes through these views.
void checkRowsOnRead(SQLite::Database& database);

/// The same, and makes temporary triggers that give each inserted or changed row its checksum and keep `table_count`. A
/// row that is changed is checked as it was: damage is never sealed. INSERT OR REPLACE would not tell the triggers what
/// it removes: use ON CONFLICT DO UPDATE. A row that is inserted with `crc` = sealOfRow() keeps it.
void checkAndSealRows(SQLite::Database& database);

/// SQL for the checksum of a row that is inserted with `values`, SQL too, for all columns but `crc` in their order.
std::string sealOfRow(std::string_view table, std::string_view values);

/// Gives every row its checksum and counts the rows, whatever they hold: for the migration that adds both.
void sealAllRows(SQLite::Database& database);

/// Rows of one table that belong together; their number is a row of `table_count`.
struct RowGroup {
  std::string_view table;
  std::array<std::int64_t, 3> owner{};  ///< the values of the columns that group the table, else 0
};

/// Throws SQLITE_CORRUPT unless the group has as many rows as were stored. Reads keys only.
void requireAllRows(SQLite::Database& database, const RowGroup& group);
/// The same for every group of a table.
void requireAllGroups(SQLite::Database& database, std::string_view table);

/// SQL that is true of a row of `table` that has the checksum it should have.
std::string rowIsWhole(std::string_view table);

/// Appends what is wrong with checksums and numbers of rows to `problems`, a line per table. Rows with metrics are
/// checked by metric_store.h, which names their series.
void checkAllRows(SQLite::Database& database, std::vector<std::string>& problems);

}  // namespace batchwise
