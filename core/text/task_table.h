// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// A value of a table: a text, a number or truth value as text, or a list of them. Null is an empty text.
struct TableCell {
  std::vector<std::string> values;
  bool isList = false;
};

struct WantedColumn {
  std::vector<std::string> names;  ///< the first one that the table has counts
  bool optional = false;
};

/// Some columns of a small table, in memory.
struct TaskTable {
  std::filesystem::path path;
  std::vector<std::vector<TableCell>> columns;  ///< as wanted; an optional one that is missing has no values
  std::vector<std::int64_t> lines;              ///< of the rows; empty: the file has no lines
  std::int64_t rows = 0;

  /// Returns "file.tsv:12" or "file.parquet: row 12".
  std::string where(std::int64_t row) const;
};

/// Returns the names of the columns of such a file as readTaskTable() reads, of JSON Lines those of the first object.
/// Fails in the same way.
Result<std::vector<std::string>> taskColumns(const std::filesystem::path& path);

/// Reads columns of a TSV, CSV, JSON Lines, Parquet or Arrow file, which its ending tells; packed ones, too. Fails with
/// NotFound, Io, Corrupt, or Config: an ending that is none of them, or a missing column.
Result<TaskTable> readTaskTable(const std::filesystem::path& path, const std::vector<WantedColumn>& wanted);

}  // namespace batchwise
