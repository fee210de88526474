// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
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
  /// Turns the oldest rows of a kind into a block ("seals" them) once there are two blocks' worth. Fails with Corrupt
  /// if a stored row is damaged.
  Result<void> sealFullBlocks(SQLite::Database& database);
  /// Call after a rollback: discards cached facts about the tables.
  void onRollback();

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

/// Appends the points of `range` in ascending order. Fails with Corrupt.
Result<void> readPoints(SQLite::Database& database, const SeriesKey& key, const SegmentRange& range,
                        std::vector<SeriesPoint>& points);

/// Verifies all unsealed rows; appends each problem to `problems`.
void checkRows(SQLite::Database& database, std::vector<Message>& problems);
/// Verifies all sealed data of a series; appends each problem to `problems`.
void checkSeries(SQLite::Database& database, const SeriesKey& key, const std::string& name,
                 std::vector<Message>& problems);

}  // namespace batchwise
