// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace batchwise {

/// Range of finite values; `found` is false if there are none.
struct ValueRange {
  double low = 0, high = 0;
  bool found = false;
  void include(double value);
};

/// Points in ascending order of x, up to millions, with a pyramid of extremes over 16, 256 and 4,096 points: range
/// queries cost nearly the same for any length. About 9 bytes per point for evenly spaced x, else 17. y may be NaN or
/// infinite. A value type: copies share points, and a copy that is modified copies at most 4,096 of them. Positions
/// count from 0; ranges are half-open, [from, to).
class LongSeries {
 public:
  LongSeries() = default;
  LongSeries(std::initializer_list<QPointF> points) : LongSeries(std::span(points.begin(), points.size())) {}
  explicit LongSeries(std::span<const QPointF> points);

  /// Requires `x` >= x of the last point.
  void append(double x, double y);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double x(std::size_t at) const;
  double y(std::size_t at) const;
  QPointF operator[](std::size_t at) const { return {x(at), y(at)}; }
  QPointF front() const { return (*this)[0]; }
  QPointF back() const { return (*this)[size_ - 1]; }

  /// Return size() if there is none.
  std::size_t firstAtOrAfter(double x) const;
  std::size_t firstAfter(double x) const;
  /// firstAtOrAfter() of each of these, ascending, values.
  std::vector<std::size_t> firstsAtOrAfter(std::span<const double> ascending) const;

  /// Positions of the lowest and highest finite value >= `least`; the first of equal ones.
  struct Extremes {
    std::size_t low = 0, high = 0;
    bool found = false;
    bool hasExcluded = false;  ///< a value is not finite or below `least`
  };
  Extremes extremes(std::size_t from, std::size_t to, double least = std::numeric_limits<double>::lowest()) const;
  /// extremes() of the ranges between adjacent `starts`, which ascend.
  std::vector<Extremes> extremesBetween(std::span<const std::size_t> starts,
                                        double least = std::numeric_limits<double>::lowest()) const;
  /// The values at extremes().
  ValueRange range(std::size_t from, std::size_t to, double least = std::numeric_limits<double>::lowest()) const;
  /// Range of medians over groups of five (at times six) consecutive points, the last five among them.
  ValueRange medianRange(std::size_t from, std::size_t to) const;
  /// First position whose value is not finite or outside [low, high]; `to` if none.
  std::size_t firstOutside(std::size_t from, std::size_t to, double low, double high) const;
  /// Number of finite values outside [low, high].
  std::size_t countOutside(std::size_t from, std::size_t to, double low, double high) const;
  std::size_t countNonFinite(std::size_t from, std::size_t to) const;

  /// Lets the processor load y at a position that will be read soon.
  void prefetch(std::size_t at) const;
  /// Memory of points and pyramid.
  std::size_t bytes() const;

 private:
  /// Extremes of 16, 256 or 4,096 points, as offsets in the chunk.
  struct Node {
    std::uint16_t low, high;              // kNone: no finite value
    std::uint16_t medianLow, medianHigh;  // kNone: no group of finite neighbors
    std::uint16_t nonFinite;
    float lowValue, highValue;  // rounded: most comparisons need no point, which is far away in memory
  };
  struct Chunk;
  class Search;

  template <typename Whole, typename Point>
  void visit(std::size_t from, std::size_t to, Whole whole, Point point) const;
  std::size_t partition(double x, bool after) const;

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace batchwise
