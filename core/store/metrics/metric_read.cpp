// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/result.h"
#include "core/store/integrity.h"
#include "core/store/messages.h"
#include "core/store/metrics/metric_store.h"

namespace batchwise {
namespace {

/// Reads the points of sealed blocks that overlap `range`.
Result<void> readSealed(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points) {
  SQLite::Statement query =
      prepare(database,
              "SELECT data FROM metric_block_checked WHERE series=?1 AND segment=?2 AND first <= ?4 AND first >= "
              "coalesce((SELECT max(first) FROM metric_block WHERE series=?1 AND segment=?2 AND first <= ?3), "
              "?3) ORDER BY first",
              key.series, range.segment, range.from, range.to);
  while (query.executeStep()) {
    ASSIGN_OR_RETURN(const auto block, decodeBlock(key.series, blobOf(query.getColumn(0))));
    for (const SeriesPoint& point : block)
      if (point.batch >= range.from && point.batch <= range.to) points.push_back(point);
  }
  return {};
}

/// Reads the points of rows that are not sealed yet.
Result<void> readRecent(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points) {
  requireRowCount(database, {"metric_row", {key.run, range.segment, static_cast<std::int64_t>(key.kind)}});
  SQLite::Statement query =
      prepare(database,
              "SELECT position, data FROM metric_row_checked WHERE run=? AND segment=? AND kind=? AND position "
              "BETWEEN ? AND ? ORDER BY position",
              key.run, range.segment, key.kind, range.from, range.to);
  while (query.executeStep()) {
    const std::int64_t position = query.getColumn(0).getInt64();
    ASSIGN_OR_RETURN(const auto row, decodeRow(position, blobOf(query.getColumn(1))));
    for (const RowValue& value : row)
      if (value.series == key.series) points.push_back({position, value.value});
  }
  return {};
}

}  // namespace

std::vector<SegmentRange> allRanges(SQLite::Database& database, std::int64_t run) {
  requireRowCount(database, {"segment", {run}});
  SQLite::Statement query = prepare(database, "SELECT number FROM segment_checked WHERE run=? ORDER BY number", run);
  std::vector<SegmentRange> ranges;
  while (query.executeStep()) ranges.push_back({query.getColumn(0).getInt64(), kFirstPosition, kLastPosition});
  return ranges;
}

std::vector<SegmentRange> currentRanges(SQLite::Database& database, std::int64_t run, RowKind kind) {
  requireRowCount(database, {"segment", {run}});
  SQLite::Statement query = prepare(
      database, "SELECT number, from_batch, from_step FROM segment_checked WHERE run=? ORDER BY number DESC", run);
  std::vector<SegmentRange> ranges;
  std::int64_t limit = kLastPosition;
  while (query.executeStep()) {
    ranges.push_back({query.getColumn(0).getInt64(), kFirstPosition, limit});
    limit = std::min<std::int64_t>(limit, query.getColumn(kind == RowKind::Step ? 2 : 1).getInt64());
  }
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

Result<void> readPoints(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points) {
  if (range.from > range.to) return {};
  requireRowCount(database, {"metric_block", {key.series, range.segment}});
  RETURN_IF_ERROR(readSealed(database, key, range, points));
  return readRecent(database, key, range, points);
}

void checkRows(SQLite::Database& database, std::vector<Message>& problems) {
  SQLite::Statement rows(database,
                         "SELECT position, data, run, " + checksumMatchesSql("metric_row") + " FROM metric_row");
  while (rows.executeStep()) {
    const std::int64_t position = rows.getColumn(0).getInt64();
    if (rows.getColumn(3).getInt() == 0 || !decodeRow(position, blobOf(rows.getColumn(1))).ok())
      problems.push_back(messages::runMetricsFailCheck(rows.getColumn(2).getInt64(), position));
  }
}

void checkSeries(SQLite::Database& database, const SeriesKey& key, const std::string& name,
                 std::vector<Message>& problems) {
  SQLite::Statement blocks = prepare(
      database, "SELECT first, data, " + checksumMatchesSql("metric_block") + " FROM metric_block WHERE series=?",
      key.series);
  while (blocks.executeStep())
    if (blocks.getColumn(2).getInt() == 0 || !decodeBlock(key.series, blobOf(blocks.getColumn(1))).ok())
      problems.push_back(messages::metricSeriesBlockFailsCheck(name, blocks.getColumn(0).getInt64()));
}

}  // namespace batchwise
