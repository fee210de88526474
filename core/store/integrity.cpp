// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/integrity.h"

#include <array>
#include <bit>
#include <chrono>
#include <span>
#include <string>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/result.h"

namespace batchwise {
namespace {

/// A part of a run: its name in messages, the column of its checksum, and queries for its rows.
struct PartSql {
  const char* name;
  const char* column;
  std::array<const char*, 3> queries;
};
/// By RunPart.
constexpr std::array kParts{
    PartSql{"configuration",
            "launch_crc",
            {"SELECT id, config_yaml, resolved_yaml FROM run WHERE number=?",
             "SELECT name, value FROM run_value WHERE run=? ORDER BY name",
             "SELECT name, value FROM run_reference WHERE run=? ORDER BY name"}},
    PartSql{"newest figures",
            "figures_crc",
            {"SELECT at, loss, eval_loss, learning_rate, samples_per_sec, tokens_per_sec FROM run WHERE number=?"}},
    PartSql{"segments",
            "segments_crc",
            {"SELECT number, from_at, from_batch, from_step, checkpoint, started_ms, host, process_id, environment "
             "FROM segment WHERE run=? ORDER BY number"}},
    PartSql{"series", "series_crc", {"SELECT id, name, logged FROM series WHERE run=? ORDER BY id"}},
    PartSql{"checkpoints",
            "checkpoints_crc",
            {"SELECT id, segment, at, file, bytes, created_ms, reason, metric, pinned, verified, finite "
             "FROM checkpoint WHERE run=? ORDER BY number"}},
};

const PartSql& sqlOf(RunPart part) {
  return kParts[static_cast<std::size_t>(part)];
}

std::uint32_t addBytes(std::uint32_t crc, char type, std::span<const std::byte> bytes) {
  return crc32c(bytes, crc32c(std::as_bytes(std::span{&type, 1}), crc));
}

std::uint32_t addNumber(std::uint32_t crc, char type, std::int64_t number) {
  return addBytes(crc, type, std::as_bytes(std::span{&number, 1}));
}

std::uint32_t addColumn(std::uint32_t crc, const SQLite::Column& column) {
  if (column.isInteger()) return addNumber(crc, 'i', column.getInt64());
  if (column.isFloat()) return addNumber(crc, 'r', std::bit_cast<std::int64_t>(column.getDouble()));
  if (column.isNull()) return addNumber(crc, 'n', 0);
  const auto content = blobOf(column);
  return crc32c(content, addNumber(crc, column.isText() ? 't' : 'b', std::ssize(content)));
}

std::uint32_t addColumns(std::uint32_t crc, const SQLite::Statement& row, int first, int count) {
  for (int column = first; column < first + count; ++column) crc = addColumn(crc, row.getColumn(column));
  return crc;
}

std::int64_t checksumOf(SQLite::Database& database, const PartSql& part, std::int64_t run) {
  std::uint32_t crc = 0;
  for (const char* sql : part.queries) {
    if (sql == nullptr) break;
    SQLite::Statement query = prepare(database, sql, run);
    while (query.executeStep()) crc = addColumns(crc, query, 0, query.getColumnCount());
  }
  return crc;
}

bool hasChecksum(SQLite::Database& database, const PartSql& part, std::int64_t run) {
  const auto stored = queryInteger(database, "SELECT " + std::string(part.column) + " FROM run WHERE number=?", run);
  return stored == checksumOf(database, part, run);
}

constexpr std::uintmax_t kWholeFileBytes = 8 << 20;
constexpr std::chrono::milliseconds kTimeBudget{100};

/// Checked in this order in a large file: they have few rows, and all other rows are found through them.
constexpr std::array kIndexTables{"run_writer", "setting", "checkpoint", "segment", "metric_extent", "series", "run"};

std::string withoutHead(std::string line) {
  constexpr std::string_view kHead = "*** in database main ***\n";
  if (line.starts_with(kHead)) line.erase(0, kHead.size());
  return line;
}

Result<void> checkIntegrity(SQLite::Database& database, const std::string& sql, const std::filesystem::path& file) {
  const auto answer = queryText(database, sql.c_str());
  if (!answer || *answer == "ok") return {};
  return Error::corrupt(
      formatText("damaged: '{}': {}; `batchwise store restore` puts the newest good backup in its place", file.native(),
                 withoutHead(*answer)));
}

}  // namespace

void checkPart(SQLite::Database& database, RunPart part, std::int64_t run) {
  if (!hasChecksum(database, sqlOf(part), run))
    throwDamaged(formatText("run number {}: the checksum of its {} differs", run, sqlOf(part).name));
}

void checkPartOfAll(SQLite::Database& database, RunPart part) {
  SQLite::Statement runs(database, "SELECT number FROM run");
  while (runs.executeStep()) checkPart(database, part, runs.getColumn(0).getInt64());
}

void storeChecksum(SQLite::Database& database, RunPart part, std::int64_t run) {
  const PartSql& sql = sqlOf(part);
  execute(database, "UPDATE run SET " + std::string(sql.column) + "=? WHERE number=?", checksumOf(database, sql, run),
          run);
}

void storeChecksums(SQLite::Database& database, std::int64_t run) {
  for (std::size_t part = 0; part < kParts.size(); ++part) storeChecksum(database, static_cast<RunPart>(part), run);
}

std::int64_t checksumOfColumns(const SQLite::Statement& row, int first, int count, std::int64_t crc) {
  return addColumns(static_cast<std::uint32_t>(crc), row, first, count);
}

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

void checkStructure(SQLite::Database& database, std::vector<std::string>& problems) {
  SQLite::Statement integrity(database, "PRAGMA integrity_check");
  while (integrity.executeStep())
    if (const std::string line = integrity.getColumn(0).getString(); line != "ok")
      problems.push_back(withoutHead(line));
  SQLite::Statement dangling(database, "PRAGMA foreign_key_check");
  while (dangling.executeStep())
    problems.push_back(
        formatText("table {}: a row refers to a record that does not exist", dangling.getColumn(0).getString()));
  SQLite::Statement runs(database, "SELECT number FROM run");
  while (runs.executeStep())
    for (const PartSql& part : kParts)
      if (const std::int64_t run = runs.getColumn(0).getInt64(); !hasChecksum(database, part, run))
        problems.push_back(formatText("run number {}: the checksum of its {} differs", run, part.name));
}

}  // namespace batchwise
