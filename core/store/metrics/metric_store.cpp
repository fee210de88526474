// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metric_store.h"

#include <algorithm>
#include <bit>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/integrity.h"

namespace batchwise {
namespace {

MetricKey rowKey(std::int64_t run, std::int64_t segment, std::int64_t kind, std::int64_t position = 0) {
  return {run, segment, kind, position};
}

void writeExtent(SQLite::Database& database, std::int64_t run, std::int64_t segment, RowKind kind,
                 const MetricExtent& extent) {
  execute(database,
          "INSERT INTO metric_extent(run, segment, kind, data) VALUES(?,?,?,?) "
          "ON CONFLICT(run, segment, kind) DO UPDATE SET data=excluded.data",
          run, segment, kind, encodeExtent(rowKey(run, segment, static_cast<std::int64_t>(kind)), extent));
}

/// Returns how many points at the front of both lists are equal to the bit.
std::size_t commonPoints(std::span<const SeriesPoint> one, std::span<const SeriesPoint> other) {
  const auto bits = [](const SeriesPoint& point) { return std::bit_cast<std::uint64_t>(point.value); };
  const auto end = std::ranges::mismatch(
      one, other, [&](const SeriesPoint& a, const SeriesPoint& b) { return a.batch == b.batch && bits(a) == bits(b); });
  return static_cast<std::size_t>(end.in1 - one.begin());
}

/// Reads the points of rows that are not in blocks yet.
Result<void> readRecent(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points) {
  const auto rows = queryInteger(database, "SELECT count(*) FROM metric_row WHERE run=? AND segment=? AND kind=?",
                                 key.run, range.segment, key.kind);
  if (rows != readExtent(database, key.run, range.segment, key.kind).rows)
    return Error::corrupt("rows are missing, or there are too many");
  SQLite::Statement query =
      prepare(database,
              "SELECT position, data FROM metric_row WHERE run=? AND segment=? AND kind=? AND position "
              "BETWEEN ? AND ? ORDER BY position",
              key.run, range.segment, key.kind, range.from, range.to);
  while (query.executeStep()) {
    const std::int64_t position = query.getColumn(0).getInt64();
    const MetricKey row = rowKey(key.run, range.segment, static_cast<std::int64_t>(key.kind), position);
    ASSIGN_OR_RETURN(const auto values, decodeRow(row, blobOf(query.getColumn(1))));
    for (const RowValue& value : values)
      if (value.series == key.series) points.push_back({position, value.value});
  }
  return {};
}

/// Verifies the blocks of a series.
void checkBlocks(SQLite::Database& database, const SeriesKey& key, const std::string& name,
                 std::vector<std::string>& problems) {
  for (const SegmentRange& range : allRanges(database, key.run)) {
    std::vector<SeriesPoint> points;
    if (auto done = SeriesBlocks(database, key, range.segment).read(range.from, range.to, points); !done.ok())
      problems.push_back(done.error().within(formatText("series '{}'", name)).text());
  }
}

/// Verifies the rows that are not in blocks, and their number.
void checkRows(SQLite::Database& database, std::vector<std::string>& problems) {
  SQLite::Statement rows(database, "SELECT run, segment, kind, position, data FROM metric_row");
  while (rows.executeStep()) {
    MetricKey key{};
    readRow(rows, key[0], key[1], key[2], key[3]);
    if (!decodeRow(key, blobOf(rows.getColumn(4))).ok())
      problems.push_back(formatText("the metrics of run number {} at position {} fail their check", key[0], key[3]));
  }
  SQLite::Statement counts(database,
                           "SELECT run, segment, kind, sum(n) FROM (SELECT run, segment, kind, 1 AS n FROM metric_row "
                           "UNION ALL SELECT run, segment, kind, 0 FROM metric_extent) GROUP BY run, segment, kind");
  while (counts.executeStep()) {
    std::int64_t run = 0, segment = 0, kind = 0, found = 0;
    readRow(counts, run, segment, kind, found);
    if (found != readExtent(database, run, segment, static_cast<RowKind>(kind)).rows)
      problems.push_back(formatText("run number {}: rows of metrics are missing, or there are too many", run));
  }
}

}  // namespace

std::vector<std::pair<std::string, SeriesKey>> readSeriesKeys(SQLite::Database& database, std::int64_t run) {
  checkPart(database, RunPart::Series, run);
  SQLite::Statement query = prepare(database, "SELECT name, id FROM series WHERE run=? ORDER BY id", run);
  std::vector<std::pair<std::string, SeriesKey>> keys;
  while (query.executeStep()) {
    const std::string name = query.getColumn(0).getString();
    keys.emplace_back(name, SeriesKey{run, query.getColumn(1).getInt64(), kindOfSeries(name)});
  }
  return keys;
}

MetricExtent readExtent(SQLite::Database& database, std::int64_t run, std::int64_t segment, RowKind kind) {
  SQLite::Statement query =
      prepare(database, "SELECT data FROM metric_extent WHERE run=? AND segment=? AND kind=?", run, segment, kind);
  if (!query.executeStep()) return {};
  auto extent = decodeExtent(rowKey(run, segment, static_cast<std::int64_t>(kind)), blobOf(query.getColumn(0)));
  if (!extent.ok()) throwDamaged(extent.error().message);
  return std::move(*extent);
}

SeriesBlocks::SeriesBlocks(SQLite::Database& database, const SeriesKey& key, std::int64_t segment)
    : series_(key.series),
      segment_(segment),
      query_(database, "SELECT data FROM metric_block WHERE series=? AND segment=? AND number=?") {
  const auto blocks = readExtent(database, key.run, segment, key.kind).blocks;
  if (const auto found = blocks.find(key.series); found != blocks.end()) count_ = found->second;
}

Result<std::vector<SeriesPoint>> SeriesBlocks::block(std::int64_t number) {
  query_.reset();
  query_.bind(1, series_);
  query_.bind(2, segment_);
  query_.bind(3, number);
  if (!query_.executeStep()) return Error::corrupt(formatText("block {} is missing", number));
  auto points = decodeBlock({series_, segment_, number}, blobOf(query_.getColumn(0)));
  return points.ok() ? std::move(points) : points.error().within(formatText("block {}", number));
}

Result<std::int64_t> SeriesBlocks::lastBlockFrom(std::int64_t position) {
  std::int64_t number = 0;
  for (std::int64_t end = count_; end - number > 1;) {
    const std::int64_t middle = number + (end - number) / 2;
    ASSIGN_OR_RETURN(const auto points, block(middle));
    (points.front().batch <= position ? number : end) = middle;
  }
  return number;
}

Result<void> SeriesBlocks::read(std::int64_t from, std::int64_t to, std::vector<SeriesPoint>& points) {
  ASSIGN_OR_RETURN(std::int64_t number, lastBlockFrom(from));
  for (; number < count_; ++number) {
    ASSIGN_OR_RETURN(const auto some, block(number));
    if (some.front().batch > to) break;
    for (const SeriesPoint& point : some)
      if (point.batch >= from && point.batch <= to) points.push_back(point);
  }
  return {};
}

Result<std::optional<std::int64_t>> SeriesBlocks::next(std::int64_t from) {
  ASSIGN_OR_RETURN(std::int64_t number, lastBlockFrom(from));
  for (; number < count_; ++number) {
    ASSIGN_OR_RETURN(const auto points, block(number));
    for (const SeriesPoint& point : points)
      if (point.batch >= from) return std::optional{point.batch};
  }
  return std::optional<std::int64_t>{};
}

std::vector<SegmentRange> allRanges(SQLite::Database& database, std::int64_t run) {
  checkPart(database, RunPart::Segments, run);
  SQLite::Statement query = prepare(database, "SELECT number FROM segment WHERE run=? ORDER BY number", run);
  std::vector<SegmentRange> ranges;
  while (query.executeStep()) ranges.push_back({query.getColumn(0).getInt64(), kFirstPosition, kLastPosition});
  return ranges;
}

std::vector<SegmentRange> currentRanges(SQLite::Database& database, std::int64_t run, RowKind kind) {
  checkPart(database, RunPart::Segments, run);
  SQLite::Statement query =
      prepare(database, "SELECT number, from_batch, from_step FROM segment WHERE run=? ORDER BY number DESC", run);
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
  RETURN_IF_ERROR(SeriesBlocks(database, key, range.segment).read(range.from, range.to, points));
  return readRecent(database, key, range, points);
}

Result<ReplacedPoints> replacePoints(SQLite::Database& database, const SeriesKey& key,
                                     std::span<const SeriesPoint> points, PointsRemoved removed) {
  if (points.empty()) return ReplacedPoints{};
  SeriesBlocks blocks(database, key, 0);
  std::vector<SeriesPoint> stored;
  RETURN_IF_ERROR(blocks.read(removed.earlier ? kFirstPosition : points.front().batch, kLastPosition, stored));
  const std::size_t same = commonPoints(points, stored);
  points = points.subspan(same);
  const ReplacedPoints done{std::ssize(points), same < stored.size(), same == 0 && !stored.empty()};
  if (points.empty() && !(done.rewritten && removed.later)) return ReplacedPoints{};
  std::int64_t from = points.empty() ? kLastPosition : points.front().batch;
  if (done.rewritten) from = std::min(from, stored[same].batch);

  std::vector<SeriesPoint> written;  // what the first of the blocks that are written anew keeps, then the points
  std::int64_t number = 0;
  if (blocks.count() > 0) {
    ASSIGN_OR_RETURN(number, blocks.lastBlockFrom(from));
    ASSIGN_OR_RETURN(written, blocks.block(number));
    std::erase_if(written, [from](const SeriesPoint& point) { return point.batch >= from; });
  }
  written.insert(written.end(), points.begin(), points.end());
  execute(database, "DELETE FROM metric_block WHERE series=? AND segment=0 AND number>=?", key.series, number);
  SQLite::Statement insert(database, "INSERT INTO metric_block(series, segment, number, data) VALUES(?,0,?,?)");
  for (std::span<const SeriesPoint> left(written); !left.empty(); ++number) {
    const std::size_t size = std::min(left.size(), kBlockPoints);
    execute(insert, key.series, number, encodeBlock({key.series, 0, number, 0}, left.first(size)));
    left = left.subspan(size);
  }
  MetricExtent extent = readExtent(database, key.run, 0, key.kind);
  extent.blocks[key.series] = number;
  writeExtent(database, key.run, 0, key.kind, extent);
  return done;
}

void removePoints(SQLite::Database& database, const SeriesKey& key) {
  execute(database, "DELETE FROM metric_block WHERE series=? AND segment=0", key.series);
  MetricExtent extent = readExtent(database, key.run, 0, key.kind);
  extent.blocks.erase(key.series);
  writeExtent(database, key.run, 0, key.kind, extent);
}

void moveBlocks(SQLite::Database& database, const SeriesKey& key, RowKind into) {
  if (key.kind == into) return;
  MetricExtent before = readExtent(database, key.run, 0, key.kind), after = readExtent(database, key.run, 0, into);
  after.blocks.insert(before.blocks.extract(key.series));
  writeExtent(database, key.run, 0, key.kind, before);
  writeExtent(database, key.run, 0, into, after);
}

void checkMetrics(SQLite::Database& database, std::vector<std::string>& problems) {
  SQLite::Statement runs(database, "SELECT number FROM run");
  while (runs.executeStep())
    for (const auto& [name, key] : readSeriesKeys(database, runs.getColumn(0).getInt64()))
      checkBlocks(database, key, name, problems);
  checkRows(database, problems);
}

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
    writeExtent(database, run_, segment_, kind, *extent);
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
