// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/store/database.h"
#include "core/store/metrics/metric_codec.h"

namespace batchwise {

/// One stored value: NULL, INTEGER, REAL, TEXT or BLOB.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;
using Row = std::vector<Cell>;

/// A table by its columns, in the order in which rows are given; `key` counts columns of the primary key, which come
/// first.
struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::size_t key = 1;
};

/// The shape of a table as `database` has it. Throws what SQLite throws.
TableShape shapeOf(SQLite::Database& database, const std::string& table);

/// Reads what can be read of a table whose file may be damaged, each row once: from the front to the damage, from the
/// back to it, and between them from wherever a key can be found again. Returns what could not be read, in words;
/// empty: all was. Throws what SQLite throws for other reasons than damage.
std::vector<std::string> scanTable(SQLite::Database& database, const TableShape& shape,
                                   const std::function<void(const Row&)>& visit);

}  // namespace batchwise
