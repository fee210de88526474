// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <set>

#include "core/base/pyramid.h"
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

/// Appends the buckets of a range: nodes of the stored pyramid that are narrow enough, else points. See visitPyramid().
class PyramidSource {
 public:
  PyramidSource(SQLite::Database& database, const SeriesKey& key, std::int64_t segment, std::int64_t width,
                std::vector<SeriesBucket>& summaries)
      : database_(database), key_(key), segment_(segment), width_(width), summaries_(summaries) {}

  Result<void> read(std::int64_t from, std::int64_t to) {
    const auto levels = queryInteger(database_, "SELECT max(level) FROM metric_level WHERE series=? AND segment=?",
                                     key_.series, segment_);
    // If every position has a point, the nodes of this level are at most `width_` wide.
    visitPyramid(*this, coarsestLevel(width_, static_cast<int>(levels.value_or(0))), from, to);
    return failure_ ? Result<void>{*failure_} : Result<void>{};
  }

  std::vector<SeriesBucket> nodes(int level, std::int64_t from, std::int64_t to) {
    if (failure_) return {};
    requireLevel(level);
    auto nodes = readNodes(database_, {key_.series, segment_}, level, from, to);
    if (nodes.ok()) return std::move(*nodes);
    failure_ = nodes.error();
    return {};
  }
  static std::int64_t first(const SeriesBucket& node) { return node.firstBatch; }
  static std::int64_t last(const SeriesBucket& node) { return node.lastBatch; }
  bool take(const SeriesBucket& node) {
    if (node.lastBatch - node.firstBatch >= width_) return false;
    summaries_.push_back(node);
    return true;
  }
  bool points(std::int64_t from, std::int64_t to) {
    if (failure_) return false;
    requireLevel(0);
    std::vector<SeriesPoint> points;
    auto done = readSealed(database_, key_, {segment_, from, to}, points);
    std::transform(points.begin(), points.end(), std::back_inserter(summaries_), bucketOf);
    if (!done.ok()) failure_ = done.error();
    return done.ok();
  }

 private:
  /// Verifies the row count of a level (0: the blocks) once.
  void requireLevel(int level) {
    if (!complete_.insert(level).second) return;
    if (level == 0) return requireRowCount(database_, {"metric_block", {key_.series, segment_}});
    requireRowCount(database_, {"metric_level", {key_.series, segment_, level}});
  }

  SQLite::Database& database_;
  const SeriesKey& key_;
  std::int64_t segment_;
  std::int64_t width_;
  std::vector<SeriesBucket>& summaries_;
  std::set<int> complete_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::vector<SeriesBucket>> readNodes(SQLite::Database& database, const SeriesSegment& key, int level,
                                            std::int64_t from, std::int64_t to) {
  SQLite::Statement query =
      prepare(database,
              "SELECT data FROM metric_level_checked WHERE series=?1 AND segment=?2 AND level=?3 AND first <= ?5 "
              "AND first >= coalesce((SELECT max(first) FROM metric_level WHERE series=?1 AND segment=?2 "
              "AND level=?3 AND first <= ?4), ?4) ORDER BY first",
              key.series, key.segment, level, from, to);
  std::vector<SeriesBucket> nodes;
  while (query.executeStep()) {
    ASSIGN_OR_RETURN(const auto stored, decodeNodes(key.series, blobOf(query.getColumn(0))));
    for (const SeriesBucket& node : stored)
      if (node.lastBatch >= from && node.firstBatch <= to) nodes.push_back(node);
  }
  return nodes;
}

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

Result<void> readSummaries(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                           std::int64_t width, std::vector<SeriesBucket>& summaries) {
  RETURN_IF_ERROR(PyramidSource(database, key, range.segment, width, summaries).read(range.from, range.to));
  std::vector<SeriesPoint> recent;
  auto done = readRecent(database, key, range, recent);
  std::transform(recent.begin(), recent.end(), std::back_inserter(summaries), bucketOf);
  return done;
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
  const auto check = [&](const std::string& table, const Message& what, auto&& isIntact) {
    SQLite::Statement rows =
        prepare(database, "SELECT first, data, " + checksumMatchesSql(table) + " FROM " + table + " WHERE series=?",
                key.series);
    while (rows.executeStep())
      if (rows.getColumn(2).getInt() == 0 || !isIntact(blobOf(rows.getColumn(1))))
        problems.push_back(messages::metricSeriesFailsCheck(what, name, rows.getColumn(0).getInt64()));
  };
  check("metric_block", messages::metricSeriesBlock(), [&](auto data) { return decodeBlock(key.series, data).ok(); });
  check("metric_level", messages::metricSeriesSummary(), [&](auto data) { return decodeNodes(key.series, data).ok(); });
}

}  // namespace batchwise
