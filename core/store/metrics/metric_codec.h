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

// Encoding of metrics (layouts: SCHEMA.md). Each encoding ends with the CRC-32C of its content. Pure functions. Numbers
// are little endian; doubles keep all bits, including NaN payloads.

using Bytes = std::vector<std::byte>;

/// A value of one series in a row.
struct RowValue {
  std::int64_t series = 0;
  double value = 0;
  bool operator==(const RowValue&) const = default;
};

Bytes encodeRow(std::int64_t position, std::span<const RowValue> values);
/// Fails with Corrupt, also if the row was encoded for another position.
Result<std::vector<RowValue>> decodeRow(std::int64_t position, std::span<const std::byte> bytes);

/// Requires points of one series in ascending order of position.
Bytes encodeBlock(std::int64_t series, std::span<const SeriesPoint> points);
/// Fails with Corrupt, also if the block belongs to another series.
Result<std::vector<SeriesPoint>> decodeBlock(std::int64_t series, std::span<const std::byte> bytes);

/// Nodes of the pyramid of summaries: each is a bucket.
Bytes encodeNodes(std::int64_t series, std::span<const SeriesBucket> nodes);
Result<std::vector<SeriesBucket>> decodeNodes(std::int64_t series, std::span<const std::byte> bytes);

/// Returns the bucket of a single point.
SeriesBucket bucketOf(const SeriesPoint& point);
/// Merges `next`, whose points follow those of `into`, into `into`. An `into` with count 0 becomes `next`.
void mergeBucket(SeriesBucket& into, const SeriesBucket& next);

}  // namespace batchwise
