// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <set>

#include "core/base/return_if_error.h"
#include "core/store/messages.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/row_checksum.h"

namespace batchwise {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Reads the points of sealed blocks that overlap `range`.
Result<void> readSealed(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points) {
  SQLite::Statement query(
      database,
      "SELECT data FROM metric_block_checked WHERE series=?1 AND segment=?2 AND first <= ?4 AND first >= "
      "coalesce((SELECT max(first) FROM metric_block WHERE series=?1 AND segment=?2 AND first <= ?3), "
      "?3) ORDER BY first");
  query.bind(1, key.series);
  query.bind(2, range.segment);
  query.bind(3, range.from);
  query.bind(4, range.to);
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
  SQLite::Statement query(
      database,
      "SELECT position, data FROM metric_row_checked WHERE run=? AND segment=? AND kind=? AND position "
      "BETWEEN ? AND ? ORDER BY position");
  query.bind(1, key.run);
  query.bind(2, range.segment);
  query.bind(3, static_cast<int>(key.kind));
  query.bind(4, range.from);
  query.bind(5, range.to);
  while (query.executeStep()) {
    const std::int64_t position = query.getColumn(0).getInt64();
    ASSIGN_OR_RETURN(const auto row, decodeRow(position, blobOf(query.getColumn(1))));
    for (const RowValue& value : row)
      if (value.series == key.series) points.push_back({position, value.value});
  }
  return {};
}

/// Descends the pyramid: takes nodes that are inside the range and narrow enough, and splits the others.
class PyramidReader {
 public:
  PyramidReader(SQLite::Database& database, const SeriesKey& key, std::int64_t segment, std::int64_t width,
                std::vector<SeriesBucket>& summaries)
      : database_(database), key_(key), segment_(segment), width_(width), summaries_(summaries) {}

  Result<void> read(int level, std::int64_t from, std::int64_t to) {
    if (from > to) return {};
    if (level == 0) return readBlocks(from, to);
    ASSIGN_OR_RETURN(const auto nodes, nodesOf(level, from, to));
    std::int64_t next = from;
    for (const SeriesBucket& node : nodes) {
      RETURN_IF_ERROR(take(level, node, from, to));
      next = node.lastBatch + 1;
    }
    return read(level - 1, next, to);  // the part that this level does not cover yet
  }

 private:
  Result<void> take(int level, const SeriesBucket& node, std::int64_t from, std::int64_t to) {
    const bool inside = node.firstBatch >= from && node.lastBatch <= to;
    if (!inside || node.lastBatch - node.firstBatch >= width_)
      return read(level - 1, std::max(from, node.firstBatch), std::min(to, node.lastBatch));
    summaries_.push_back(node);
    return {};
  }

  /// Verifies the row count of a level (0: the blocks) once.
  void requireLevel(int level) {
    if (!complete_.insert(level).second) return;
    if (level == 0) return requireRowCount(database_, {"metric_block", {key_.series, segment_}});
    requireRowCount(database_, {"metric_level", {key_.series, segment_, level}});
  }

  Result<void> readBlocks(std::int64_t from, std::int64_t to) {
    requireLevel(0);
    std::vector<SeriesPoint> points;
    auto done = readSealed(database_, key_, {segment_, from, to}, points);
    for (const SeriesPoint& point : points) summaries_.push_back(bucketOf(point));
    return done;
  }

  /// Returns the nodes of a level that overlap [from, to].
  Result<std::vector<SeriesBucket>> nodesOf(int level, std::int64_t from, std::int64_t to) {
    requireLevel(level);
    SQLite::Statement query(
        database_,
        "SELECT data FROM metric_level_checked WHERE series=?1 AND segment=?2 AND level=?3 AND first <= ?5 "
        "AND first >= coalesce((SELECT max(first) FROM metric_level WHERE series=?1 AND segment=?2 "
        "AND level=?3 AND first <= ?4), ?4) ORDER BY first");
    query.bind(1, key_.series);
    query.bind(2, segment_);
    query.bind(3, level);
    query.bind(4, from);
    query.bind(5, to);
    std::vector<SeriesBucket> nodes;
    while (query.executeStep()) {
      ASSIGN_OR_RETURN(const auto stored, decodeNodes(key_.series, blobOf(query.getColumn(0))));
      for (const SeriesBucket& node : stored)
        if (node.lastBatch >= from && node.firstBatch <= to) nodes.push_back(node);
    }
    return nodes;
  }

  SQLite::Database& database_;
  const SeriesKey& key_;
  std::int64_t segment_;
  std::int64_t width_;
  std::vector<SeriesBucket>& summaries_;
  std::set<int> complete_;
};

/// Returns the coarsest stored level whose nodes are at most `width` wide if every position has a point.
int levelFor(SQLite::Database& database, const SeriesKey& key, std::int64_t segment, std::int64_t width) {
  SQLite::Statement query(database, "SELECT max(level) FROM metric_level WHERE series=? AND segment=?");
  query.bind(1, key.series);
  query.bind(2, segment);
  query.executeStep();
  const int stored = query.getColumn(0).isNull() ? 0 : query.getColumn(0).getInt();
  int level = 0;
  for (auto span = static_cast<std::int64_t>(kNodeFanout); level < stored && span <= width;
       span *= static_cast<std::int64_t>(kNodeFanout))
    ++level;
  return level;
}

}  // namespace

std::vector<SegmentRange> allRanges(SQLite::Database& database, std::int64_t run) {
  requireRowCount(database, {"segment", {run}});
  SQLite::Statement query(database, "SELECT number FROM segment_checked WHERE run=? ORDER BY number");
  query.bind(1, run);
  std::vector<SegmentRange> ranges;
  while (query.executeStep()) ranges.push_back({query.getColumn(0).getInt64(), kLeast, kMost});
  return ranges;
}

std::vector<SegmentRange> currentRanges(SQLite::Database& database, std::int64_t run, RowKind kind) {
  requireRowCount(database, {"segment", {run}});
  SQLite::Statement query(database,
                          "SELECT number, from_batch, from_step FROM segment_checked WHERE run=? ORDER BY number DESC");
  query.bind(1, run);
  std::vector<SegmentRange> ranges;
  std::int64_t limit = kMost;
  while (query.executeStep()) {
    ranges.push_back({query.getColumn(0).getInt64(), kLeast, limit});
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
  PyramidReader reader(database, key, range.segment, width, summaries);
  RETURN_IF_ERROR(reader.read(levelFor(database, key, range.segment, width), range.from, range.to));
  std::vector<SeriesPoint> recent;
  auto done = readRecent(database, key, range, recent);
  for (const SeriesPoint& point : recent) summaries.push_back(bucketOf(point));
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
  const auto report = [&](const Message& what, std::int64_t first) {
    problems.push_back(messages::metricSeriesFailsCheck(what, name, first));
  };
  SQLite::Statement blocks(
      database, "SELECT first, data, " + checksumMatchesSql("metric_block") + " FROM metric_block WHERE series=?");
  blocks.bind(1, key.series);
  while (blocks.executeStep())
    if (blocks.getColumn(2).getInt() == 0 || !decodeBlock(key.series, blobOf(blocks.getColumn(1))).ok())
      report(messages::metricSeriesBlock(), blocks.getColumn(0).getInt64());
  SQLite::Statement levels(
      database, "SELECT first, data, " + checksumMatchesSql("metric_level") + " FROM metric_level WHERE series=?");
  levels.bind(1, key.series);
  while (levels.executeStep())
    if (levels.getColumn(2).getInt() == 0 || !decodeNodes(key.series, blobOf(levels.getColumn(1))).ok())
      report(messages::metricSeriesSummary(), levels.getColumn(0).getInt64());
}

}  // namespace batchwise
