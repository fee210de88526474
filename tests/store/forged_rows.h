// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/store/integrity.h"

namespace batchwise::test {

/// Changes a workspace database as one who knows the checksums of runs: `sql`, then the checksums that fit.
inline void forgeRows(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database database(file, SQLite::OPEN_READWRITE);
  database.exec(sql);
  std::vector<std::int64_t> runs;
  SQLite::Statement numbers(database, "SELECT number FROM run");
  while (numbers.executeStep()) runs.push_back(numbers.getColumn(0).getInt64());
  numbers.reset();
  for (const std::int64_t run : runs) storeChecksums(database, run);
}

}  // namespace batchwise::test
