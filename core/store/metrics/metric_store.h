// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/database.h"
#include "core/store/metrics/metric_codec.h"
#include "core/store/metrics/metric_values.h"
#include "core/store/records.h"

namespace batchwise {

constexpr std::size_t kBlockPoints = 1024;  ///< rows that are sealed together
constexpr std::size_t kNodeFanout = 16;     ///< points of a node of level 1, nodes of a node above
constexpr std::size_t kNodesPerRow = 64;    ///< of a stored row of nodes

/// Writes the rows of one segment of one run, inside the caller's transactions, always on the same
/// connection, which outlives it; throws what SQLite throws.
class MetricTable {
 public:
  MetricTable(std::int64_t run, std::int64_t segment) : run_(run), segment_(segment) {}

  /// A row that is there already is left as it is.
  void insert(SQLite::Database& database, RowKind kind, std::int64_t position, const std::vector<NamedValue>& values);
  /// Turns the oldest rows of a kind into blocks once there are two blocks' worth. Fails with Corrupt if a stored row
  /// does; then nothing of it is sealed.
  Result<void> sealFullBlocks(SQLite::Database& database);
  /// To be called when a transaction was rolled back: what was remembered about the tables may no longer hold.
  void forget();

 private:
  struct KindState {
    bool known = false;
    std::int64_t rows = 0;
    std::int64_t sealedUntil = 0;
  };
  KindState& stateOf(SQLite::Database& database, RowKind kind);
  std::int64_t seriesId(SQLite::Database& database, const std::string& name);
  Result<void> sealBlock(SQLite::Database& database, RowKind kind);

  std::int64_t run_;
  std::int64_t segment_;
  std::array<KindState, kRowKinds> kinds_{};
  std::map<std::string, std::int64_t> seriesIds_;
  std::unique_ptr<SQLite::Statement> insertRow_;  // the one that every row needs, prepared once
};

/// Stores points of a series as a block and adds them to the pyramid. They come after all blocks that it has in this
/// segment. Inside the caller's transaction; fails with Corrupt if stored nodes do.
Result<void> insertBlock(SQLite::Database& database, std::int64_t series, std::int64_t segment,
                         const std::vector<SeriesPoint>& points);

/// Positions [from, to] of one segment.
struct SegmentRange {
  std::int64_t segment = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};
/// What counts of each segment: nothing after the start of any later one. Oldest segment first.
std::vector<SegmentRange> currentRanges(SQLite::Database& database, std::int64_t run, RowKind kind);
/// Everything of each segment.
std::vector<SegmentRange> allRanges(SQLite::Database& database, std::int64_t run);

/// One series of a run in the database.
struct SeriesKey {
  std::int64_t run = 0;
  std::int64_t series = 0;
  RowKind kind = RowKind::Batch;
};

/// Appends the points of `range` in ascending order. Fails with Corrupt.
Result<void> readPoints(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points);
/// Appends summaries of `range`, each at most `width` positions wide, in ascending order, reading no more of the
/// pyramid than that takes. Fails with Corrupt.
Result<void> readSummaries(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                           std::int64_t width, std::vector<SeriesBucket>& summaries);

/// Reads and checks all rows that are not sealed; appends what is wrong to `problems`.
void checkRows(SQLite::Database& database, std::vector<std::string>& problems);
/// Reads and checks everything sealed of a series; appends what is wrong to `problems`.
void checkSeries(SQLite::Database& database, const SeriesKey& key, const std::string& name,
                 std::vector<std::string>& problems);

}  // namespace batchwise
