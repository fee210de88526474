// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/events/run_event.h"
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

struct NamedValue {
  std::string series;
  double value = 0;
};
/// Returns all series values of a row; names as in workspace.h, prefixed with "step." for a row inside a global batch.
std::vector<NamedValue> valuesOf(const MetricsRow& row);
std::vector<NamedValue> valuesOf(const EvalResult& result);
RowKind kindOf(const MetricsRow& row);
std::int64_t positionOf(const MetricsRow& row);

// Encoding of metrics (layouts: SCHEMA.md). Each encoding ends with the CRC-32C of its content. Pure functions. Numbers
// are little endian; doubles keep all bits, including NaN payloads.

using ByteVector = std::vector<std::byte>;

/// A value of one series in a row.
struct RowValue {
  std::int64_t series = 0;
  double value = 0;
  bool operator==(const RowValue&) const = default;
};

ByteVector encodeRow(std::int64_t position, std::span<const RowValue> values);
/// Fails with Corrupt, also if the row was encoded for another position.
Result<std::vector<RowValue>> decodeRow(std::int64_t position, std::span<const std::byte> bytes);

/// Requires points of one series in ascending order of position.
ByteVector encodeBlock(std::int64_t series, std::span<const SeriesPoint> points);
/// Fails with Corrupt, also if the block belongs to another series.
Result<std::vector<SeriesPoint>> decodeBlock(std::int64_t series, std::span<const std::byte> bytes);

/// Adds `point`, which follows those in `bucket`.
void addPoint(SeriesBucket& bucket, const SeriesPoint& point);

}  // namespace batchwise
