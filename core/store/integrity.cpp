// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/integrity.h"

#include <array>
#include <chrono>
#include <string_view>

namespace batchwise {
namespace {

constexpr std::uintmax_t kWholeFileBytes = 8 << 20;
constexpr std::chrono::milliseconds kPatience{100};

/// In this order in a large file: few rows, and without them nothing can be found.
constexpr std::array kIndexTables{"run_writer", "setting", "checkpoint", "segment", "metric_sealed", "series"};

/// SQLite says by a number that a page fails its checksum (SQLITE_IOERR_DATA).
std::string inWords(std::string line) {
  constexpr std::string_view kHead = "*** in database main ***\n";
  constexpr std::string_view kByNumber = "unable to get the page. error code=8202";
  if (line.starts_with(kHead)) line.erase(0, kHead.size());
  for (std::size_t at = line.find(kByNumber); at != std::string::npos; at = line.find(kByNumber))
    line.replace(at, kByNumber.size(), "fails its checksum");
  return line;
}

Result<void> quickCheck(SQLite::Database& database, const std::string& sql, const std::filesystem::path& file) {
  const auto answer = queryText(database, sql.c_str());
  if (!answer || *answer == "ok") return {};
  return Error::corrupt("damaged: '" + file.native() + "': " + inWords(*answer) +
                        "; `batchwise store salvage` copies what can be read into a new workspace");
}

}  // namespace

Result<void> checkQuickly(const std::unique_ptr<SQLite::Database>& database, const std::filesystem::path& file) {
  return guarded(database, file, [&]() -> Result<void> {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (!failure && bytes <= kWholeFileBytes) return quickCheck(*database, "PRAGMA quick_check(1)", file);
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (const std::string table : kIndexTables) {
      if (std::chrono::steady_clock::now() > deadline) return {};
      if (auto fine = quickCheck(*database, "PRAGMA quick_check('" + table + "')", file); !fine.ok()) return fine;
    }
    return {};
  });
}

void checkStructure(SQLite::Database& database, std::vector<std::string>& problems) {
  SQLite::Statement integrity(database, "PRAGMA integrity_check");
  while (integrity.executeStep())
    if (const std::string line = integrity.getColumn(0).getString(); line != "ok") problems.push_back(inWords(line));
  SQLite::Statement dangling(database, "PRAGMA foreign_key_check");
  while (dangling.executeStep())
    problems.push_back("a row of table " + dangling.getColumn(0).getString() + " belongs to nothing");
}

}  // namespace batchwise
