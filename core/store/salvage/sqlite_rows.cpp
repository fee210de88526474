// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/sqlite_rows.h"

#include "core/store/integrity.h"
#include "core/store/messages.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMemoryBytes = 96 << 20;
constexpr int kMaxValueBytes = 16 << 20;  // larger ones cannot be read
constexpr std::int32_t kChecksummedVersion = 3;

Cell cellOf(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isText()) return column.getString();
  if (column.isNull()) return std::monostate{};
  const auto bytes = blobOf(column);
  return ByteVector(bytes.begin(), bytes.end());
}

/// An INTEGER PRIMARY KEY is the rowid (`id`), not one of the values; other tables have no rowid.
bool hasRowNumber(const TableShape& table) {
  return table.key == 1 && table.types[0] == "INTEGER";
}

std::string valueOf(const TableShape& table, std::size_t column) {
  return column == 0 && hasRowNumber(table) ? "id" : "c" + std::to_string(column);
}

std::string listOf(const TableShape& table, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + valueOf(table, i);
  return list;
}

/// Returns SQL that is true for rows of lost_and_found that belong to the table.
std::string checksumTestSql(const TableShape& table) {
  const std::string crc = "c" + std::to_string(table.columns.size());
  return "nfield > " + std::to_string(table.columns.size()) + " AND typeof(" + crc + ") = 'integer' AND " + crc +
         " = row_crc('" + table.name + "', " + listOf(table, table.columns.size()) + ")";
}

std::string typeTest(const std::string& value, const std::string& type) {
  if (type == "ANY") return "typeof(" + value + ") IN ('real', 'blob', 'null')";  // a NaN is its 8 bytes
  if (type == "INTEGER") return "typeof(" + value + ") IN ('integer', 'null')";
  return "typeof(" + value + ") = '" + (type == "TEXT" ? "text" : "blob") + "'";
}

std::string typeTestSql(const TableShape& table) {
  std::string test = "nfield = " + std::to_string(table.columns.size()) +
                     (hasRowNumber(table) ? " AND typeof(id) = 'integer' AND c0 IS NULL" : " AND id IS NULL");
  for (std::size_t i = hasRowNumber(table) ? 1 : 0; i < table.columns.size(); ++i)
    test += " AND " + typeTest(valueOf(table, i), table.types[i]);
  return test;
}

}  // namespace

struct RecoveredRows::State {
  std::optional<SqliteMemoryLimit> memory;
  std::unique_ptr<SQLite::Database> database;
  std::optional<WorkLimit> work;
  std::size_t width = 0;  // value columns of lost_and_found
  bool hasChecksums = true;
  SearchEnd end = SearchEnd::Complete;

  ~State() {
    work.reset();
    database.reset();
  }
  /// Whether lost_and_found has enough columns for this table; otherwise SQL cannot name them.
  bool fits(const TableShape& table) const { return table.columns.size() + (hasChecksums ? 1 : 0) <= width; }
};

RecoveredRows::RecoveredRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecoveredRows::RecoveredRows(RecoveredRows&&) noexcept = default;
RecoveredRows& RecoveredRows::operator=(RecoveredRows&&) noexcept = default;
RecoveredRows::~RecoveredRows() = default;

TableShape shapeOf(SQLite::Database& database, const std::string& table) {
  TableShape shape{table, {}, {}, 0};
  SQLite::Statement query =
      prepare(database, "SELECT name, type, pk FROM pragma_table_info(?) WHERE name <> 'crc' ORDER BY cid", table);
  while (query.executeStep()) {
    shape.columns.push_back(query.getColumn(0).getString());
    shape.types.push_back(query.getColumn(1).getString());
    if (query.getColumn(2).getInt() > 0) ++shape.key;
  }
  return shape;
}

Result<RecoveredRows> RecoveredRows::open(const FoundRows& found, const std::stop_token& stop) {
  auto state = std::make_unique<State>();
  state->memory.emplace(kMemoryBytes);
  RETURN_IF_ERROR(catchDatabaseErrors(state->database, found.file, [&]() -> Result<void> {
    state->database = openDatabase(found.file, DatabaseUse::ReadImmutable);
    SQLite::Database& database = *state->database;
    state->work.emplace(database, vmStepLimit(found.file), stop);
    limitValues(database, kMaxValueBytes);
    addRowFunctions(database);
    constexpr std::int64_t kOther = 4;  // columns before the values
    const auto columns = queryInteger(database, "SELECT count(*) FROM pragma_table_info('lost_and_found')");
    if (!columns || *columns <= kOther) return Error::corrupt(messages::salvageFoundNoRow());
    state->width = static_cast<std::size_t>(*columns - kOther);
    return {};
  }));
  state->end = found.end;
  state->hasChecksums = found.version == 0 || found.version >= kChecksummedVersion;
  RecoveredRows rows(std::move(state));
  if (found.version != 0) return rows;
  // The header is unreadable: only version 3 and newer store row counts.
  const auto counted = catchDatabaseErrors(rows.state_->database, found.file, [&]() -> Result<bool> {
    return rows.storedRowCount("series").has_value() || rows.storedRowCount("setting").has_value();
  });
  if (!counted.ok()) return counted.error();
  rows.state_->hasChecksums = *counted;
  return rows;
}

bool RecoveredRows::hasChecksums() const {
  return state_->hasChecksums;
}

SearchEnd RecoveredRows::end() const {
  return state_->end;
}

void RecoveredRows::forEach(const TableShape& table, const std::function<void(const Row&)>& visit) {
  if (!state_->fits(table)) return;
  const std::string test = state_->hasChecksums ? checksumTestSql(table) : typeTestSql(table);
  SQLite::Statement order(*state_->database, "SELECT rowid FROM lost_and_found WHERE " + test + " ORDER BY " +
                                                 listOf(table, table.key) + ", rowid");
  SQLite::Statement values(*state_->database,
                           "SELECT " + listOf(table, table.columns.size()) + " FROM lost_and_found WHERE rowid = ?");
  Row last;
  while (order.executeStep()) {
    values.reset();
    values.bind(1, order.getColumn(0).getInt64());
    if (!values.executeStep()) continue;
    Row row;
    for (int i = 0; i < values.getColumnCount(); ++i) row.push_back(cellOf(values.getColumn(i)));
    Row key(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(table.key));
    if (key == last) continue;  // from another copy of its page
    last = std::move(key);
    visit(row);
  }
}

void RecoveredRows::forEachIndexedSeries(const std::function<void(const Row&)>& visit) {
  constexpr std::size_t kWidth = 3;
  if (state_->width < kWidth) return;
  SQLite::Statement query(*state_->database,
                          "SELECT c2, c0, c1 FROM lost_and_found WHERE nfield = 3 AND id IS NULL AND typeof(c0) = "
                          "'integer' AND typeof(c1) = 'text' AND typeof(c2) = 'integer' ORDER BY c2");
  while (query.executeStep())
    visit({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(), query.getColumn(2).getString()});
}

std::vector<IndexedText> RecoveredRows::indexedTexts() {
  constexpr std::size_t kWidth = 2;
  constexpr int kMaxIndexEntries = 100'000;  // bound for hostile files
  std::vector<IndexedText> texts;
  if (state_->width < kWidth) return texts;
  SQLite::Statement query =
      prepare(*state_->database,
              "SELECT rootpgno, c0, c1 FROM lost_and_found WHERE nfield = 2 AND id IS NULL AND typeof(c0) "
              "= 'text' AND length(c0) <= 1000 AND typeof(c1) = 'integer' LIMIT ?",
              kMaxIndexEntries);
  while (query.executeStep())
    texts.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getInt64()});
  return texts;
}

std::int64_t RecoveredRows::foundRows() {
  return queryInteger(*state_->database, "SELECT count(*) FROM lost_and_found").value_or(0);
}

std::optional<std::int64_t> RecoveredRows::storedRowCount(const std::string& table) {
  if (!state_->hasChecksums) return std::nullopt;
  constexpr std::size_t kWidth = 6;
  if (state_->width < kWidth) return std::nullopt;
  SQLite::Statement query =
      prepare(*state_->database,
              "SELECT count(*), sum(c4) FROM lost_and_found WHERE nfield = 6 AND id IS NULL AND c0 = ? AND "
              "c5 = row_crc('table_count', c0, c1, c2, c3, c4)",
              table);
  if (!query.executeStep() || query.getColumn(0).getInt64() == 0) return std::nullopt;
  return query.getColumn(1).getInt64();
}

}  // namespace batchwise
