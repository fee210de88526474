// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metric_codec.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/hash.h"

namespace batchwise {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little endian");
constexpr std::size_t kCrcBytes = 4;

template <typename T>
void put(Bytes& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

/// Takes values from the front of a span; zeros past its end (callers compare the size).
class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T>
  T take() {
    T value{};
    if (bytes_.size() < sizeof value) return value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// The content is bound to `owner` (a position or a series), so that a row that ends up under another key is found too.
std::uint32_t checksum(std::int64_t owner, std::span<const std::byte> content) {
  return crc32c(content, crc32c(std::as_bytes(std::span{&owner, 1})));
}

void seal(Bytes& bytes, std::int64_t owner) {
  put(bytes, checksum(owner, bytes));
}

Result<std::span<const std::byte>> unseal(std::span<const std::byte> bytes, std::int64_t owner) {
  if (bytes.size() < kCrcBytes) return Error::corrupt("stored metrics are cut short");
  const auto content = bytes.first(bytes.size() - kCrcBytes);
  std::uint32_t stored = 0;
  std::memcpy(&stored, content.data() + content.size(), kCrcBytes);
  if (stored != checksum(owner, content)) return Error::corrupt("stored metrics fail their checksum");
  return content;
}

Error badLayout() {
  return Error::corrupt("stored metrics have a layout that is not known");
}

}  // namespace

Bytes encodeRow(std::int64_t position, std::span<const RowValue> values) {
  Bytes bytes;
  bytes.reserve(values.size() * 12 + kCrcBytes);
  for (const RowValue& value : values) {
    put(bytes, static_cast<std::uint32_t>(value.series));
    put(bytes, value.value);
  }
  seal(bytes, position);
  return bytes;
}

Result<std::vector<RowValue>> decodeRow(std::int64_t position, std::span<const std::byte> bytes) {
  const auto content = unseal(bytes, position);
  if (!content.ok()) return content.error();
  constexpr std::size_t kValueBytes = 12;
  if (content->size() % kValueBytes != 0) return badLayout();
  Taker taker(*content);
  std::vector<RowValue> values(content->size() / kValueBytes);
  for (RowValue& value : values) {
    value.series = taker.take<std::uint32_t>();
    value.value = taker.take<double>();
  }
  return values;
}

namespace {

/// Sums and differences of what passes do not overflow.
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
  seal(bytes, series);
  return bytes;
}

Result<std::vector<SeriesPoint>> decodeBlock(std::int64_t series, std::span<const std::byte> bytes) {
  const auto content = unseal(bytes, series);
  if (!content.ok()) return content.error();
  Taker taker(*content);
  const auto count = taker.take<std::uint32_t>();
  const bool wide = taker.take<std::uint32_t>() != 0;
  const auto base = taker.take<std::int64_t>();
  if (content->size() != 16 + std::size_t{count} * (wide ? 16 : 12)) return badLayout();
  std::vector<SeriesPoint> points(count);
  for (SeriesPoint& point : points) {
    const std::int64_t offset = wide ? taker.take<std::int64_t>() : std::int64_t{taker.take<std::uint32_t>()};
    if (__builtin_add_overflow(base, offset, &point.batch) || !isPosition(point.batch)) return badLayout();
  }
  for (SeriesPoint& point : points) point.value = taker.take<double>();
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
  seal(bytes, series);
  return bytes;
}

Result<std::vector<SeriesBucket>> decodeNodes(std::int64_t series, std::span<const std::byte> bytes) {
  const auto content = unseal(bytes, series);
  if (!content.ok()) return content.error();
  constexpr std::size_t kNodeBytes = 64;
  if (content->size() % kNodeBytes != 0) return badLayout();
  Taker taker(*content);
  std::vector<SeriesBucket> nodes(content->size() / kNodeBytes);
  for (SeriesBucket& node : nodes) {
    node.firstBatch = taker.take<std::int64_t>();
    node.lastBatch = taker.take<std::int64_t>();
    node.first = taker.take<double>();
    node.last = taker.take<double>();
    node.minimum = taker.take<double>();
    node.maximum = taker.take<double>();
    node.count = taker.take<std::int64_t>();
    node.nonFinite = taker.take<std::int64_t>();
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
  into.minimum = std::fmin(into.minimum, next.minimum);  // fmin and fmax pass over a NaN
  into.maximum = std::fmax(into.maximum, next.maximum);
  into.count += next.count;
  into.nonFinite += next.nonFinite;
}

}  // namespace batchwise
