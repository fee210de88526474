// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/integrity.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <stdexcept>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/store/messages.h"
#include "core/store/schema.h"

namespace batchwise {
namespace {

/// The columns by which the rows of a table are grouped and counted.
struct Grouping {
  std::string_view table;
  std::array<std::string_view, 3> columns;  // "0" for an unused position
};
constexpr std::array kGroupings{
    Grouping{"setting", {"0", "0", "0"}},
    Grouping{"run", {"0", "0", "0"}},
    Grouping{"run_value", {"run", "0", "0"}},
    Grouping{"run_reference", {"run", "0", "0"}},
    Grouping{"run_tag", {"run", "0", "0"}},
    Grouping{"run_writer", {"0", "0", "0"}},
    Grouping{"segment", {"run", "0", "0"}},
    Grouping{"series", {"run", "0", "0"}},
    Grouping{"metric_row", {"run", "segment", "kind"}},
    Grouping{"metric_sealed", {"run", "0", "0"}},
    Grouping{"metric_block", {"series", "segment", "0"}},
    Grouping{"event", {"run", "0", "0"}},
    Grouping{"checkpoint", {"run", "0", "0"}},
};

const Grouping* groupingOf(std::string_view table) {
  const auto found = std::find_if(kGroupings.begin(), kGroupings.end(),
                                  [&](const Grouping& grouping) { return grouping.table == table; });
  return found == kGroupings.end() ? nullptr : &*found;
}

std::uint32_t addBytes(std::uint32_t crc, const void* data, std::size_t bytes) {
  return crc32c({static_cast<const std::byte*>(data), bytes}, crc);
}

template <typename Number>
std::uint32_t addNumber(std::uint32_t crc, char type, Number number) {
  std::array<std::byte, 1 + sizeof number> bytes{};
  bytes[0] = static_cast<std::byte>(type);
  std::memcpy(&bytes[1], &number, sizeof number);
  return crc32c(bytes, crc);
}

std::uint32_t addValue(std::uint32_t crc, sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return addNumber(crc, 'i', static_cast<std::int64_t>(sqlite3_value_int64(value)));
    case SQLITE_FLOAT: return addNumber(crc, 'r', sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_value_text(value);
      const auto bytes = static_cast<std::int64_t>(sqlite3_value_bytes(value));
      return addBytes(addNumber(crc, 't', bytes), text, static_cast<std::size_t>(bytes));
    }
    case SQLITE_BLOB: {
      const void* blob = sqlite3_value_blob(value);
      const auto bytes = static_cast<std::int64_t>(sqlite3_value_bytes(value));
      return addBytes(addNumber(crc, 'b', bytes), blob, static_cast<std::size_t>(bytes));
    }
    default: return addNumber(crc, 'n', std::uint8_t{0});
  }
}

std::uint32_t crcOf(std::span<sqlite3_value*> values) {
  std::uint32_t crc = 0;
  for (sqlite3_value* value : values) crc = addValue(crc, value);
  return crc;
}

void rowCrc(sqlite3_context* context, int count, sqlite3_value** values) {
  sqlite3_result_int64(context, crcOf({values, static_cast<std::size_t>(count)}));
}

void rowCheck(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count > 1 && sqlite3_value_int64(values[0]) == crcOf({values + 1, static_cast<std::size_t>(count - 1)}))
    return sqlite3_result_int(context, 1);
  const auto* table = count > 1 ? reinterpret_cast<const char*>(sqlite3_value_text(values[1])) : nullptr;
  const Message message =
      table == nullptr ? messages::unnamedTableRowFailsChecksum() : messages::tableRowFailsChecksum(table);
  sqlite3_result_error(context, message.text().c_str(), -1);
  sqlite3_result_error_code(context, SQLITE_CORRUPT);
}

/// Returns "a, b, c", each prefixed with `before`.
std::string listOf(const std::vector<std::string>& columns, std::string_view before = "") {
  return joined(columns, ", ", [before](const std::string& column) { return std::string(before) + column; });
}

std::string rowArguments(const ChecksummedTable& table, std::string_view before = "") {
  return "'" + table.name + "', " + listOf(table.columns, before);
}

std::string sameKey(const ChecksummedTable& table, std::string_view before) {
  return joined(table.key, " AND ",
                [before](const std::string& column) { return column + " = " + std::string(before) + column; });
}

std::string ownerOf(const Grouping& grouping, std::string_view before) {
  std::string owner;
  for (const std::string_view column : grouping.columns)
    owner.append(", ").append(column == "0" ? "" : before).append(column);
  return owner;
}

std::string updateChecksumSql(const ChecksummedTable& table, std::string_view condition) {
  return "UPDATE " + table.name + " SET crc = row_crc(" + rowArguments(table, "NEW.") + ") WHERE " +
         sameKey(table, "NEW.") + std::string{condition} + "; ";
}

std::string incrementCountSql(const Grouping& grouping) {
  const std::string group = "'" + std::string{grouping.table} + "'" + ownerOf(grouping, "NEW.");
  return "INSERT INTO table_count(name, a, b, c, rows, crc) VALUES(" + group + ", 1, row_crc('table_count', " + group +
         ", 1)) ON CONFLICT(name, a, b, c) DO UPDATE SET rows = rows + 1, "
         "crc = row_crc('table_count', name, a, b, c, rows + 1) "
         "WHERE row_check(crc, 'table_count', name, a, b, c, rows); ";
}

std::string decrementCountSql(const Grouping& grouping) {
  const std::string group =
      "(name, a, b, c) = ('" + std::string{grouping.table} + "'" + ownerOf(grouping, "OLD.") + ")";
  return "UPDATE table_count SET rows = rows - 1, crc = row_crc('table_count', name, a, b, c, rows - 1) WHERE " +
         group + " AND row_check(crc, 'table_count', name, a, b, c, rows); DELETE FROM table_count WHERE " + group +
         " AND rows = 0; ";
}

void createChecksumTriggers(SQLite::Database& database, const ChecksummedTable& table) {
  const Grouping* grouping = groupingOf(table.name);
  if (grouping == nullptr) return;  // table_count maintains its own checksums
  const auto trigger = [&](const std::string& name, const std::string& moment, const std::string& body) {
    database.exec("CREATE TEMP TRIGGER " + name + "_" + table.name + " " + moment + " ON main." + table.name +
                  " BEGIN " + body + "END");
  };
  trigger("insert", "AFTER INSERT", updateChecksumSql(table, " AND NEW.crc = 0") + incrementCountSql(*grouping));
  // row_check() fails on a damaged row, which rolls the change back: damage is never sealed.
  trigger("update", "AFTER UPDATE OF " + listOf(table.columns),
          updateChecksumSql(table, " AND row_check(OLD.crc, " + rowArguments(table, "OLD.") + ")"));
  trigger("delete", "AFTER DELETE", decrementCountSql(*grouping));
}

[[noreturn]] void throwRowsMissing(std::string_view table) {
  throw SQLite::Exception("table '" + std::string{table} + "' does not hold the rows that were stored in it",
                          SQLITE_CORRUPT);
}

/// Returns SQL for the groups of a table: grouping columns and row count.
std::string groupCountsSql(const Grouping& grouping) {
  std::string by;
  for (const std::string_view column : grouping.columns)
    if (column != "0") by.append(by.empty() ? " GROUP BY " : ", ").append(column);
  return "SELECT * FROM (SELECT " + ownerOf(grouping, "").substr(2) + ", count(*) AS rows FROM " +
         std::string{grouping.table} + by + ") WHERE rows > 0";
}

/// Returns SQL for the number of groups whose row count differs from the stored one.
std::string wrongGroupsSql(const Grouping& grouping) {
  const std::string found = groupCountsSql(grouping);
  const std::string noted =
      "SELECT a, b, c, rows FROM table_count_checked WHERE name = '" + std::string{grouping.table} + "'";
  return "SELECT (SELECT count(*) FROM (" + found + " EXCEPT " + noted + ")) + (SELECT count(*) FROM (" + noted +
         " EXCEPT " + found + "))";
}

constexpr std::uintmax_t kWholeFileBytes = 8 << 20;
constexpr std::chrono::milliseconds kTimeBudget{100};

/// Checked in this order in a large file: they have few rows, and all other rows are found through them.
constexpr std::array kIndexTables{"run_writer", "setting",       "table_count", "checkpoint",
                                  "segment",    "metric_sealed", "series",      "run"};

std::string withoutHead(std::string line) {
  constexpr std::string_view kHead = "*** in database main ***\n";
  if (line.starts_with(kHead)) line.erase(0, kHead.size());
  return line;
}

Result<void> checkIntegrity(SQLite::Database& database, const std::string& sql, const std::filesystem::path& file) {
  const auto answer = queryText(database, sql.c_str());
  if (!answer || *answer == "ok") return {};
  return Error::corrupt(messages::databaseIntegrityFailed(file.native(), withoutHead(*answer)));
}

}  // namespace

std::vector<ChecksummedTable> checksummedTables(SQLite::Database& database) {
  std::vector<ChecksummedTable> tables;
  SQLite::Statement columns(database,
                            "SELECT t.name, c.name, c.pk FROM main.sqlite_schema AS t, pragma_table_info(t.name) AS c "
                            "WHERE t.type = 'table' ORDER BY t.rowid, c.cid");
  std::vector<ChecksummedTable> candidates;
  while (columns.executeStep()) {
    const std::string table = columns.getColumn(0).getString();
    if (candidates.empty() || candidates.back().name != table) candidates.push_back({table, {}, {}});
    const std::string column = columns.getColumn(1).getString();
    candidates.back().columns.push_back(column);
    if (columns.getColumn(2).getInt() > 0) candidates.back().key.push_back(column);
  }
  for (ChecksummedTable& candidate : candidates) {
    if (candidate.columns.back() != "crc") continue;
    candidate.columns.pop_back();
    tables.push_back(std::move(candidate));
  }
  return tables;
}

void addRowFunctions(SQLite::Database& database) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  database.check(sqlite3_create_function_v2(database.getHandle(), "row_crc", -1, flags, nullptr, rowCrc, nullptr,
                                            nullptr, nullptr));
  database.check(sqlite3_create_function_v2(database.getHandle(), "row_check", -1, flags, nullptr, rowCheck, nullptr,
                                            nullptr, nullptr));
}

void verifyRowsOnRead(SQLite::Database& database) {
  addRowFunctions(database);
  // SQLite's constant propagation would put the value of `WHERE column = value` in place of the column inside
  // row_check() and evaluate it for rows with another value. The number is PropagateConst of SQLite's sqliteInt.h.
  constexpr int kPropagateConst = 0x8000;
  sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, database.getHandle(), kPropagateConst);
  for (const ChecksummedTable& table : newestChecksummedTables())
    database.exec("CREATE TEMP VIEW " + table.name + "_checked AS SELECT " + listOf(table.columns) + " FROM main." +
                  table.name + " WHERE row_check(crc, " + rowArguments(table) + ")");
}

void checksumRowsOnWrite(SQLite::Database& database) {
  verifyRowsOnRead(database);
  for (const ChecksummedTable& table : newestChecksummedTables()) createChecksumTriggers(database, table);
}

std::string rowChecksumSql(std::string_view table, std::string_view values) {
  return "row_crc('" + std::string{table} + "', " + std::string{values} + ")";
}

void requireRowCount(SQLite::Database& database, const RowGroup& group) {
  const Grouping* grouping = groupingOf(group.table);
  if (grouping == nullptr) throw std::logic_error(std::string{group.table});
  std::string sql = "SELECT (SELECT count(*) FROM " + std::string{group.table};
  for (std::size_t i = 0; i < grouping->columns.size(); ++i)
    if (grouping->columns[i] != "0")
      sql.append(i == 0 ? " WHERE " : " AND ")
          .append(grouping->columns[i])
          .append(" = ?")
          .append(std::to_string(i + 2));
  sql += ") = coalesce((SELECT rows FROM table_count_checked WHERE name = ?1 AND a = ?2 AND b = ?3 AND c = ?4), 0)";
  SQLite::Statement query = prepare(database, sql, std::string{group.table});
  for (std::size_t i = 0; i < group.owner.size(); ++i) query.bind(static_cast<int>(i) + 2, group.owner[i]);
  if (!query.executeStep() || query.getColumn(0).getInt() == 0) throwRowsMissing(group.table);
}

void requireRowCounts(SQLite::Database& database, std::string_view table) {
  const Grouping* grouping = groupingOf(table);
  if (grouping == nullptr) throw std::logic_error(std::string{table});
  if (queryInteger(database, wrongGroupsSql(*grouping).c_str()).value_or(1) > 0) throwRowsMissing(table);
}

std::string checksumMatchesSql(std::string_view table) {
  for (const ChecksummedTable& sealed : newestChecksummedTables())
    if (sealed.name == table) return "crc = row_crc(" + rowArguments(sealed) + ")";
  throw std::logic_error(std::string{table});
}

void checkAllRows(SQLite::Database& database, std::vector<Message>& problems) {
  for (const ChecksummedTable& table : newestChecksummedTables()) {
    if (table.name == "metric_row" || table.name == "metric_block") continue;
    const auto broken = queryInteger(
        database,
        ("SELECT count(*) FROM main." + table.name + " WHERE crc <> row_crc(" + rowArguments(table) + ")").c_str());
    if (broken.value_or(0) > 0) problems.push_back(messages::rowsFailChecksum(*broken, table.name));
  }
  for (const Grouping& grouping : kGroupings)
    if (queryInteger(database, wrongGroupsSql(grouping).c_str()).value_or(1) > 0)
      problems.push_back(messages::tableRowsDifferFromStored(grouping.table));
}

Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file) {
  return catchDatabaseErrors(database, file, [&]() -> Result<void> {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (!failure && bytes <= kWholeFileBytes) return checkIntegrity(*database, "PRAGMA integrity_check(1)", file);
    const auto deadline = std::chrono::steady_clock::now() + kTimeBudget;
    for (const std::string table : kIndexTables) {
      if (std::chrono::steady_clock::now() > deadline) return {};
      RETURN_IF_ERROR(checkIntegrity(*database, "PRAGMA integrity_check('" + table + "')", file));
    }
    return {};
  });
}

void checkStructure(SQLite::Database& database, std::vector<Message>& problems) {
  SQLite::Statement integrity(database, "PRAGMA integrity_check");
  while (integrity.executeStep())
    if (const std::string line = integrity.getColumn(0).getString(); line != "ok")
      problems.push_back(withoutHead(line));
  SQLite::Statement dangling(database, "PRAGMA foreign_key_check");
  while (dangling.executeStep()) problems.push_back(messages::tableRowLacksOwner(dangling.getColumn(0).getString()));
  checkAllRows(database, problems);
}

}  // namespace batchwise
