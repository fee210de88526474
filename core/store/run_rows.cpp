// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/run_rows.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/integrity.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

Error noSuchRun(SQLite::Database& database, std::string_view asked) {
  const auto names = queryTexts(database, "SELECT name FROM run");
  if (names.empty()) return Error::notFound(formatText("there is no run '{}': the workspace has none yet", asked));
  const std::string meant = nearestNameText(asked, names);
  return Error::notFound(
      formatText("there is no run '{}'{}", asked, meant.empty() ? "; `batchwise runs list` lists all runs" : meant));
}

/// Returns the number of the run whose `column` is `value`. The second query ("+column") avoids the index, because a
/// damaged index must not hide a run.
std::optional<std::int64_t> numberWhere(SQLite::Database& database, const std::string& column, std::string_view value) {
  for (const char* direct : {"", "+"}) {
    SQLite::Statement query =
        prepare(database, "SELECT number FROM run WHERE " + (direct + column) + " = ?", std::string{value});
    if (query.executeStep()) return query.getColumn(0).getInt64();
  }
  return std::nullopt;
}

Result<std::int64_t> runByPrefix(SQLite::Database& database, std::string_view prefix) {
  constexpr std::size_t kShortest = 4;
  if (prefix.size() < kShortest) return noSuchRun(database, prefix);
  SQLite::Statement query = prepare(database, "SELECT number, id FROM run WHERE substr(id, 1, ?) = ?",
                                    static_cast<std::int64_t>(prefix.size()), std::string{prefix});
  std::vector<std::int64_t> numbers;
  std::string ids;
  while (query.executeStep()) {
    numbers.push_back(query.getColumn(0).getInt64());
    ids += (ids.empty() ? "" : ", ") + query.getColumn(1).getString();
  }
  if (numbers.empty()) return noSuchRun(database, prefix);
  if (numbers.size() > 1)
    return Error::notFound(formatText("'{}' begins more than one run id ({}); type more of it", prefix, ids));
  return numbers.front();
}

}  // namespace

Result<std::int64_t> runNumber(SQLite::Database& database, std::string_view id) {
  if (const auto number = numberWhere(database, "id", id)) return *number;
  return noSuchRun(database, id);
}

Result<std::int64_t> findRunNumber(SQLite::Database& database, std::string_view asked) {
  if (const auto exact = numberWhere(database, "id", asked)) return *exact;
  if (asked == "latest") {
    if (const auto newest = queryInteger(database, "SELECT number FROM run WHERE " + std::string(kHasBegun) +
                                                       " ORDER BY created_ms DESC, number DESC LIMIT 1"))
      return *newest;
    return noSuchRun(database, asked);
  }
  if (const auto named = numberWhere(database, "name", asked)) return *named;
  return runByPrefix(database, asked);
}

bool isNameTaken(SQLite::Database& database, const std::string& name, std::int64_t except) {
  return hasRow(database, "SELECT 1 FROM run WHERE name=? AND number<>?", name, except);
}

void replaceTags(SQLite::Database& database, std::int64_t run, const std::vector<std::string>& tags) {
  execute(database, "DELETE FROM run_tag WHERE run=?", run);
  SQLite::Statement insert(database, "INSERT INTO run_tag(run, position, tag) VALUES(?,?,?)");
  std::vector<std::string> seen;
  for (const std::string& tag : tags) {
    if (tag.empty() || std::find(seen.begin(), seen.end(), tag) != seen.end()) continue;
    execute(insert, run, static_cast<std::int64_t>(seen.size()), tag);
    seen.push_back(tag);
  }
}

void insertResolvedValues(SQLite::Database& database, std::int64_t run,
                          const std::map<std::string, std::string>& resolvedValues,
                          const std::map<std::string, double>& references) {
  SQLite::Statement value(database, "INSERT INTO run_value(run, name, value) VALUES(?,?,?)");
  for (const auto& [name, text] : resolvedValues) {
    execute(value, run, name, text);
  }
  SQLite::Statement reference(database, "INSERT INTO run_reference(run, name, value) VALUES(?,?,?)");
  for (const auto& [name, level] : references) {
    execute(reference, run, name, level);
  }
}

void replaceLaunch(SQLite::Database& database, std::int64_t run, const NewRun& launch) {
  changePart(database, RunPart::Launch, run, [&] {
    execute(database, "DELETE FROM run_value WHERE run=?", run);
    execute(database, "DELETE FROM run_reference WHERE run=?", run);
    insertResolvedValues(database, run, launch.resolvedValues, launch.references);
    execute(database, "UPDATE run SET config_yaml=?, resolved_yaml=?, planned_batches=? WHERE number=?",
            launch.configYaml, launch.resolvedYaml, launch.plannedBatches, run);
  });
}

std::string uniqueRunName(SQLite::Database& database, const std::string& wanted) {
  return freeRunName(wanted, [&database](const std::string& name) { return isNameTaken(database, name); });
}

void insertRun(SQLite::Database& database, const NewRun& run, const std::string& id, std::int64_t nowMs) {
  execute(database,
          "INSERT INTO run(id, name, status, created_ms, planned_batches, parent, why, config_yaml, resolved_yaml, "
          "source, source_path) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
          id, uniqueRunName(database, run.name), RunStatus::Created, nowMs, run.plannedBatches, run.parent, run.why,
          run.configYaml, run.resolvedYaml, run.source, run.sourcePath);
  const std::int64_t number = database.getLastInsertRowid();
  insertResolvedValues(database, number, run.resolvedValues, run.references);
  replaceTags(database, number, run.tags);
  storeChecksums(database, number);
}

std::int64_t nextSegment(SQLite::Database& database, std::int64_t run) {
  return queryInteger(database, "SELECT coalesce(max(number), -1) + 1 FROM segment WHERE run=?", run).value_or(0);
}

void insertSegment(SQLite::Database& database, std::int64_t run, const RunSegment& segment) {
  changePart(database, RunPart::Segments, run, [&] {
    execute(database,
            "INSERT INTO segment(run, number, from_at, from_batch, from_step, checkpoint, started_ms, "
            "host, process_id, environment) VALUES(?,?,?,?,?,?,?,?,?,?)",
            run, segment.number, timestampText(segment.from), segment.from.batch, segment.from.step, segment.checkpoint,
            segment.startedMs, segment.host, segment.processId, segment.environment);
  });
}

void insertEvent(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t wallMs,
                 const RunEvent& event) {
  const auto at = timestampOf(event);
  const auto step = at ? std::optional{at->step} : std::nullopt;
  execute(database, "INSERT INTO event(run, segment, wall_ms, step, json) VALUES(?,?,?,?,?)", run, segment, wallMs,
          step, eventToLine(event));
}

void insertCheckpoint(SQLite::Database& database, std::int64_t run, const CheckpointRecord& record) {
  changePart(database, RunPart::Checkpoints, run, [&] {
    execute(database,
            "INSERT INTO checkpoint(id, run, segment, at, file, bytes, created_ms, reason, metric, pinned, "
            "verified, finite) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            record.id, run, record.segment, timestampText(record.at), record.file, record.bytes, record.createdMs,
            record.reason, record.metric, record.pinned, record.verified, record.finite);
  });
}

void deleteCheckpointRow(SQLite::Database& database, std::string_view id) {
  const auto run = queryInteger(database, "SELECT run FROM checkpoint WHERE id=?", id);
  if (!run) return;
  if (const auto file = queryText(database, "SELECT file FROM checkpoint WHERE id=?", id))
    deleteScores(database, *run, *file);
  changePart(database, RunPart::Checkpoints, *run, [&] { execute(database, "DELETE FROM checkpoint WHERE id=?", id); });
}

void putSetting(SQLite::Database& database, const std::string& key, const std::string& value) {
  execute(database, "INSERT INTO setting(key, value) VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value",
          key, value);
}

}  // namespace batchwise
