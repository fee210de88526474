// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/database.h"
#include "core/store/metrics/metric_codec.h"
#include "core/store/records.h"

namespace batchwise {

constexpr std::size_t kBlockPoints = 1024;  ///< rows per block
constexpr std::int64_t kFirstPosition = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLastPosition = std::numeric_limits<std::int64_t>::max();

/// Writes the metrics rows of one segment inside the caller's transactions. Requires the same connection each time,
/// which outlives it; throws what SQLite throws.
class MetricTable {
 public:
  MetricTable(std::int64_t run, std::int64_t segment) : run_(run), segment_(segment) {}

  /// Does nothing if the row exists.
  void insert(SQLite::Database& database, RowKind kind, std::int64_t position, const std::vector<NamedValue>& values);
  /// Turns the oldest rows of a kind into blocks ("seals" them) once there are two blocks' worth, and stores how many
  /// rows and blocks there are. Call after the last insert() of a transaction, and before anything reads the rows.
  /// Fails with Corrupt if a stored row is damaged.
  Result<void> finishTransaction(SQLite::Database& database);
  /// Call after a rollback: discards cached facts about the tables.
  void onRollback();

 private:
  MetricExtent& extentOf(SQLite::Database& database, RowKind kind);
  std::int64_t seriesId(SQLite::Database& database, const std::string& name);
  Result<void> sealBlock(SQLite::Database& database, RowKind kind);

  std::int64_t run_;
  std::int64_t segment_;
  std::array<std::optional<MetricExtent>, kRowKinds> extents_;  // of kinds that the transaction has used
  std::map<std::string, std::int64_t> seriesIds_;
  std::unique_ptr<SQLite::Statement> insertRow_;  // prepared once, because every row needs it
};

/// Positions [from, to] of one segment.
struct SegmentRange {
  std::int64_t segment = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};
/// Returns the ranges that are not superseded: each segment up to the start of any later one. Oldest segment first.
std::vector<SegmentRange> currentRanges(SQLite::Database& database, std::int64_t run, RowKind kind);
/// Returns the whole range of each segment.
std::vector<SegmentRange> allRanges(SQLite::Database& database, std::int64_t run);

struct SeriesKey {
  std::int64_t run = 0;
  std::int64_t series = 0;
  RowKind kind = RowKind::Batch;
};

/// Returns the series of a run with their names, oldest first. Throws SQLITE_CORRUPT if one is damaged or missing.
std::vector<std::pair<std::string, SeriesKey>> readSeriesKeys(SQLite::Database& database, std::int64_t run);

/// Returns what there is of a kind of rows; nothing if none was stored. Throws SQLITE_CORRUPT.
MetricExtent readExtent(SQLite::Database& database, std::int64_t run, std::int64_t segment, RowKind kind);

/// Reads the blocks of a series in one segment. Fails with Corrupt, also if one is missing.
class SeriesBlocks {
 public:
  /// Throws SQLITE_CORRUPT if their number is damaged.
  SeriesBlocks(SQLite::Database& database, const SeriesKey& key, std::int64_t segment);
  /// Appends the points of [from, to] in ascending order.
  Result<void> read(std::int64_t from, std::int64_t to, std::vector<SeriesPoint>& points);
  /// Returns the position of the first point at or after `from`.
  Result<std::optional<std::int64_t>> next(std::int64_t from);
  std::int64_t count() const { return count_; }
  Result<std::vector<SeriesPoint>> block(std::int64_t number);
  /// Returns the number of the last block that begins at or before `position`, else 0.
  Result<std::int64_t> lastBlockFrom(std::int64_t position);

 private:
  const std::int64_t series_, segment_;
  std::int64_t count_ = 0;
  SQLite::Statement query_;
};

/// Appends the points of `range` in ascending order. Fails with Corrupt, also if rows are missing.
Result<void> readPoints(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points);

/// What replacePoints() has changed.
struct ReplacedPoints {
  std::int64_t added = 0;  ///< points that were not there
  bool rewritten = false;  ///< others were taken away for them
  bool anew = false;       ///< all that were read for the comparison
};
/// Which points beside the new ones go: those before them, and those behind them if the series has them all.
struct PointsRemoved {
  bool earlier = false;
  bool later = false;
};
/// Replaces the points of a series of segment 0 from the first position of `points` on by these; straight into blocks,
/// so that each series of a run of another program has positions of its own. Inside the caller's transaction. Fails
/// with Corrupt.
Result<ReplacedPoints> replacePoints(SQLite::Database& database, const SeriesKey& key,
                                     std::span<const SeriesPoint> points, PointsRemoved removed);
/// Removes all points of a series of segment 0.
void removePoints(SQLite::Database& database, const SeriesKey& key);
/// Counts the blocks of a series of segment 0 under another kind of rows, as its name changes.
void moveBlocks(SQLite::Database& database, const SeriesKey& key, RowKind into);

/// Verifies all metrics; appends each problem to `problems`.
void checkMetrics(SQLite::Database& database, std::vector<std::string>& problems);

}  // namespace batchwise
