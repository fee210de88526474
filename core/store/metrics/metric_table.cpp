// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>

#include "core/base/return_if_error.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/row_checksum.h"

namespace batchwise {
namespace {

/// A series in one segment.
struct SeriesSegment {
  std::int64_t series = 0;
  std::int64_t segment = 0;
};

std::vector<SeriesBucket> summarize(std::span<const SeriesBucket> finer) {
  std::vector<SeriesBucket> nodes;
  for (std::size_t i = 0; i < finer.size(); ++i) {
    if (i % kNodeFanout == 0) nodes.emplace_back();
    mergeBucket(nodes.back(), finer[i]);
  }
  return nodes;
}

/// Returns SQL that inserts a row with its checksum, so that a row of many pages is written once. `insert` names the
/// table, its key `id`, further columns and `crc`; `values` are parameters for the further columns.
std::string insertWithChecksumSql(const std::string& insert, const std::string& table, const std::string& values) {
  return insert + " SELECT id, " + values + ", " + rowChecksumSql(table, "id, " + values) +
         " FROM (SELECT coalesce(max(id), 0) + 1 AS id FROM " + table + ")";
}

/// Prepared once for all series of a block, because SQLite also compiles the triggers each time.
struct BlockStatements {
  explicit BlockStatements(SQLite::Database& database)
      : insertBlock(database,
                    insertWithChecksumSql("INSERT INTO metric_block(id, series, segment, first, last, data, crc)",
                                          "metric_block", "?1, ?2, ?3, ?4, ?5")),
        insertLevel(database, insertWithChecksumSql(
                                  "INSERT INTO metric_level(id, series, segment, level, first, last, nodes, data, crc)",
                                  "metric_level", "?1, ?2, ?3, ?4, ?5, ?6, ?7")),
        removeLevel(database, "DELETE FROM metric_level WHERE id=?") {}

  SQLite::Statement insertBlock, insertLevel, removeLevel;
};

void insertNodes(BlockStatements& statements, const SeriesSegment& key, int level,
                 std::span<const SeriesBucket> nodes) {
  SQLite::Statement& insert = statements.insertLevel;
  const Bytes data = encodeNodes(key.series, nodes);
  insert.reset();
  insert.bind(1, key.series);
  insert.bind(2, key.segment);
  insert.bind(3, level);
  insert.bind(4, nodes.front().firstBatch);
  insert.bind(5, nodes.back().lastBatch);
  insert.bind(6, static_cast<std::int64_t>(nodes.size()));
  bindBlob(insert, 7, data);
  insert.exec();
}

/// Fills up the last stored row of a level, then adds new rows.
Result<void> appendNodes(SQLite::Database& database, BlockStatements& statements, const SeriesSegment& key, int level,
                         std::vector<SeriesBucket> nodes) {
  SQLite::Statement last(
      database,
      "SELECT id, data FROM metric_level_checked WHERE series=? AND segment=? AND level=? AND nodes < ? "
      "ORDER BY first DESC LIMIT 1");
  last.bind(1, key.series);
  last.bind(2, key.segment);
  last.bind(3, level);
  last.bind(4, static_cast<std::int64_t>(kNodesPerRow));
  if (last.executeStep()) {
    ASSIGN_OR_RETURN(auto stored, decodeNodes(key.series, blobOf(last.getColumn(1))));
    const std::int64_t id = last.getColumn(0).getInt64();
    last.reset();
    nodes.insert(nodes.begin(), stored.begin(), stored.end());
    statements.removeLevel.reset();
    statements.removeLevel.bind(1, id);
    statements.removeLevel.exec();
  }
  for (std::size_t at = 0; at < nodes.size(); at += kNodesPerRow)
    insertNodes(statements, key, level, std::span{nodes}.subspan(at, std::min(kNodesPerRow, nodes.size() - at)));
  return {};
}

std::int64_t coveredUntil(SQLite::Database& database, const SeriesSegment& key, int level) {
  SQLite::Statement query(database,
                          "SELECT last FROM metric_level_checked WHERE series=? AND segment=? AND level=? "
                          "ORDER BY first DESC LIMIT 1");
  query.bind(1, key.series);
  query.bind(2, key.segment);
  query.bind(3, level);
  return query.executeStep() ? query.getColumn(0).getInt64() : std::numeric_limits<std::int64_t>::min();
}

/// Returns the nodes of `level` that no node of the next level summarizes yet.
Result<std::vector<SeriesBucket>> unsummarizedNodes(SQLite::Database& database, const SeriesSegment& key, int level) {
  const std::int64_t covered = coveredUntil(database, key, level + 1);
  SQLite::Statement query(
      database,
      "SELECT data FROM metric_level_checked WHERE series=?1 AND segment=?2 AND level=?3 AND first >= "
      "coalesce((SELECT max(first) FROM metric_level WHERE series=?1 AND segment=?2 AND level=?3 AND "
      "first <= ?4), ?4) ORDER BY first");
  query.bind(1, key.series);
  query.bind(2, key.segment);
  query.bind(3, level);
  query.bind(4, covered);
  std::vector<SeriesBucket> open;
  while (query.executeStep()) {
    ASSIGN_OR_RETURN(const auto nodes, decodeNodes(key.series, blobOf(query.getColumn(0))));
    for (const SeriesBucket& node : nodes)
      if (node.firstBatch > covered) open.push_back(node);
  }
  return open;
}

/// Summarizes complete groups of nodes, level by level.
Result<void> extendPyramid(SQLite::Database& database, BlockStatements& statements, const SeriesSegment& key) {
  for (int level = 1;; ++level) {
    ASSIGN_OR_RETURN(auto open, unsummarizedNodes(database, key, level));
    const std::size_t whole = open.size() / kNodeFanout * kNodeFanout;
    if (whole == 0) return {};
    auto added = appendNodes(database, statements, key, level + 1, summarize(std::span{open}.first(whole)));
    if (!added.ok()) return added;
  }
}

Result<void> storeBlock(SQLite::Database& database, BlockStatements& statements, const SeriesSegment& key,
                        const std::vector<SeriesPoint>& points) {
  SQLite::Statement& insert = statements.insertBlock;
  const Bytes data = encodeBlock(key.series, points);
  insert.reset();
  insert.bind(1, key.series);
  insert.bind(2, key.segment);
  insert.bind(3, points.front().batch);
  insert.bind(4, points.back().batch);
  bindBlob(insert, 5, data);
  insert.exec();
  std::vector<SeriesBucket> single;
  single.reserve(points.size());
  for (const SeriesPoint& point : points) single.push_back(bucketOf(point));
  insertNodes(statements, key, 1, summarize(single));
  return extendPyramid(database, statements, key);
}

}  // namespace

Result<void> insertBlock(SQLite::Database& database, std::int64_t series, std::int64_t segment,
                         const std::vector<SeriesPoint>& points) {
  BlockStatements statements(database);
  return storeBlock(database, statements, {series, segment}, points);
}

MetricTable::KindState& MetricTable::stateOf(SQLite::Database& database, RowKind kind) {
  KindState& state = kinds_[static_cast<std::size_t>(kind)];
  if (state.known) return state;
  SQLite::Statement query(database,
                          "SELECT (SELECT count(*) FROM metric_row WHERE run=?1 AND segment=?2 AND kind=?3), "
                          "(SELECT until FROM metric_sealed_checked WHERE run=?1 AND segment=?2 AND kind=?3)");
  query.bind(1, run_);
  query.bind(2, segment_);
  query.bind(3, static_cast<int>(kind));
  query.executeStep();
  state.rows = query.getColumn(0).getInt64();
  state.sealedUntil =
      query.getColumn(1).isNull() ? std::numeric_limits<std::int64_t>::min() : query.getColumn(1).getInt64();
  state.known = true;
  return state;
}

std::int64_t MetricTable::seriesId(SQLite::Database& database, const std::string& name) {
  if (const auto found = seriesIds_.find(name); found != seriesIds_.end()) return found->second;
  SQLite::Statement insert(database, "INSERT OR IGNORE INTO series(run, name) VALUES(?,?)");
  insert.bind(1, run_);
  insert.bind(2, name);
  insert.exec();
  SQLite::Statement query(database, "SELECT id FROM series_checked WHERE run=? AND name=?");
  query.bind(1, run_);
  query.bind(2, name);
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
  const Bytes data = encodeRow(position, row);
  if (!insertRow_) {
    insertRow_ = std::make_unique<SQLite::Statement>(
        database, "INSERT OR IGNORE INTO metric_row(run, segment, kind, position, data, crc) VALUES(?1,?2,?3,?4,?5," +
                      rowChecksumSql("metric_row", "?1,?2,?3,?4,?5") + ")");
  }
  insertRow_->tryReset();
  insertRow_->bind(1, run_);
  insertRow_->bind(2, segment_);
  insertRow_->bind(3, static_cast<int>(kind));
  insertRow_->bind(4, position);
  bindBlob(*insertRow_, 5, data);
  state.rows += insertRow_->exec();
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
    SQLite::Statement query(database,
                            "SELECT position, data FROM metric_row_checked WHERE run=? AND segment=? AND kind=? "
                            "ORDER BY position LIMIT ?");
    query.bind(1, run_);
    query.bind(2, segment_);
    query.bind(3, static_cast<int>(kind));
    query.bind(4, static_cast<std::int64_t>(kBlockPoints));
    while (query.executeStep()) {
      until = query.getColumn(0).getInt64();
      ASSIGN_OR_RETURN(const auto row, decodeRow(until, blobOf(query.getColumn(1))));
      for (const RowValue& value : row) pointsOf[value.series].push_back({until, value.value});
    }
  }
  BlockStatements statements(database);
  for (const auto& [series, points] : pointsOf)
    RETURN_IF_ERROR(storeBlock(database, statements, {series, segment_}, points));
  SQLite::Statement remove(database, "DELETE FROM metric_row WHERE run=? AND segment=? AND kind=? AND position<=?");
  remove.bind(1, run_);
  remove.bind(2, segment_);
  remove.bind(3, static_cast<int>(kind));
  remove.bind(4, until);
  KindState& state = stateOf(database, kind);
  state.rows -= remove.exec();
  state.sealedUntil = until;
  SQLite::Statement mark(database,
                         "INSERT INTO metric_sealed(run, segment, kind, until) VALUES(?,?,?,?) "
                         "ON CONFLICT(run, segment, kind) DO UPDATE SET until=excluded.until");
  mark.bind(1, run_);
  mark.bind(2, segment_);
  mark.bind(3, static_cast<int>(kind));
  mark.bind(4, until);
  mark.exec();
  return {};
}

void MetricTable::onRollback() {
  kinds_ = {};
  seriesIds_.clear();
  insertRow_.reset();  // resetting a failed statement would report its error again
}

}  // namespace batchwise
