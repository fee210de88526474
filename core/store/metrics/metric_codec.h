// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/records.h"

namespace batchwise {

// Metrics as bytes (layouts: SCHEMA.md). Each ends with the CRC-32C of what is before it, so damage is found when read.
// Pure functions. Numbers are little endian; doubles keep every bit, NaN payloads included.

using Bytes = std::vector<std::byte>;

/// One value of a row: which series, and the value.
struct RowValue {
  std::int64_t series = 0;
  double value = 0;
  bool operator==(const RowValue&) const = default;
};

Bytes encodeRow(std::int64_t position, std::span<const RowValue> values);
/// Fails with Corrupt, also if `position` is not the one it was written for.
Result<std::vector<RowValue>> decodeRow(std::int64_t position, std::span<const std::byte> bytes);

/// Points of one series in ascending order of position.
Bytes encodeBlock(std::int64_t series, std::span<const SeriesPoint> points);
/// Fails with Corrupt, also if it belongs to another series.
Result<std::vector<SeriesPoint>> decodeBlock(std::int64_t series, std::span<const std::byte> bytes);

/// Nodes of the pyramid: a bucket each.
Bytes encodeNodes(std::int64_t series, std::span<const SeriesBucket> nodes);
Result<std::vector<SeriesBucket>> decodeNodes(std::int64_t series, std::span<const std::byte> bytes);

/// The bucket of a single point.
SeriesBucket bucketOf(const SeriesPoint& point);
/// Adds `next`, whose points come after those of `into`. An `into` with count 0 becomes `next`.
void mergeBucket(SeriesBucket& into, const SeriesBucket& next);

}  // namespace batchwise
