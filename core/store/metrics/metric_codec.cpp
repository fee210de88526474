// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metric_codec.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/hash.h"

namespace batchwise {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little endian");
constexpr std::size_t kCrcBytes = 4;

template <typename T>
void put(ByteVector& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

/// Reads values from the front of a span; returns zeros past its end (callers compare the size).
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T>
  T read() {
    T value{};
    if (bytes_.size() < sizeof value) return value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// Includes the key, so that a row stored under another one is detected.
std::uint32_t checksum(const MetricKey& key, std::span<const std::byte> content) {
  return crc32c(content, crc32c(std::as_bytes(std::span{key})));
}

void appendChecksum(ByteVector& bytes, const MetricKey& key) {
  put(bytes, checksum(key, bytes));
}

Result<std::span<const std::byte>> verifyChecksum(std::span<const std::byte> bytes, const MetricKey& key) {
  if (bytes.size() < kCrcBytes) return Error::corrupt("stored metrics are truncated");
  const auto content = bytes.first(bytes.size() - kCrcBytes);
  std::uint32_t stored = 0;
  std::memcpy(&stored, content.data() + content.size(), kCrcBytes);
  if (stored != checksum(key, content)) return Error::corrupt("stored metrics fail their checksum");
  return content;
}

/// Bounds positions so that sums and differences do not overflow.
bool isPosition(std::int64_t batch) {
  return batch >= 0 && batch <= std::int64_t{1} << 62;
}

Error badLayout() {
  return Error::corrupt("stored metrics have an unknown layout");
}

}  // namespace

RowKind kindOfSeries(std::string_view name) {
  if (name.starts_with("eval.")) return RowKind::Eval;
  return name.starts_with("step.") ? RowKind::Step : RowKind::Batch;
}

RowKind kindOf(const MetricsRow& row) {
  return row.at.stepInBatch > 0 ? RowKind::Step : RowKind::Batch;
}

std::int64_t positionOf(const MetricsRow& row) {
  return kindOf(row) == RowKind::Step ? row.at.step : row.at.batch;
}

ByteVector encodeRow(const MetricKey& key, std::span<const RowValue> values) {
  ByteVector bytes;
  bytes.reserve(values.size() * 12 + kCrcBytes);
  for (const RowValue& value : values) {
    put(bytes, static_cast<std::uint32_t>(value.series));
    put(bytes, value.value);
  }
  appendChecksum(bytes, key);
  return bytes;
}

Result<std::vector<RowValue>> decodeRow(const MetricKey& key, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto content, verifyChecksum(bytes, key));
  constexpr std::size_t kValueBytes = 12;
  if (content.size() % kValueBytes != 0) return badLayout();
  ByteReader reader(content);
  std::vector<RowValue> values(content.size() / kValueBytes);
  for (RowValue& value : values) {
    value.series = reader.read<std::uint32_t>();
    value.value = reader.read<double>();
  }
  return values;
}

ByteVector encodeBlock(const MetricKey& key, std::span<const SeriesPoint> points) {
  ByteVector bytes;
  bytes.reserve(points.size() * 12 + 24);
  const std::int64_t base = points.front().batch;
  const bool wide = points.back().batch - base > std::numeric_limits<std::uint32_t>::max();
  put(bytes, static_cast<std::uint32_t>(points.size()));
  put(bytes, static_cast<std::uint32_t>(wide ? 1 : 0));
  put(bytes, base);
  for (const SeriesPoint& point : points) {
    if (wide) {
      put(bytes, point.batch - base);
    } else {
      put(bytes, static_cast<std::uint32_t>(point.batch - base));
    }
  }
  for (const SeriesPoint& point : points) put(bytes, point.value);
  appendChecksum(bytes, key);
  return bytes;
}

Result<std::vector<SeriesPoint>> decodeBlock(const MetricKey& key, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto content, verifyChecksum(bytes, key));
  ByteReader reader(content);
  const auto count = reader.read<std::uint32_t>();
  const bool wide = reader.read<std::uint32_t>() != 0;
  const auto base = reader.read<std::int64_t>();
  if (count == 0 || content.size() != 16 + std::size_t{count} * (wide ? 16 : 12)) return badLayout();
  std::vector<SeriesPoint> points(count);
  for (SeriesPoint& point : points) {
    const std::int64_t offset = wide ? reader.read<std::int64_t>() : std::int64_t{reader.read<std::uint32_t>()};
    if (__builtin_add_overflow(base, offset, &point.batch) || !isPosition(point.batch)) return badLayout();
  }
  for (SeriesPoint& point : points) point.value = reader.read<double>();
  return points;
}

ByteVector encodeExtent(const MetricKey& key, const MetricExtent& extent) {
  ByteVector bytes;
  put(bytes, extent.until);
  put(bytes, extent.rows);
  for (const auto& [series, blocks] : extent.blocks) {
    put(bytes, series);
    put(bytes, blocks);
  }
  appendChecksum(bytes, key);
  return bytes;
}

Result<MetricExtent> decodeExtent(const MetricKey& key, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto content, verifyChecksum(bytes, key));
  constexpr std::size_t kPairBytes = 16;
  if (content.size() < kPairBytes || content.size() % kPairBytes != 0) return badLayout();
  ByteReader reader(content);
  MetricExtent extent;
  extent.until = reader.read<std::int64_t>();
  extent.rows = reader.read<std::int64_t>();
  for (std::size_t pair = 1; pair < content.size() / kPairBytes; ++pair) {
    const auto series = reader.read<std::int64_t>();
    extent.blocks[series] = reader.read<std::int64_t>();
  }
  return extent;
}

void addPoint(SeriesBucket& bucket, const SeriesPoint& point) {
  const bool finite = std::isfinite(point.value);
  const double extreme = finite ? point.value : std::numeric_limits<double>::quiet_NaN();
  if (bucket.count == 0) {
    bucket = {point.batch, point.batch, point.value, point.value, extreme, extreme, 0, 0};
  } else {
    bucket.lastBatch = point.batch;
    bucket.last = point.value;
    bucket.minimum = std::fmin(bucket.minimum, extreme);  // fmin and fmax ignore a NaN
    bucket.maximum = std::fmax(bucket.maximum, extreme);
  }
  ++bucket.count;
  if (finite)
    bucket.mean += (point.value - bucket.mean) / static_cast<double>(bucket.count - bucket.nonFinite);
  else
    ++bucket.nonFinite;
}

}  // namespace batchwise
