// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metric_codec.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/hash.h"
#include "core/base/return_if_error.h"
#include "core/store/messages.h"

namespace batchwise {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little endian");
constexpr std::size_t kCrcBytes = 4;

template <typename T>
void put(Bytes& bytes, T value) {
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

/// Includes `owner` (a position or a series), so that a row stored under the wrong key is detected.
std::uint32_t checksum(std::int64_t owner, std::span<const std::byte> content) {
  return crc32c(content, crc32c(std::as_bytes(std::span{&owner, 1})));
}

void appendChecksum(Bytes& bytes, std::int64_t owner) {
  put(bytes, checksum(owner, bytes));
}

Result<std::span<const std::byte>> verifyChecksum(std::span<const std::byte> bytes, std::int64_t owner) {
  if (bytes.size() < kCrcBytes) return Error::corrupt(messages::storedMetricsTruncated());
  const auto content = bytes.first(bytes.size() - kCrcBytes);
  std::uint32_t stored = 0;
  std::memcpy(&stored, content.data() + content.size(), kCrcBytes);
  if (stored != checksum(owner, content)) return Error::corrupt(messages::storedMetricsFailChecksum());
  return content;
}

Error badLayout() {
  return Error::corrupt(messages::storedMetricsLayoutUnknown());
}

}  // namespace

Bytes encodeRow(std::int64_t position, std::span<const RowValue> values) {
  Bytes bytes;
  bytes.reserve(values.size() * 12 + kCrcBytes);
  for (const RowValue& value : values) {
    put(bytes, static_cast<std::uint32_t>(value.series));
    put(bytes, value.value);
  }
  appendChecksum(bytes, position);
  return bytes;
}

Result<std::vector<RowValue>> decodeRow(std::int64_t position, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto content, verifyChecksum(bytes, position));
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

namespace {

/// Bounds positions so that sums and differences do not overflow.
bool isPosition(std::int64_t batch) {
  return batch >= 0 && batch <= std::int64_t{1} << 62;
}
bool isCount(std::int64_t points) {
  return points >= 0 && points <= std::int64_t{1} << 40;
}

}  // namespace

Bytes encodeBlock(std::int64_t series, std::span<const SeriesPoint> points) {
  Bytes bytes;
  bytes.reserve(points.size() * 12 + 24);
  const std::int64_t base = points.empty() ? 0 : points.front().batch;
  const bool wide = !points.empty() && points.back().batch - base > std::numeric_limits<std::uint32_t>::max();
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
  appendChecksum(bytes, series);
  return bytes;
}

Result<std::vector<SeriesPoint>> decodeBlock(std::int64_t series, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto content, verifyChecksum(bytes, series));
  ByteReader reader(content);
  const auto count = reader.read<std::uint32_t>();
  const bool wide = reader.read<std::uint32_t>() != 0;
  const auto base = reader.read<std::int64_t>();
  if (content.size() != 16 + std::size_t{count} * (wide ? 16 : 12)) return badLayout();
  std::vector<SeriesPoint> points(count);
  for (SeriesPoint& point : points) {
    const std::int64_t offset = wide ? reader.read<std::int64_t>() : std::int64_t{reader.read<std::uint32_t>()};
    if (__builtin_add_overflow(base, offset, &point.batch) || !isPosition(point.batch)) return badLayout();
  }
  for (SeriesPoint& point : points) point.value = reader.read<double>();
  return points;
}

Bytes encodeNodes(std::int64_t series, std::span<const SeriesBucket> nodes) {
  Bytes bytes;
  bytes.reserve(nodes.size() * 64 + kCrcBytes);
  for (const SeriesBucket& node : nodes) {
    put(bytes, node.firstBatch);
    put(bytes, node.lastBatch);
    put(bytes, node.first);
    put(bytes, node.last);
    put(bytes, node.minimum);
    put(bytes, node.maximum);
    put(bytes, node.count);
    put(bytes, node.nonFinite);
  }
  appendChecksum(bytes, series);
  return bytes;
}

Result<std::vector<SeriesBucket>> decodeNodes(std::int64_t series, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto content, verifyChecksum(bytes, series));
  constexpr std::size_t kNodeBytes = 64;
  if (content.size() % kNodeBytes != 0) return badLayout();
  ByteReader reader(content);
  std::vector<SeriesBucket> nodes(content.size() / kNodeBytes);
  for (SeriesBucket& node : nodes) {
    node.firstBatch = reader.read<std::int64_t>();
    node.lastBatch = reader.read<std::int64_t>();
    node.first = reader.read<double>();
    node.last = reader.read<double>();
    node.minimum = reader.read<double>();
    node.maximum = reader.read<double>();
    node.count = reader.read<std::int64_t>();
    node.nonFinite = reader.read<std::int64_t>();
    if (!isPosition(node.firstBatch) || !isPosition(node.lastBatch) || !isCount(node.count) || !isCount(node.nonFinite))
      return badLayout();
  }
  return nodes;
}

SeriesBucket bucketOf(const SeriesPoint& point) {
  const bool finite = std::isfinite(point.value);
  const double extreme = finite ? point.value : std::numeric_limits<double>::quiet_NaN();
  return {point.batch, point.batch, point.value, point.value, extreme, extreme, 1, finite ? 0 : 1};
}

void mergeBucket(SeriesBucket& into, const SeriesBucket& next) {
  if (into.count == 0) {
    into = next;
    return;
  }
  into.lastBatch = next.lastBatch;
  into.last = next.last;
  into.minimum = std::fmin(into.minimum, next.minimum);  // fmin and fmax ignore a NaN
  into.maximum = std::fmax(into.maximum, next.maximum);
  into.count += next.count;
  into.nonFinite += next.nonFinite;
}

}  // namespace batchwise
