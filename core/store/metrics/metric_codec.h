// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/events/metric.h"
#include "core/store/records.h"

namespace batchwise {

/// The subject of a stored row. A row is unique by (run, segment, kind, position).
enum class RowKind {
  Batch = 0,  ///< a global batch; position: clock ba
  Eval = 1,   ///< an evaluation ("eval." series); position: clock ba
  Step = 2,   ///< a step inside a global batch ("step." series); position: optimizer steps
};
constexpr int kRowKinds = 3;

RowKind kindOfSeries(std::string_view name);

RowKind kindOf(const MetricsRow& row);
std::int64_t positionOf(const MetricsRow& row);

// Encoding of metrics (layouts: SCHEMA.md). Each encoding ends with the CRC-32C of its key and content. Pure functions.
// Numbers are little endian; doubles keep all bits, including NaN payloads. Decoding fails with Corrupt, also if the
// bytes were encoded for another key.

using ByteVector = std::vector<std::byte>;
/// The primary key of the stored row: (run, segment, kind, position), (series, segment, number) or
/// (run, segment, kind); 0 for what it lacks.
using MetricKey = std::array<std::int64_t, 4>;

/// A value of one series in a row.
struct RowValue {
  std::int64_t series = 0;
  double value = 0;
  bool operator==(const RowValue&) const = default;
};

ByteVector encodeRow(const MetricKey& key, std::span<const RowValue> values);
Result<std::vector<RowValue>> decodeRow(const MetricKey& key, std::span<const std::byte> bytes);

/// Requires points of one series in ascending order of position, at least one.
ByteVector encodeBlock(const MetricKey& key, std::span<const SeriesPoint> points);
Result<std::vector<SeriesPoint>> decodeBlock(const MetricKey& key, std::span<const std::byte> bytes);

/// What there is of one kind of rows in one segment.
struct MetricExtent {
  std::int64_t until = std::numeric_limits<std::int64_t>::min();  ///< position up to which rows are in blocks
  std::int64_t rows = 0;                                          ///< not in blocks yet
  std::map<std::int64_t, std::int64_t> blocks;                    ///< number of blocks, by series
  bool operator==(const MetricExtent&) const = default;
};
ByteVector encodeExtent(const MetricKey& key, const MetricExtent& extent);
Result<MetricExtent> decodeExtent(const MetricKey& key, std::span<const std::byte> bytes);

/// Adds `point`, which follows those in `bucket`.
void addPoint(SeriesBucket& bucket, const SeriesPoint& point);

}  // namespace batchwise
