// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/long_series.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "ui/models/pyramid.h"

namespace batchwise {
namespace {

constexpr std::size_t kFanout = kPyramidFanout;
constexpr std::array kSpans = {kFanout, kFanout* kFanout, kFanout* kFanout* kFanout};  // points per node, by level
constexpr std::size_t kChunk = kSpans.back();
constexpr std::uint16_t kNone = 0xFFFF;
constexpr std::size_t kGroup = 5;  // points per median

/// Keeps the order, but for values that become equal.
float rounded(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

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

  /// Number of levels that have a node which begins at `at` and spans at most `most` points.
  std::size_t coarsestAt(std::size_t at, std::size_t most) const {
    std::size_t level = 0;
    while (level < kSpans.size() && at % kSpans[level] == 0 && kSpans[level] <= most &&
           at / kSpans[level] < levels[level].size())
      ++level;
    return level;
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
    Node node{kNone, kNone, kNone, kNone, 0, 0, 0};
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
    return withValues(node);
  }

  Node withValues(Node node) const {
    if (node.low == kNone) return node;
    node.lowValue = rounded(y[node.low]);
    node.highValue = rounded(y[node.high]);
    return node;
  }

  /// Combines the last nodes of the level below.
  Node ofNodes(const std::vector<Node>& below) const {
    Node node{kNone, kNone, kNone, kNone, 0, 0, 0};
    for (auto one = below.end() - kFanout; one != below.end(); ++one) {
      includeLow(node.low, one->low);
      includeHigh(node.high, one->high);
      includeLow(node.medianLow, one->medianLow);
      includeHigh(node.medianHigh, one->medianHigh);
      node.nonFinite = static_cast<std::uint16_t>(node.nonFinite + one->nonFinite);
    }
    return withValues(node);
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

std::vector<std::size_t> LongSeries::firstsAtOrAfter(std::span<const double> ascending) const {
  std::vector<std::size_t> found;
  found.reserve(ascending.size());
  std::size_t chunk = 0;
  for (const double x : ascending) {
    const auto before = [x](double own) { return own < x; };
    while (chunk < chunks_.size() && before(chunks_[chunk]->x(chunks_[chunk]->y.size() - 1))) ++chunk;
    found.push_back(chunk == chunks_.size() ? size_ : chunk * kChunk + chunks_[chunk]->partition(x, before));
  }
  return found;
}

std::size_t LongSeries::partition(double x, bool after) const {
  const auto before = [x, after](double own) { return after ? own <= x : own < x; };
  const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(), [&](const std::shared_ptr<Chunk>& one) {
    return before(one->x(one->y.size() - 1));
  });
  if (chunk == chunks_.end()) return size_;
  return static_cast<std::size_t>(chunk - chunks_.begin()) * kChunk + (*chunk)->partition(x, before);
}

/// Visits a range in order: calls `whole(chunk, node, base)` for the largest nodes inside, which returns false to
/// descend; at the lowest level `point(at, y)`, which returns false to stop.
template <typename Whole, typename Point>
void LongSeries::visit(std::size_t from, std::size_t to, Whole whole, Point point) const {
  to = std::min(to, size_);
  for (std::size_t at = from; at < to;) {
    const std::size_t base = at / kChunk * kChunk, within = at - base;
    const Chunk& chunk = *chunks_[at / kChunk];
    std::size_t level = chunk.coarsestAt(within, to - at);
    for (; level > 0; --level) {
      const std::vector<Node>& nodes = chunk.levels[level - 1];
      const std::size_t span = kSpans[level - 1], first = within / span;
      const std::size_t last = std::min({(to - base) / span, nodes.size(), (first / kFanout + 1) * kFanout});
      std::size_t node = first;
      while (node < last && whole(chunk, nodes[node], base)) ++node;
      at += (node - first) * span;
      if (node > first) break;
    }
    if (level > 0) continue;
    const std::size_t end = std::min(to, base + (within / kFanout + 1) * kFanout);
    for (; at < end; ++at)
      if (!point(at, chunk.y[at - base])) return;
  }
}

/// Finds extremes. Looks at whole groups of points first: then those of which a part is wanted are hardly ever better,
/// and need not be read.
class LongSeries::Search {
 public:
  Search(const LongSeries& series, double least) : series_(series), least_(least), leastRounded_(rounded(least)) {}

  Extremes find(std::size_t from, std::size_t to) {
    if (to - from < 2 * kFanout) {
      addPoints(from, to);
      return found_;
    }
    const std::size_t whole = std::min(to, (from + kFanout - 1) / kFanout * kFanout);
    const std::size_t rest = std::max(whole, to / kFanout * kFanout);
    addAll(whole, rest);
    addPart(from, whole);
    addPart(rest, to);
    return found_;
  }

 private:
  /// With values that are rounded: equal ones are compared exactly.
  struct Found : Extremes {
    float lowValue = 0, highValue = 0;

    void addLow(const LongSeries& series, std::size_t at, float value) {
      if (found && value >= lowValue && !(value == lowValue && isBefore(series, at, low, std::less()))) return;
      low = at;
      lowValue = value;
    }
    void addHigh(const LongSeries& series, std::size_t at, float value) {
      if (found && value <= highValue && !(value == highValue && isBefore(series, at, high, std::greater()))) return;
      high = at;
      highValue = value;
    }
    void add(const LongSeries& series, std::size_t lowAt, float newLow, std::size_t highAt, float newHigh) {
      addLow(series, lowAt, newLow);
      addHigh(series, highAt, newHigh);
      found = true;
    }
    /// The first of equal ones is.
    template <typename Order>
    static bool isBefore(const LongSeries& series, std::size_t at, std::size_t other, Order order) {
      const double own = series.y(at), others = series.y(other);
      return order(own, others) || (own == others && at < other);
    }
  };

  void addAll(std::size_t from, std::size_t to) {
    Found found = found_;  // in registers
    series_.visit(
        from, to,
        [&](const Chunk& chunk, const Node& node, std::size_t base) {
          found.hasExcluded = found.hasExcluded || node.nonFinite > 0;
          if (node.low == kNone) return true;
          if (node.lowValue <= leastRounded_ && chunk.y[node.low] < least_) return false;
          found.add(series_, base + node.low, node.lowValue, base + node.high, node.highValue);
          return true;
        },
        [&](std::size_t at, double value) {
          if (std::isfinite(value) && value >= least_)
            found.add(series_, at, rounded(value), at, rounded(value));
          else
            found.hasExcluded = true;
          return true;
        });
    found_ = found;
  }
  void addPoints(std::size_t from, std::size_t to) {
    while (from < to) {
      const std::vector<double>& values = series_.chunks_[from / kChunk]->y;
      const std::size_t base = from / kChunk * kChunk, end = std::min(to, base + kChunk);
      constexpr double kMost = std::numeric_limits<double>::max();
      double low = kMost, high = -kMost;
      std::size_t lowAt = end, highAt = end;
      for (; from < end; ++from) {
        const double value = values[from - base];
        if (!(value >= least_ && value <= kMost)) {
          found_.hasExcluded = true;
          continue;
        }
        if (value < low || lowAt == end) low = value, lowAt = from;
        if (value > high || highAt == end) high = value, highAt = from;
      }
      if (lowAt < end) found_.add(series_, lowAt, rounded(low), highAt, rounded(high));
    }
  }
  /// Adds points of one group.
  void addPart(std::size_t from, std::size_t to) {
    if (from == to) return;
    const std::vector<Node>& nodes = series_.chunks_[from / kChunk]->levels[0];
    const std::size_t group = from % kChunk / kFanout, base = from / kChunk * kChunk;
    if (!found_.found || group >= nodes.size() || nodes[group].nonFinite > 0 || nodes[group].lowValue <= leastRounded_)
      return addPoints(from, to);
    const Node& node = nodes[group];
    const auto isIn = [&](std::uint16_t place) { return base + place >= from && base + place < to; };
    const bool mayBeLower = node.lowValue <= found_.lowValue, mayBeHigher = node.highValue >= found_.highValue;
    if ((mayBeLower && !isIn(node.low)) || (mayBeHigher && !isIn(node.high))) return addPoints(from, to);
    if (mayBeLower) found_.addLow(series_, base + node.low, node.lowValue);
    if (mayBeHigher) found_.addHigh(series_, base + node.high, node.highValue);
  }

  const LongSeries& series_;
  double least_;
  float leastRounded_;
  Found found_;
};

LongSeries::Extremes LongSeries::extremes(std::size_t from, std::size_t to, double least) const {
  to = std::min(to, size_);
  return from < to ? Search(*this, least).find(from, to) : Extremes();
}

/// Most of the time is that of memory, where the ends of long ranges lie far apart: they are asked for before their
/// turn comes, as is what the caller will read.
std::vector<LongSeries::Extremes> LongSeries::extremesBetween(std::span<const std::size_t> starts, double least) const {
  constexpr std::size_t kAhead = 4;
  std::vector<Extremes> found;
  found.reserve(starts.size());
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const bool isLong = starts[i] - starts[i - 1] > 2 * kFanout;
    if (isLong && i + kAhead < starts.size()) {
      const std::size_t group = starts[i + kAhead] / kFanout * kFanout;
      prefetch(group);
      prefetch(group + kFanout / 2);
    }
    const Extremes& added = found.emplace_back(extremes(starts[i - 1], starts[i], least));
    if (!isLong) continue;
    prefetch(added.low);
    prefetch(added.high);
  }
  return found;
}

void LongSeries::prefetch(std::size_t at) const {
  if (at < size_) __builtin_prefetch(chunks_[at / kChunk]->y.data() + at % kChunk);
}

ValueRange LongSeries::range(std::size_t from, std::size_t to, double least) const {
  const Extremes found = extremes(from, to, least);
  return found.found ? ValueRange{y(found.low), y(found.high), true} : ValueRange{};
}

ValueRange LongSeries::medianRange(std::size_t from, std::size_t to) const {
  to = std::min(to, size_);
  ValueRange medians;
  std::array<double, kGroup> group{};
  std::size_t filled = 0;
  const auto add = [&](double value) {
    if (!std::isfinite(value)) return;
    group[filled++] = value;
    if (filled < kGroup) return;
    std::nth_element(group.begin(), group.begin() + 2, group.end());
    medians.include(group[2]);
    filled = 0;
  };
  visit(
      from, to,
      [&](const Chunk& chunk, const Node& node, std::size_t) {
        for (const std::uint16_t place : {node.medianLow, node.medianHigh})
          if (place != kNone) medians.include(chunk.y[place]);
        filled = 0;
        return true;
      },
      [&](std::size_t, double value) {
        add(value);
        return true;
      });
  if (filled > 0) {  // the last points need not fill a group: that of the last five overlaps the one before
    filled = 0;
    for (std::size_t at = to - std::min(kGroup, to - from); at < to; ++at) add(y(at));
  }
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
