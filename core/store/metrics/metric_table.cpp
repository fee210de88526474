// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"

namespace batchwise {

MetricExtent& MetricTable::extentOf(SQLite::Database& database, RowKind kind) {
  auto& extent = extents_[static_cast<std::size_t>(kind)];
  if (!extent) extent = readExtent(database, run_, segment_, kind);
  return *extent;
}

std::int64_t MetricTable::seriesId(SQLite::Database& database, const std::string& name) {
  if (const auto found = seriesIds_.find(name); found != seriesIds_.end()) return found->second;
  changePart(database, RunPart::Series, run_,
             [&] { execute(database, "INSERT OR IGNORE INTO series(run, name) VALUES(?,?)", run_, name); });
  return seriesIds_[name] =
             queryInteger(database, "SELECT id FROM series WHERE run=? AND name=?", run_, name).value_or(0);
}

void MetricTable::insert(SQLite::Database& database, RowKind kind, std::int64_t position,
                         const std::vector<NamedValue>& values) {
  MetricExtent& extent = extentOf(database, kind);
  if (position <= extent.until) return;
  std::vector<RowValue> row;
  row.reserve(values.size());
  for (const NamedValue& value : values) row.push_back({seriesId(database, value.series), value.value});
  if (!insertRow_)
    insertRow_ = std::make_unique<SQLite::Statement>(
        database, "INSERT OR IGNORE INTO metric_row(run, segment, kind, position, data) VALUES(?,?,?,?,?)");
  const MetricKey key{run_, segment_, static_cast<std::int64_t>(kind), position};
  extent.rows += execute(*insertRow_, run_, segment_, kind, position, encodeRow(key, row));
}

Result<void> MetricTable::finishTransaction(SQLite::Database& database) {
  for (const RowKind kind : {RowKind::Batch, RowKind::Eval, RowKind::Step}) {
    auto& extent = extents_[static_cast<std::size_t>(kind)];
    if (!extent) continue;
    while (extent->rows >= static_cast<std::int64_t>(2 * kBlockPoints)) RETURN_IF_ERROR(sealBlock(database, kind));
    execute(database,
            "INSERT INTO metric_extent(run, segment, kind, data) VALUES(?,?,?,?) "
            "ON CONFLICT(run, segment, kind) DO UPDATE SET data=excluded.data",
            run_, segment_, kind, encodeExtent({run_, segment_, static_cast<std::int64_t>(kind)}, *extent));
    extent.reset();  // another process may go on with it
  }
  return {};
}

Result<void> MetricTable::sealBlock(SQLite::Database& database, RowKind kind) {
  MetricExtent& extent = extentOf(database, kind);
  std::map<std::int64_t, std::vector<SeriesPoint>> pointsOf;
  {
    SQLite::Statement query = prepare(database,
                                      "SELECT position, data FROM metric_row WHERE run=? AND segment=? AND kind=? "
                                      "ORDER BY position LIMIT ?",
                                      run_, segment_, kind, kBlockPoints);
    while (query.executeStep()) {
      extent.until = query.getColumn(0).getInt64();
      const MetricKey key{run_, segment_, static_cast<std::int64_t>(kind), extent.until};
      ASSIGN_OR_RETURN(const auto row, decodeRow(key, blobOf(query.getColumn(1))));
      for (const RowValue& value : row) pointsOf[value.series].push_back({extent.until, value.value});
    }
  }
  SQLite::Statement insert(database, "INSERT INTO metric_block(series, segment, number, data) VALUES(?,?,?,?)");
  for (const auto& [series, points] : pointsOf) {
    const std::int64_t number = extent.blocks[series]++;
    execute(insert, series, segment_, number, encodeBlock({series, segment_, number}, points));
  }
  extent.rows -= execute(database, "DELETE FROM metric_row WHERE run=? AND segment=? AND kind=? AND position<=?", run_,
                         segment_, kind, extent.until);
  return {};
}

void MetricTable::onRollback() {
  extents_ = {};
  seriesIds_.clear();
  insertRow_.reset();  // resetting a failed statement would report its error again
}

}  // namespace batchwise
