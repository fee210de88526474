// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/result.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"

namespace batchwise {
namespace {

/// Returns SQL that inserts a row with its checksum, so that a row of many pages is written once. `insert` names the
/// table, its key `id`, further columns and `crc`; `values` are parameters for the further columns.
std::string insertWithChecksumSql(const std::string& insert, const std::string& table, const std::string& values) {
  return insert + " SELECT id, " + values + ", " + rowChecksumSql(table, "id, " + values) +
         " FROM (SELECT coalesce(max(id), 0) + 1 AS id FROM " + table + ")";
}

}  // namespace

MetricTable::KindState& MetricTable::stateOf(SQLite::Database& database, RowKind kind) {
  KindState& state = kinds_[static_cast<std::size_t>(kind)];
  if (state.known) return state;
  state.rows = queryInteger(database, "SELECT count(*) FROM metric_row WHERE run=? AND segment=? AND kind=?", run_,
                            segment_, kind)
                   .value_or(0);
  state.sealedUntil =
      queryInteger(database, "SELECT until FROM metric_sealed_checked WHERE run=? AND segment=? AND kind=?", run_,
                   segment_, kind)
          .value_or(kFirstPosition);
  state.known = true;
  return state;
}

std::int64_t MetricTable::seriesId(SQLite::Database& database, const std::string& name) {
  if (const auto found = seriesIds_.find(name); found != seriesIds_.end()) return found->second;
  execute(database, "INSERT OR IGNORE INTO series(run, name) VALUES(?,?)", run_, name);
  SQLite::Statement query = prepare(database, "SELECT id FROM series_checked WHERE run=? AND name=?", run_, name);
  query.executeStep();
  return seriesIds_[name] = query.getColumn(0).getInt64();
}

void MetricTable::insert(SQLite::Database& database, RowKind kind, std::int64_t position,
                         const std::vector<NamedValue>& values) {
  KindState& state = stateOf(database, kind);
  if (position <= state.sealedUntil) return;
  std::vector<RowValue> row;
  row.reserve(values.size());
  for (const NamedValue& value : values) row.push_back({seriesId(database, value.series), value.value});
  if (!insertRow_) {
    insertRow_ = std::make_unique<SQLite::Statement>(
        database, "INSERT OR IGNORE INTO metric_row(run, segment, kind, position, data, crc) VALUES(?1,?2,?3,?4,?5," +
                      rowChecksumSql("metric_row", "?1,?2,?3,?4,?5") + ")");
  }
  state.rows += execute(*insertRow_, run_, segment_, kind, position, encodeRow(position, row));
}

Result<void> MetricTable::sealFullBlocks(SQLite::Database& database) {
  for (const RowKind kind : {RowKind::Batch, RowKind::Eval, RowKind::Step}) {
    while (stateOf(database, kind).rows >= static_cast<std::int64_t>(2 * kBlockPoints))
      RETURN_IF_ERROR(sealBlock(database, kind));
  }
  return {};
}

Result<void> MetricTable::sealBlock(SQLite::Database& database, RowKind kind) {
  std::map<std::int64_t, std::vector<SeriesPoint>> pointsOf;
  std::int64_t until = 0;
  {
    SQLite::Statement query =
        prepare(database,
                "SELECT position, data FROM metric_row_checked WHERE run=? AND segment=? AND kind=? "
                "ORDER BY position LIMIT ?",
                run_, segment_, kind, kBlockPoints);
    while (query.executeStep()) {
      until = query.getColumn(0).getInt64();
      ASSIGN_OR_RETURN(const auto row, decodeRow(until, blobOf(query.getColumn(1))));
      for (const RowValue& value : row) pointsOf[value.series].push_back({until, value.value});
    }
  }
  SQLite::Statement insert(database, insertWithChecksumSql("INSERT INTO metric_block(id, series, segment, first, last, data, crc)",
                                                           "metric_block", "?1, ?2, ?3, ?4, ?5"));
  for (const auto& [series, points] : pointsOf)
    execute(insert, series, segment_, points.front().batch, points.back().batch, encodeBlock(series, points));
  KindState& state = stateOf(database, kind);
  state.rows -= execute(database, "DELETE FROM metric_row WHERE run=? AND segment=? AND kind=? AND position<=?", run_,
                        segment_, kind, until);
  state.sealedUntil = until;
  execute(database,
          "INSERT INTO metric_sealed(run, segment, kind, until) VALUES(?,?,?,?) "
          "ON CONFLICT(run, segment, kind) DO UPDATE SET until=excluded.until",
          run_, segment_, kind, until);
  return {};
}

void MetricTable::onRollback() {
  kinds_ = {};
  seriesIds_.clear();
  insertRow_.reset();  // resetting a failed statement would report its error again
}

}  // namespace batchwise
