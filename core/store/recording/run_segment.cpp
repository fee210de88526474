// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_segment.h"

#include <algorithm>
#include <array>

#include "core/base/return_if_error.h"
#include "core/store/messages.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

/// Replaces the configuration and resolved values of a run that starts again.
void replaceResolvedValues(SQLite::Database& database, std::int64_t run, const NewRun& restart) {
  for (const char* sql : {"DELETE FROM run_value WHERE run=?", "DELETE FROM run_reference WHERE run=?"}) {
    SQLite::Statement remove(database, sql);
    remove.bind(1, run);
    remove.exec();
  }
  insertResolvedValues(database, run, restart.resolvedValues, restart.references);
  SQLite::Statement update(database, "UPDATE run SET config_yaml=?, resolved_yaml=?, planned_batches=? WHERE number=?");
  update.bind(1, restart.configYaml);
  update.bind(2, restart.resolvedYaml);
  update.bind(3, restart.plannedBatches);
  update.bind(4, run);
  update.exec();
}

std::int64_t appendSegment(SQLite::Database& database, const RunClaim& claim, const RunRecorder::SegmentStart& start) {
  SQLite::Statement newest(database, "SELECT coalesce(max(number), -1) + 1 FROM segment_checked WHERE run=?");
  newest.bind(1, claim.run);
  newest.executeStep();
  const std::int64_t number = newest.getColumn(0).getInt64();
  insertSegment(database, claim.run,
                {number, start.from, start.checkpoint, claim.heartbeatMs, claim.process.host, claim.process.processId,
                 start.environment});
  if (start.restart) replaceResolvedValues(database, claim.run, *start.restart);
  if (start.resolvedYaml.empty()) return number;
  SQLite::Statement update(database, "UPDATE run SET resolved_yaml=? WHERE number=?");
  update.bind(1, start.resolvedYaml);
  update.bind(2, claim.run);
  update.exec();
  return number;
}

/// Returns the newest value of a series that is not superseded, in [from, to].
Result<std::optional<double>> valueAt(SQLite::Database& database, std::int64_t run, const std::string& name,
                                      std::int64_t from, std::int64_t to) {
  SQLite::Statement query(database, "SELECT id FROM series_checked WHERE run=? AND name=?");
  query.bind(1, run);
  query.bind(2, name);
  if (!query.executeStep()) return std::optional<double>{};
  const SeriesKey key{run, query.getColumn(0).getInt64(), kindOfSeries(name)};
  std::vector<SeriesPoint> points;
  for (SegmentRange range : currentRanges(database, run, key.kind)) {
    range.from = std::max(range.from, from);
    range.to = std::min(range.to, to);
    RETURN_IF_ERROR(readPoints(database, key, range, points));
  }
  if (points.empty()) return std::optional<double>{};
  return std::optional{points.back().value};
}

/// Sets the summary of a run to its values at `from`, where it resumes.
Result<void> resetSummary(SQLite::Database& database, std::int64_t run, const Timestamp& from) {
  struct SummaryField {
    const char* series;
    std::int64_t since;
  };
  const std::array fields{SummaryField{"loss", from.batch}, SummaryField{"eval.loss", 0},
                          SummaryField{"lr", from.batch}, SummaryField{"samples_per_sec", from.batch},
                          SummaryField{"tokens_per_sec", from.batch}};
  SQLite::Statement update(database,
                           "UPDATE run SET status='running', reason='', ended_ms=0, at=?, loss=?, eval_loss=?, "
                           "learning_rate=?, samples_per_sec=?, tokens_per_sec=? WHERE number=?");
  update.bind(1, timestampText(from));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ASSIGN_OR_RETURN(const auto value, valueAt(database, run, fields[i].series, fields[i].since, from.batch));
    bindDouble(update, static_cast<int>(i) + 2, value);
  }
  update.bind(7, run);
  update.exec();
  return {};
}

}  // namespace

void insertSegment(SQLite::Database& database, std::int64_t run, const RunSegment& segment) {
  SQLite::Statement insert(database,
                           "INSERT INTO segment(run, number, from_at, from_batch, from_step, checkpoint, started_ms, "
                           "host, process_id, environment) VALUES(?,?,?,?,?,?,?,?,?,?)");
  insert.bind(1, run);
  insert.bind(2, segment.number);
  insert.bind(3, timestampText(segment.from));
  insert.bind(4, segment.from.batch);
  insert.bind(5, segment.from.step);
  insert.bind(6, segment.checkpoint);
  insert.bind(7, segment.startedMs);
  insert.bind(8, segment.host);
  insert.bind(9, segment.processId);
  insert.bind(10, segment.environment);
  insert.exec();
}

Result<std::int64_t> openSegment(SQLite::Database& database, RunClaim claim, const RunRecorder::SegmentStart& start,
                                 const std::filesystem::path& folder) {
  if (const auto holder = claimOn(database, claim.run); holder && !holder->isDeadAt(claim.heartbeatMs, folder))
    return Error{ErrorCode::Busy, messages::runWrittenByProcess(holder->process.processId, holder->process.host), {}};
  claim.segment = appendSegment(database, claim, start);
  storeClaim(database, claim);
  RETURN_IF_ERROR(resetSummary(database, claim.run, start.from));
  return claim.segment;
}

}  // namespace batchwise
