// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/long_series.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/base/pyramid.h"

namespace batchwise {
namespace {

constexpr std::size_t kFanout = kPyramidFanout;
constexpr std::array kSpans = {kFanout, kFanout* kFanout, kFanout* kFanout* kFanout};  // points per node, by level
constexpr std::size_t kChunk = kSpans.back();
constexpr std::uint16_t kNone = 0xFFFF;
constexpr std::size_t kGroup = 5;  // points per median

}  // namespace

void ValueRange::include(double value) {
  if (!std::isfinite(value)) return;
  low = found ? std::min(low, value) : value;
  high = found ? std::max(high, value) : value;
  found = true;
}

struct LongSeries::Chunk {
  std::vector<double> y;
  std::vector<double> unevenX;  // empty as long as x = firstX + i * step
  double firstX = 0, step = 0;
  std::array<std::vector<Node>, kSpans.size()> levels;

  double x(std::size_t at) const { return unevenX.empty() ? firstX + static_cast<double>(at) * step : unevenX[at]; }

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
    if (y.size() % kSpans[0] != 0) return;
    levels[0].push_back(ofPoints(y.size() - kSpans[0]));
    for (std::size_t level = 1; level < kSpans.size() && y.size() % kSpans[level] == 0; ++level)
      levels[level].push_back(ofNodes(levels[level - 1]));
  }

 private:
  void placeX(double newX) {
    const std::size_t count = y.size();
    if (count == 0) firstX = newX;
    if (count == 1) step = newX - firstX;
    if (unevenX.empty() && newX == firstX + static_cast<double>(count) * step) return;
    std::vector<double> all = std::move(unevenX);
    unevenX.clear();
    for (std::size_t i = all.size(); i < count; ++i) all.push_back(x(i));
    all.push_back(newX);
    unevenX = std::move(all);
  }

  void includeLow(std::uint16_t& place, std::uint16_t candidate) const {
    if (candidate != kNone && (place == kNone || y[candidate] < y[place])) place = candidate;
  }
  void includeHigh(std::uint16_t& place, std::uint16_t candidate) const {
    if (candidate != kNone && (place == kNone || y[candidate] > y[place])) place = candidate;
  }

  /// Position of the median of `count` points; kNone if one is not finite.
  std::uint16_t medianOf(std::size_t from, std::size_t count) const {
    std::array<std::uint16_t, kGroup + 1> places{};
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(y[from + i])) return kNone;
      places[i] = static_cast<std::uint16_t>(from + i);
    }
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(places.begin(), middle, places.begin() + static_cast<std::ptrdiff_t>(count),
                     [this](std::uint16_t a, std::uint16_t b) { return y[a] < y[b]; });
    return *middle;
  }

  Node ofPoints(std::size_t from) const {
    Node node{kNone, kNone, kNone, kNone, 0};
    for (std::size_t i = from; i < from + kSpans[0]; ++i) {
      if (!std::isfinite(y[i])) {
        ++node.nonFinite;
        continue;
      }
      includeLow(node.low, static_cast<std::uint16_t>(i));
      includeHigh(node.high, static_cast<std::uint16_t>(i));
    }
    for (const auto& [at, count] : {std::pair(0, 5), std::pair(5, 5), std::pair(10, 6)}) {
      const std::uint16_t median = medianOf(from + static_cast<std::size_t>(at), static_cast<std::size_t>(count));
      includeLow(node.medianLow, median);
      includeHigh(node.medianHigh, median);
    }
    return node;
  }

  /// Combines the last nodes of the level below.
  Node ofNodes(const std::vector<Node>& below) const {
    Node node{kNone, kNone, kNone, kNone, 0};
    for (auto one = below.end() - kFanout; one != below.end(); ++one) {
      includeLow(node.low, one->low);
      includeHigh(node.high, one->high);
      includeLow(node.medianLow, one->medianLow);
      includeHigh(node.medianHigh, one->medianHigh);
      node.nonFinite = static_cast<std::uint16_t>(node.nonFinite + one->nonFinite);
    }
    return node;
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

std::size_t LongSeries::firstAtOrAfter(double x) const {
  return partition(x, false);
}

std::size_t LongSeries::firstAfter(double x) const {
  return partition(x, true);
}

std::size_t LongSeries::partition(double x, bool after) const {
  const auto before = [x, after](double own) { return after ? own <= x : own < x; };
  const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(), [&](const std::shared_ptr<Chunk>& one) {
    return before(one->x(one->y.size() - 1));
  });
  if (chunk == chunks_.end()) return size_;
  return static_cast<std::size_t>(chunk - chunks_.begin()) * kChunk + (*chunk)->partition(x, before);
}

/// The pyramid for visitPyramid(): a node is its level and its index in it.
template <typename Whole, typename Point>
struct LongSeries::Visitor {
  struct Place {
    std::size_t level;
    std::int64_t index;

    Place operator*() const { return *this; }
    void operator++() { ++index; }
    bool operator!=(const Place& other) const { return index != other.index; }
    std::int64_t span() const { return static_cast<std::int64_t>(kSpans[level - 1]); }
  };
  struct Places {
    Place first, last;
    Place begin() const { return first; }
    Place end() const { return last; }
  };
  const LongSeries& series;
  Whole& whole;
  Point& point;

  Places nodes(int level, std::int64_t from, std::int64_t to) const {
    const Place node{static_cast<std::size_t>(level), 0};
    const std::int64_t span = node.span(), complete = static_cast<std::int64_t>(series.size_) / span;
    const std::int64_t begin = from / span;
    return {{node.level, begin}, {node.level, std::max(begin, std::min(to / span + 1, complete))}};
  }
  std::int64_t first(Place node) const { return node.index * node.span(); }
  std::int64_t last(Place node) const { return first(node) + node.span() - 1; }
  bool take(Place node) {
    const auto at = static_cast<std::size_t>(first(node));
    const Chunk& chunk = *series.chunks_[at / kChunk];
    return whole(chunk, chunk.levels[node.level - 1][at % kChunk / kSpans[node.level - 1]], at / kChunk * kChunk);
  }
  bool points(std::int64_t from, std::int64_t to) {
    for (auto at = static_cast<std::size_t>(from); at <= static_cast<std::size_t>(to); ++at)
      if (!point(at, series.y(at))) return false;
    return true;
  }
};

/// Visits a range in order: calls `whole(chunk, node, base)` for the largest nodes inside, which returns false to
/// descend; at the lowest level `point(at, y)`, which returns false to stop.
template <typename Whole, typename Point>
void LongSeries::visit(std::size_t from, std::size_t to, Whole whole, Point point) const {
  Visitor<Whole, Point> visitor{*this, whole, point};
  visitPyramid(visitor, static_cast<int>(kSpans.size()), static_cast<std::int64_t>(from),
               static_cast<std::int64_t>(std::min(to, size_)) - 1);
}

LongSeries::Extremes LongSeries::extremes(std::size_t from, std::size_t to, double least) const {
  Extremes found;
  double low = 0, high = 0;
  const auto include = [&](std::size_t at, double value) {
    if (!found.found || value < low) {
      found.low = at;
      low = value;
    }
    if (!found.found || value > high) {
      found.high = at;
      high = value;
    }
    found.found = true;
  };
  visit(
      from, to,
      [&](const Chunk& chunk, const Node& node, std::size_t base) {
        found.hasExcluded = found.hasExcluded || node.nonFinite > 0;
        if (node.low == kNone) return true;
        if (chunk.y[node.low] < least) return false;
        const auto [first, second] = std::minmax(node.low, node.high);
        include(base + first, chunk.y[first]);
        include(base + second, chunk.y[second]);
        return true;
      },
      [&](std::size_t at, double value) {
        if (std::isfinite(value) && value >= least)
          include(at, value);
        else
          found.hasExcluded = true;
        return true;
      });
  return found;
}

ValueRange LongSeries::range(std::size_t from, std::size_t to, double least) const {
  const Extremes found = extremes(from, to, least);
  return found.found ? ValueRange{y(found.low), y(found.high), true} : ValueRange{};
}

ValueRange LongSeries::medianRange(std::size_t from, std::size_t to) const {
  ValueRange medians;
  std::array<double, kGroup> group{};
  std::size_t filled = 0;
  visit(
      from, to,
      [&](const Chunk& chunk, const Node& node, std::size_t) {
        for (const std::uint16_t place : {node.medianLow, node.medianHigh})
          if (place != kNone) medians.include(chunk.y[place]);
        filled = 0;
        return true;
      },
      [&](std::size_t, double value) {
        if (!std::isfinite(value)) return true;
        group[filled++] = value;
        if (filled < kGroup) return true;
        std::nth_element(group.begin(), group.begin() + 2, group.end());
        medians.include(group[2]);
        filled = 0;
        return true;
      });
  return medians;
}

std::size_t LongSeries::firstOutside(std::size_t from, std::size_t to, double low, double high) const {
  std::size_t found = to;
  visit(
      from, to,
      [&](const Chunk& chunk, const Node& node, std::size_t) {
        return found == to && node.nonFinite == 0 && chunk.y[node.low] >= low && chunk.y[node.high] <= high;
      },
      [&](std::size_t at, double value) {
        if (std::isfinite(value) && value >= low && value <= high) return true;
        found = at;
        return false;
      });
  return found;
}

std::size_t LongSeries::countOutside(std::size_t from, std::size_t to, double low, double high) const {
  std::size_t count = 0;
  visit(
      from, to,
      [&](const Chunk& chunk, const Node& node, std::size_t) {
        return node.low == kNone || (chunk.y[node.low] >= low && chunk.y[node.high] <= high);
      },
      [&](std::size_t, double value) {
        if (std::isfinite(value) && (value < low || value > high)) ++count;
        return true;
      });
  return count;
}

std::size_t LongSeries::countNonFinite(std::size_t from, std::size_t to) const {
  std::size_t count = 0;
  visit(
      from, to,
      [&](const Chunk&, const Node& node, std::size_t) {
        count += node.nonFinite;
        return true;
      },
      [&](std::size_t, double value) {
        if (!std::isfinite(value)) ++count;
        return true;
      });
  return count;
}

std::size_t LongSeries::bytes() const {
  std::size_t sum = chunks_.capacity() * sizeof(chunks_[0]);
  for (const auto& chunk : chunks_) {
    sum += sizeof(Chunk) + (chunk->y.capacity() + chunk->unevenX.capacity()) * sizeof(double);
    for (const auto& level : chunk->levels) sum += level.capacity() * sizeof(Node);
  }
  return sum;
}

}  // namespace batchwise
