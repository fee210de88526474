// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/long_series.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace batchwise {
namespace {

constexpr std::size_t kBlock = 32;            // points
constexpr std::size_t kChunk = 128 * kBlock;  // what copies share
constexpr std::size_t kGroup = 5;             // points per median
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void ValueRange::include(double value) {
  if (!std::isfinite(value)) return;
  low = found ? std::min(low, value) : value;
  high = found ? std::max(high, value) : value;
  found = true;
}

/// Extremes of points beside each other; positions count from the begin of the chunk.
struct LongSeries::Block {
  double lowest = kInfinity, highest = -kInfinity;  // of the finite values, if any
  double lowestMedian = kInfinity, highestMedian = -kInfinity;
  std::uint16_t low = 0, high = 0, nonFinite = 0;

  bool isWithin(double from, double to) const { return lowest >= from && highest <= to; }
  void include(const Block& next) {
    if (next.lowest < lowest) lowest = next.lowest, low = next.low;
    if (next.highest > highest) highest = next.highest, high = next.high;
    lowestMedian = std::min(lowestMedian, next.lowestMedian);
    highestMedian = std::max(highestMedian, next.highestMedian);
    nonFinite += next.nonFinite;
  }
};

namespace {

/// Includes the medians of groups of points whose values are finite; the last points share some with the group before.
void includeMedians(ValueRange& medians, std::span<const double> values) {
  for (std::size_t at = 0; values.size() >= kGroup && at < values.size(); at += kGroup) {
    std::array<double, kGroup> group{};
    std::ranges::copy(values.subspan(std::min(at, values.size() - kGroup), kGroup), group.begin());
    if (!std::ranges::all_of(group, [](double value) { return std::isfinite(value); })) continue;
    std::ranges::nth_element(group, group.begin() + kGroup / 2);
    medians.include(group[kGroup / 2]);
  }
}

}  // namespace

struct LongSeries::Chunk {
  std::vector<double> y;
  std::vector<double> unevenX;  // empty as long as x = firstX + i * step
  double firstX = 0, step = 0;
  std::vector<Block> blocks;  // of kBlock points each
  Block all;                  // of the blocks

  double x(std::size_t at) const { return unevenX.empty() ? firstX + static_cast<double>(at) * step : unevenX[at]; }
  double lastX() const { return x(y.size() - 1); }

  /// First position that is not `before`, or the last one. Computed directly for evenly spaced x, then corrected for
  /// rounding.
  template <typename Before>
  std::size_t partition(double wanted, Before before) const {
    const std::size_t last = y.size() - 1;
    if (!unevenX.empty()) {
      const auto end = unevenX.begin() + static_cast<std::ptrdiff_t>(last);
      return static_cast<std::size_t>(std::partition_point(unevenX.begin(), end, before) - unevenX.begin());
    }
    if (!(step > 0)) return before(x(0)) ? last : 0;
    auto at = static_cast<std::size_t>(std::clamp((wanted - firstX) / step, 0.0, static_cast<double>(last)));
    while (at > 0 && !before(x(at - 1))) --at;
    while (at < last && before(x(at))) ++at;
    return at;
  }

  void append(double newX, double newY) {
    placeX(newX);
    y.push_back(newY);
    if (y.size() % kBlock != 0) return;
    blocks.push_back(blockFrom(y.size() - kBlock));
    all.include(blocks.back());
  }

 private:
  void placeX(double newX) {
    const std::size_t count = y.size();
    if (count == 0) firstX = newX;
    if (count == 1) step = newX - firstX;
    if (unevenX.empty() && newX == firstX + static_cast<double>(count) * step) return;
    for (std::size_t i = unevenX.size(); i < count; ++i) unevenX.push_back(firstX + static_cast<double>(i) * step);
    unevenX.push_back(newX);
  }

  Block blockFrom(std::size_t from) const {
    Block block;
    for (std::size_t i = from; i < from + kBlock; ++i) {
      const auto at = static_cast<std::uint16_t>(i);
      if (std::isfinite(y[i]))
        block.include({.lowest = y[i], .highest = y[i], .low = at, .high = at});
      else
        ++block.nonFinite;
    }
    ValueRange medians;
    includeMedians(medians, std::span(y).subspan(from, kBlock));
    if (medians.found) block.lowestMedian = medians.low, block.highestMedian = medians.high;
    return block;
  }
};

LongSeries::LongSeries(std::span<const QPointF> points) {
  for (const QPointF& point : points) append(point.x(), point.y());
}

void LongSeries::append(double x, double y) {
  assert(empty() || x >= back().x());
  if (size_ % kChunk == 0)
    chunks_.push_back(std::make_shared<Chunk>());
  else if (chunks_.back().use_count() > 1)
    chunks_.back() = std::make_shared<Chunk>(*chunks_.back());
  chunks_.back()->append(x, y);
  ++size_;
}

double LongSeries::x(std::size_t at) const {
  return chunks_[at / kChunk]->x(at % kChunk);
}

double LongSeries::y(std::size_t at) const {
  return chunks_[at / kChunk]->y[at % kChunk];
}

std::size_t LongSeries::firstAtOrAfter(double x, std::size_t from) const {
  return partition(x, from, [x](double own) { return own < x; });
}

std::size_t LongSeries::firstAfter(double x) const {
  return partition(x, 0, [x](double own) { return own <= x; });
}

template <typename Before>
std::size_t LongSeries::partition(double x, std::size_t from, Before before) const {
  const auto first = chunks_.begin() + static_cast<std::ptrdiff_t>(from / kChunk);
  const auto isBefore = [&](const auto& chunk) { return before(chunk->lastX()); };
  const bool isInFirst = first != chunks_.end() && !isBefore(*first);
  const auto chunk = isInFirst ? first : std::partition_point(first, chunks_.end(), isBefore);
  if (chunk == chunks_.end()) return size_;
  return static_cast<std::size_t>(chunk - chunks_.begin()) * kChunk + (*chunk)->partition(x, before);
}

/// Visits a range in order: `whole(block, base)` for each chunk and block inside, which returns false to have its
/// blocks or points visited, and `part(values, at)` for points beside each other, which returns false to stop. `base`:
/// position of the chunk.
template <typename Whole, typename Part>
void LongSeries::visit(std::size_t from, std::size_t to, Whole whole, Part part) const {
  to = std::min(to, size_);
  while (from < to) {
    const std::size_t within = from % kChunk, base = from - within;
    const Chunk& chunk = *chunks_[from / kChunk];
    if (within == 0 && to - from >= kChunk && whole(chunk.all, base)) {
      from += kChunk;
      continue;
    }
    const std::size_t end = std::min(to, from - from % kBlock + kBlock);
    if (end - from < kBlock || !whole(chunk.blocks[within / kBlock], base))
      if (!part(std::span(chunk.y).subspan(within, end - from), from)) return;
    from = end;
  }
}

namespace {

/// Collects the extremes of parts of a series.
struct ExtremesSearch {
  double least;
  LongSeries::Extremes found = {};

  void addLow(double value, std::size_t at) {
    if (value < found.lowest || (value == found.lowest && at < found.low)) found.lowest = value, found.low = at;
  }
  void addHigh(double value, std::size_t at) {
    if (value > found.highest || (value == found.highest && at < found.high)) found.highest = value, found.high = at;
  }
  void addPoints(std::span<const double> values, std::size_t at) {
    constexpr double kMost = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i];
      if (value > found.lowest && value < found.highest) continue;  // nearly all of them
      if (value >= least && value <= kMost)
        addLow(value, at + i), addHigh(value, at + i);
      else
        found.hasExcluded = true;
    }
  }
};

}  // namespace

/// Looks at whole blocks first: then those of which a part is wanted are hardly ever better, and need not be read.
LongSeries::Extremes LongSeries::extremes(std::size_t from, std::size_t to, double least) const {
  to = std::min(to, size_);
  ExtremesSearch search{least};
  const auto addPoints = [&](std::span<const double> values, std::size_t at) {
    search.addPoints(values, at);
    return true;
  };
  const auto addBlock = [&](const Block& block, std::size_t base) {
    if (block.lowest < least) return false;
    search.found.hasExcluded = search.found.hasExcluded || block.nonFinite > 0;
    search.addLow(block.lowest, base + block.low);
    search.addHigh(block.highest, base + block.high);
    return true;
  };
  const auto addPart = [&](std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const Chunk& chunk = *chunks_[begin / kChunk];
    const std::size_t block = begin % kChunk / kBlock;
    const bool isWorse = block < chunk.blocks.size() && chunk.blocks[block].nonFinite == 0 &&
                         chunk.blocks[block].lowest > search.found.lowest &&
                         chunk.blocks[block].highest < search.found.highest;
    if (!isWorse) search.addPoints(std::span(chunk.y).subspan(begin % kChunk, end - begin), begin);
  };
  const std::size_t first = (from + kBlock - 1) / kBlock * kBlock, last = to / kBlock * kBlock;
  if (first < last) visit(first, last, addBlock, addPoints);
  addPart(from, std::min(first, to));
  addPart(std::max(from, last), first <= last ? to : from);
  return search.found;
}

ValueRange LongSeries::range(std::size_t from, std::size_t to, double least) const {
  const Extremes found = extremes(from, to, least);
  return found.found() ? ValueRange{found.lowest, found.highest, true} : ValueRange{};
}

ValueRange LongSeries::medianRange(std::size_t from, std::size_t to) const {
  to = std::min(to, size_);
  ValueRange medians;
  visit(
      from, to,
      [&](const Block& block, std::size_t) {
        medians.include(block.lowestMedian);
        medians.include(block.highestMedian);
        return true;
      },
      [&](std::span<const double> values, std::size_t) {
        includeMedians(medians, values);
        return true;
      });
  std::vector<double> last;  // a block may begin among them
  for (std::size_t at = std::max(from + kGroup, to) - kGroup; at < to; ++at) last.push_back(y(at));
  includeMedians(medians, last);
  return medians;
}

std::size_t LongSeries::firstOutside(std::size_t from, std::size_t to, double low, double high) const {
  std::size_t found = to;
  visit(
      from, to, [&](const Block& block, std::size_t) { return block.nonFinite == 0 && block.isWithin(low, high); },
      [&](std::span<const double> values, std::size_t at) {
        const auto first = std::ranges::find_if(
            values, [&](double value) { return !std::isfinite(value) || value < low || value > high; });
        if (first == values.end()) return true;
        found = at + static_cast<std::size_t>(first - values.begin());
        return false;
      });
  return found;
}

std::size_t LongSeries::countOutside(std::size_t from, std::size_t to, double low, double high) const {
  std::size_t count = 0;
  visit(
      from, to, [&](const Block& block, std::size_t) { return block.isWithin(low, high); },
      [&](std::span<const double> values, std::size_t) {
        for (const double value : values) count += std::isfinite(value) && (value < low || value > high) ? 1 : 0;
        return true;
      });
  return count;
}

std::size_t LongSeries::countNonFinite(std::size_t from, std::size_t to) const {
  std::size_t count = 0;
  visit(
      from, to,
      [&](const Block& block, std::size_t) {
        count += block.nonFinite;
        return true;
      },
      [&](std::span<const double> values, std::size_t) {
        for (const double value : values) count += std::isfinite(value) ? 0 : 1;
        return true;
      });
  return count;
}

std::size_t LongSeries::bytes() const {
  std::size_t sum = chunks_.capacity() * sizeof(chunks_[0]);
  for (const auto& chunk : chunks_)
    sum += sizeof(Chunk) + (chunk->y.capacity() + chunk->unevenX.capacity()) * sizeof(double) +
           chunk->blocks.capacity() * sizeof(Block);
  return sum;
}

namespace {

constexpr double kMaxFinite = std::numeric_limits<double>::max();
constexpr int kMaxPieces = 8;  // per column; more are drawn as extremes only

/// Collects the points to draw, column by column.
class PointCollector {
 public:
  PointCollector(const LongSeries& series, double least, qsizetype expected) : series_(series), least_(least) {
    points_.reserve(expected);
  }

  void add(std::size_t from, std::size_t to) {
    if (from >= to) return;
    const LongSeries::Extremes all = series_.extremes(from, to, least_);
    all.hasExcluded ? addPieces(from, to) : addPiece(all);
  }

  QList<QPointF> take() { return std::move(points_); }

 private:
  void addPieces(std::size_t from, std::size_t to) {
    int pieces = 0;
    while (from < to) {
      const std::size_t gap = series_.firstOutside(from, to, least_, kMaxFinite);
      if (gap > from) addPiece(series_.extremes(from, gap, least_));
      if (gap == to) return;
      end(gap);
      from = gap + 1;
      if (++pieces == kMaxPieces) break;
    }
    if (from < to) addApart(series_.extremes(from, to, least_), to);
  }

  void addPiece(const LongSeries::Extremes& piece) {
    const QPointF low(series_.x(piece.low), piece.lowest), high(series_.x(piece.high), piece.highest);
    points_.append(piece.low < piece.high ? low : high);
    if (piece.low != piece.high) points_.append(piece.low < piece.high ? high : low);
  }

  /// Too many gaps: adds the extremes as isolated points.
  void addApart(const LongSeries::Extremes& rest, std::size_t to) {
    if (rest.found()) {
      const auto [first, second] = std::minmax(rest.low, rest.high);
      points_.append(series_[first]);
      end(first);
      if (first != second) points_.append(series_[second]);
    }
    end(to - 1);
  }

  void end(std::size_t at) {
    if (!points_.isEmpty() && !std::isnan(points_.back().y()))
      points_.append({series_.x(at), std::numeric_limits<double>::quiet_NaN()});
  }

  const LongSeries& series_;
  double least_;
  QList<QPointF> points_;
};

}  // namespace

QList<QPointF> decimate(const LongSeries& series, std::span<const double> edges, double least) {
  if (series.empty() || edges.size() < 2 || !(edges.back() >= edges.front())) return {};
  PointCollector drawing(series, least, 2 * static_cast<qsizetype>(edges.size()));
  const std::size_t last = series.firstAfter(edges.back());
  std::size_t from = series.firstAtOrAfter(edges.front());
  if (from > 0) drawing.add(from - 1, from);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const std::size_t to = i + 1 == edges.size() ? last : series.firstAtOrAfter(edges[i], from);
    drawing.add(from, to);
    from = to;
  }
  if (last < series.size()) drawing.add(last, last + 1);
  QList<QPointF> points = drawing.take();
  // A constant stretch in the last column extends to its end.
  if (last > 0 && !points.isEmpty() && points.back().x() < series.x(last - 1) && std::isfinite(points.back().y()) &&
      series.y(last - 1) >= least && std::isfinite(series.y(last - 1)))
    points.append(series[last - 1]);
  return points;
}

QList<QPointF> everyPoint(const LongSeries& series, IndexRange stretch, double least) {
  PointCollector drawing(series, least, static_cast<qsizetype>(stretch.to - stretch.from));
  for (std::size_t at = stretch.from; at < stretch.to; ++at) drawing.add(at, at + 1);
  return drawing.take();
}

std::vector<double> evenEdges(double from, double to, int columns) {
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(columns) + 1);
  for (int i = 0; i < columns; ++i) edges.push_back(from + (to - from) * i / columns);
  edges.push_back(to);
  return edges;
}

QList<QPointF> staircase(const QList<QPointF>& points) {
  QList<QPointF> out;
  out.reserve(2 * points.size());
  const auto holdUntil = [&out](double x) {
    const double y = out.back().y();
    if (out.size() > 1 && out[out.size() - 2].y() == y)
      out.back().setX(x);
    else
      out.append({x, y});
  };
  for (const QPointF& point : points) {
    const bool goesOn = !out.isEmpty() && !std::isnan(out.back().y());
    if (goesOn) holdUntil(point.x());
    if (!goesOn || out.back().y() != point.y()) out.append(point);
  }
  return out;
}

IndexRange indexRangeAround(const LongSeries& series, double fromX, double toX) {
  IndexRange stretch{series.firstAtOrAfter(fromX), series.firstAfter(toX)};
  if (stretch.from > stretch.to) return {};
  if (stretch.from > 0) --stretch.from;
  if (stretch.to < series.size()) ++stretch.to;
  return stretch;
}

ValueRange robustRange(const LongSeries& series, IndexRange stretch) {
  constexpr std::size_t kFewest = 15;
  constexpr double kRoom = 0.5;
  const ValueRange all = series.range(stretch.from, stretch.to);
  const ValueRange medians = series.medianRange(stretch.from, stretch.to);
  const double height = medians.high - medians.low;
  const std::size_t values = stretch.to - stretch.from - series.countNonFinite(stretch.from, stretch.to);
  if (values < kFewest || !(height > 0)) return all;
  return {std::max(all.low, medians.low - kRoom * height), std::min(all.high, medians.high + kRoom * height), true};
}

}  // namespace batchwise
