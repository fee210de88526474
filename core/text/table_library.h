// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/text/text_source.h"

namespace batchwise {

/// Takes a point of a series. `wallSec`: since 1970 UTC.
using TakePoint = std::function<void(const std::string& series, std::int64_t step, double wallSec, double value)>;
/// Calls its argument with each point.
using ForEachPoint = std::function<void(const TakePoint&)>;

struct TableColumns {
  std::vector<std::string> texts;   ///< names of the columns that hold text
  std::vector<std::string> others;  ///< names of all others, with their types
};

enum class ColumnValues {
  Texts,
  Any,  ///< numbers and truth values, too, as texts, null, and lists of all these
};

/// Returns that the file has no such column, or that it holds something else, with the names of those that hold text.
inline Error noSuchTextColumn(const std::filesystem::path& path, const std::string& column,
                              const TableColumns& columns) {
  const std::string remedy =
      columns.texts.empty() ? "it has no column of text" : "set data.text_field to one of " + joined(columns.texts);
  for (const std::string& other : columns.others)
    if (other.starts_with(column + " ("))
      return Error::config(formatText("the column {} of '{}' is no text; {}", other, path.native(), remedy));
  return Error::config(formatText("'{}' has no column '{}'; {}", path.native(), column, remedy));
}

inline Error severalColumns(const std::string& column) {
  return Error::config(formatText("several columns are named '{}'; give each a name of its own", column));
}

/// Reads and writes tables by libarrow and libparquet. Implemented in libbatchwise_tables.so, which is loaded when the
/// first table is; nothing else links them. Thread-safe.
class TableLibrary {
 public:
  virtual ~TableLibrary() = default;
  /// Returns the columns of a Parquet file or an Arrow IPC file or stream. Fails with NotFound, Io, Corrupt, or Config
  /// if it is none.
  virtual Result<TableColumns> columns(const std::filesystem::path& path) const = 0;
  /// Opens a column of texts as lines of JSON, {"<column>": "..."}, one for each row in their order. Fails like
  /// columns(), or with Config if there is no such column or it holds something else; reading fails with Corrupt.
  virtual Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& path, const std::string& column,
                                                   ColumnValues values) const = 0;
  /// Writes a Parquet file with a row per point: run, series, step, wall_time (UTC), value. Fails with Io.
  virtual Result<void> write(const std::filesystem::path& path, const std::string& run,
                             const ForEachPoint& points) const = 0;
};

/// Whether a file begins like a table; `head`: its first bytes.
inline bool isTable(std::string_view head) {
  using namespace std::string_view_literals;
  const bool isStream = head.size() >= 8 && head.starts_with("\xFF\xFF\xFF\xFF") && head[7] == '\0';
  // A text may begin like the others, but not with their control characters.
  return isStream || head.starts_with("ARROW1\0\0"sv) ||
         (head.starts_with("PAR1") && head.find_first_of("\0\x15"sv) != head.npos);
}

/// As TableLibrary, whose library is loaded from the folder of this program (Unsupported if it is missing or unusable),
/// or for Mds as openMds() and mdsColumns(). `format`: one of isTableFormat().
Result<TableColumns> tableColumns(const std::filesystem::path& path, TextFormat format);
Result<std::unique_ptr<ByteSource>> openTable(const std::filesystem::path& path, TextFormat format,
                                              const std::string& column, ColumnValues values = ColumnValues::Texts);
/// As TableLibrary::write().
Result<void> writeTable(const std::filesystem::path& path, const std::string& run, const ForEachPoint& points);
/// Exported by the library; what it returns lives as long as the process.
using TableLibraryFunction = const TableLibrary* (*)();

}  // namespace batchwise
