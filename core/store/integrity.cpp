// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/integrity.h"

#include <array>
#include <chrono>
#include <string_view>

#include "core/store/row_seal.h"

namespace batchwise {
namespace {

constexpr std::uintmax_t kWholeFileBytes = 8 << 20;
constexpr std::chrono::milliseconds kPatience{100};

/// In this order in a large file: few rows, and without them nothing can be found.
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
  return Error::corrupt("damaged: '" + file.native() + "': " + withoutHead(*answer) +
                        "; `batchwise store salvage` copies what can be read into a new workspace");
}

}  // namespace

Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file) {
  return guarded(database, file, [&]() -> Result<void> {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (!failure && bytes <= kWholeFileBytes) return checkIntegrity(*database, "PRAGMA integrity_check(1)", file);
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (const std::string table : kIndexTables) {
      if (std::chrono::steady_clock::now() > deadline) return {};
      if (auto fine = checkIntegrity(*database, "PRAGMA integrity_check('" + table + "')", file); !fine.ok())
        return fine;
    }
    return {};
  });
}

void checkStructure(SQLite::Database& database, std::vector<std::string>& problems) {
  SQLite::Statement integrity(database, "PRAGMA integrity_check");
  while (integrity.executeStep())
    if (const std::string line = integrity.getColumn(0).getString(); line != "ok")
      problems.push_back(withoutHead(line));
  SQLite::Statement dangling(database, "PRAGMA foreign_key_check");
  while (dangling.executeStep())
    problems.push_back("a row of table " + dangling.getColumn(0).getString() + " belongs to nothing");
  checkAllRows(database, problems);
}

}  // namespace batchwise
