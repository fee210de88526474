// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/store/database.h"
#include "core/store/metrics/metric_codec.h"
#include "core/store/salvage/run_names.h"
#include "core/store/salvage/sqlite_recovery.h"

namespace batchwise {

/// One stored value: NULL, INTEGER, REAL, TEXT or BLOB.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;
using Row = std::vector<Cell>;

/// A table of the newest version by its columns, without `crc`; those of the primary key come first.
struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> types;  ///< as declared: INTEGER, TEXT, BLOB, ANY
  std::size_t key = 1;             ///< columns of the primary key
};

/// The shape of a table as `database`, one of the newest version, has it. Throws what SQLite throws.
TableShape shapeOf(SQLite::Database& database, const std::string& table);

/// Says of which table the rows are that SQLite's recovery found. A row of version 3 or newer belongs to the table
/// whose name gives its checksum, and is as it was written; rows that fail are not given. Rows of older versions carry
/// none: there the number and types of the values tell. Read with limits on values, memory and work. One thread at a
/// time.
class RecoveredRows {
 public:
  /// Fails with Corrupt, OutOfMemory, Io, or Stopped.
  static Result<RecoveredRows> open(const FoundRows& found, const std::stop_token& stop);
  RecoveredRows(RecoveredRows&&) noexcept;
  RecoveredRows& operator=(RecoveredRows&&) noexcept;
  ~RecoveredRows();

  /// Whether the rows carry checksums.
  bool sealed() const;
  /// How the search for them ended.
  SearchEnd end() const;
  // These throw what SQLite throws.
  /// Gives each row in the order of its key, once per key.
  void forEach(const TableShape& table, const std::function<void(const Row&)>& visit);
  /// Rows (id, run, name) that the index of `series` repeats; they carry no checksum.
  void forEachIndexedSeries(const std::function<void(const Row&)>& visit);
  /// Entries of the indexes of one text column, those of `run` among them.
  std::vector<IndexedText> indexedTexts();
  /// How many rows and entries of indexes were found.
  std::int64_t foundRows();
  /// How many rows of the table there were, as far as `table_count` is there; nothing where rows are not counted.
  std::optional<std::int64_t> countedRows(const std::string& table);

 private:
  struct State;
  explicit RecoveredRows(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
