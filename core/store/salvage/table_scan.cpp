// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/table_scan.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace batchwise {
namespace {

constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() / 4;

bool isDamage(const SQLite::Exception& failure) {
  switch (failure.getErrorCode() & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG: return true;
    case SQLITE_IOERR:
      return failure.getExtendedErrorCode() == SQLITE_IOERR_DATA ||
             failure.getExtendedErrorCode() == SQLITE_IOERR_SHORT_READ;
    default: return false;
  }
}

Cell cellOf(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isText()) return column.getString();
  if (column.isNull()) return std::monostate{};
  const auto bytes = blobOf(column);
  return Bytes(bytes.begin(), bytes.end());
}

void bindCell(SQLite::Statement& statement, int index, const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return statement.bind(index, *number);
  if (const auto* text = std::get_if<std::string>(&cell)) return statement.bind(index, *text);
  statement.bind(index);  // keys are integers and texts only: matches nothing
}

std::string listOf(const std::vector<std::string>& names, std::size_t count, const char* suffix = "") {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + names[i] + suffix;
  return list;
}

std::string marks(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += i == 0 ? "?" : ", ?";
  return list;
}

std::string textOf(const Row& key) {
  std::string text;
  for (const Cell& cell : key) {
    text += text.empty() ? "" : ", ";
    if (const auto* number = std::get_if<std::int64_t>(&cell)) text += std::to_string(*number);
    if (const auto* name = std::get_if<std::string>(&cell)) text += "'" + *name + "'";
  }
  return text;
}

class Scanner {
 public:
  Scanner(SQLite::Database& database, const TableShape& shape, const std::function<void(const Row&)>& visit)
      : database_(database), shape_(shape), visit_(visit) {}

  std::vector<std::string> run() {
    if (read(Way::Forward, "", {})) return {};
    if (!readBackward()) return std::move(lost_);
    leap();
    return std::move(lost_);
  }

 private:
  enum class Way { Forward, Backward };

  /// Rows from a key on, until the end, damage, or (forward) the rows known from the back. True without damage.
  bool read(Way way, const std::string& where, const Row& bound) try {
    SQLite::Statement query(database_, "SELECT " + listOf(shape_.columns, shape_.columns.size()) + " FROM " +
                                           shape_.name + where + " ORDER BY " +
                                           listOf(shape_.columns, shape_.key, way == Way::Forward ? "" : " DESC"));
    for (std::size_t i = 0; i < bound.size(); ++i) bindCell(query, static_cast<int>(i) + 1, bound[i]);
    while (query.executeStep()) {
      Row row;
      for (int i = 0; i < query.getColumnCount(); ++i) row.push_back(cellOf(query.getColumn(i)));
      if (!take(way, row)) return true;
    }
    return true;
  } catch (const SQLite::Exception& failure) {
    if (!isDamage(failure)) throw;
    const bool byChecksum = failure.getExtendedErrorCode() == SQLITE_IOERR_DATA;
    damage_ = byChecksum ? "a page fails its checksum" : failure.what();
    return false;
  }

  /// False if the row is known from the other side. Keys that do not rise are damage too: a page that leads in circles.
  bool take(Way way, const Row& row) {
    const Row key(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(shape_.key));
    if (way == Way::Forward) {
      if (back_ && key >= *back_) return false;
      if (front_ && key <= *front_) throw SQLite::Exception("keys do not rise", SQLITE_CORRUPT);
      front_ = key;
    } else {
      if (front_ && key <= *front_) return false;
      if (back_ && key >= *back_) throw SQLite::Exception("keys do not fall", SQLITE_CORRUPT);
      back_ = key;
    }
    visit_(row);
    return true;
  }

  /// False if this met no damage, so that nothing is left.
  bool readBackward() {
    const bool met = read(Way::Backward, "", {});
    if (met) lost_.push_back("one page or more of table " + shape_.name + " (" + damage_ + ")");
    return !met;
  }

  /// Between the two ends: looks for a key that can be found again, in steps that double, in the last column of the key
  /// first. Readable rows that a step passes over are lost: at most as many keys as the damage was wide.
  void leap() {
    lost_.push_back("rows of table " + shape_.name + " " +
                    (front_ ? "after key (" + textOf(*front_) + ")" : "from the first on") +
                    (back_ ? " and before key (" + textOf(*back_) + ")" : "") + ", in part or all (" + damage_ + ")");
    for (std::size_t column = shape_.key; column-- > 0;) {
      bool found = true;
      while (found) found = leapIn(column);
    }
  }

  bool leapIn(std::size_t column) {
    if (!front_ && column > 0) return false;
    Row from =
        front_ ? Row(front_->begin(), front_->begin() + static_cast<std::ptrdiff_t>(column) + 1) : Row{std::int64_t{0}};
    const auto* start = std::get_if<std::int64_t>(&from[column]);
    if (start == nullptr || *start > kFarthest || *start < -kFarthest) return false;
    const std::int64_t origin = *start;
    for (std::int64_t step = 1; step < kFarthest; step *= 2) {
      from[column] = origin + step;
      if (back_ && from >= Row(back_->begin(), back_->begin() + static_cast<std::ptrdiff_t>(column) + 1)) return false;
      const auto before = front_;
      const bool clean = read(
          Way::Forward, " WHERE (" + listOf(shape_.columns, column + 1) + ") >= (" + marks(column + 1) + ")", from);
      if (front_ != before) return !clean;
      if (clean) return false;
    }
    return false;
  }

  SQLite::Database& database_;
  const TableShape& shape_;
  const std::function<void(const Row&)>& visit_;
  std::optional<Row> front_, back_;  // keys up to which, and from which on, all readable rows were given
  std::string damage_;
  std::vector<std::string> lost_;
};

}  // namespace

TableShape shapeOf(SQLite::Database& database, const std::string& table) {
  TableShape shape{table, {}, 0};
  SQLite::Statement query(database, "SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk, cid");
  query.bind(1, table);
  while (query.executeStep()) {
    shape.columns.push_back(query.getColumn(0).getString());
    if (query.getColumn(1).getInt() > 0) ++shape.key;
  }
  return shape;
}

std::vector<std::string> scanTable(SQLite::Database& database, const TableShape& shape,
                                   const std::function<void(const Row&)>& visit) {
  return Scanner(database, shape, visit).run();
}

}  // namespace batchwise
