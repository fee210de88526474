// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/integrity.h"

#include <array>
#include <chrono>
#include <string_view>

#include "core/base/return_if_error.h"
#include "core/store/messages.h"
#include "core/store/row_checksum.h"

namespace batchwise {
namespace {

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
