// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/store/database.h"
#include "core/store/metrics/metric_codec.h"
#include "core/store/salvage/sqlite_recovery.h"

namespace batchwise {

/// One stored value: NULL, INTEGER, REAL, TEXT or BLOB.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, ByteVector>;
using Row = std::vector<Cell>;

/// A table of the newest version: its columns without `crc`, primary key first.
struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> types;  ///< as declared: INTEGER, TEXT, BLOB, ANY
  std::size_t key = 1;             ///< number of primary key columns
};

/// Returns a cell of a row by column name; null if there is no such column or the cell has another type.
template <typename T, typename AnyRow>
auto findCell(const TableShape& shape, AnyRow& row, std::string_view column) -> decltype(std::get_if<T>(&row[0])) {
  const auto found = std::find(shape.columns.begin(), shape.columns.end(), column);
  if (found == shape.columns.end()) return nullptr;
  return std::get_if<T>(&row[static_cast<std::size_t>(found - shape.columns.begin())]);
}

/// An entry of an index on one text column: the text and its row number. It has no checksum.
struct IndexedText {
  std::int64_t index = 0;  ///< root page of the index
  std::string text;
  std::int64_t row = 0;
};

/// Returns the shape of a table of `database`, which has the newest version. Throws what SQLite throws.
TableShape shapeOf(SQLite::Database& database, const std::string& table);

/// Assigns the rows that SQLite's recovery found to their tables. A row of version 3 or newer belongs to the table
/// whose name yields its checksum; rows without a match are dropped. Rows of older versions have no checksums and are
/// recognized by number and types of their values. Limits values, memory and work. Not thread-safe.
class RecoveredRows {
 public:
  /// Fails with Corrupt, OutOfMemory, Io, or Stopped.
  static Result<RecoveredRows> open(const FoundRows& found, const std::stop_token& stop);
  RecoveredRows(RecoveredRows&&) noexcept;
  RecoveredRows& operator=(RecoveredRows&&) noexcept;
  ~RecoveredRows();

  /// Returns whether the rows have checksums.
  bool hasChecksums() const;
  /// Returns how the search for rows ended.
  SearchEnd end() const;
  // The following functions throw what SQLite throws.
  /// Visits each row in key order, once per key.
  void forEach(const TableShape& table, const std::function<void(const Row&)>& visit);
  /// Visits rows (id, run, name) found in the index of `series`; they have no checksum.
  void forEachIndexedSeries(const std::function<void(const Row&)>& visit);
  /// Returns entries of all indexes on one text column, including those of `run`.
  std::vector<IndexedText> indexedTexts();
  /// Returns the number of rows and index entries found.
  std::int64_t foundRows();
  /// Returns the row count stored in the found rows of `table_count`; nullopt if there are none for this table.
  std::optional<std::int64_t> storedRowCount(const std::string& table);

 private:
  struct State;
  explicit RecoveredRows(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
