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

/// Lowest and highest finite value; `found` is false if there is none.
struct ValueRange {
  double low = 0, high = 0;
  bool found = false;
  void include(double value);
};

/// Points in ascending order of x, perhaps millions, with a pyramid of their lowest and highest values: what lies in
/// any stretch is found in a time that hardly depends on its length. About 9 bytes a point where x is evenly spaced, 17
/// elsewhere. y may be NaN or infinite. A value: copies share their points, and a copy that grows or shrinks copies at
/// most 4,096 of them. Positions count from 0; stretches are [from, to).
class LongSeries {
 public:
  LongSeries() = default;
  LongSeries(std::initializer_list<QPointF> points) : LongSeries(std::span(points.begin(), points.size())) {}
  explicit LongSeries(std::span<const QPointF> points);

  /// `x` is not below the x of the last point.
  void append(double x, double y);
  /// Keeps the first `size` points; nothing happens if there are fewer.
  void truncate(std::size_t size);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double x(std::size_t at) const;
  double y(std::size_t at) const;
  QPointF operator[](std::size_t at) const { return {x(at), y(at)}; }
  QPointF front() const { return (*this)[0]; }
  QPointF back() const { return (*this)[size_ - 1]; }

  /// size() if there is none.
  std::size_t firstAtOrAfter(double x) const;
  std::size_t firstAfter(double x) const;

  /// Where the lowest and the highest finite value lie that are at least `least`; the first of equal ones.
  struct Extremes {
    std::size_t low = 0, high = 0;
    bool found = false;
    bool leftOut = false;  ///< something lies there that is not finite or below `least`
  };
  Extremes extremes(std::size_t from, std::size_t to, double least = std::numeric_limits<double>::lowest()) const;
  /// The values at those places.
  ValueRange range(std::size_t from, std::size_t to, double least = std::numeric_limits<double>::lowest()) const;
  /// Lowest and highest median of some five neighbours.
  ValueRange medianRange(std::size_t from, std::size_t to) const;
  /// The first point that is not finite or outside [low, high]; `to` if there is none.
  std::size_t firstOutside(std::size_t from, std::size_t to, double low, double high) const;
  /// Finite values outside [low, high].
  std::size_t countOutside(std::size_t from, std::size_t to, double low, double high) const;
  std::size_t countNonFinite(std::size_t from, std::size_t to) const;

  /// What the points and the pyramid take in memory.
  std::size_t bytes() const;

 private:
  /// Of 16, 256 or 4,096 points: offsets in their chunk.
  struct Node {
    std::uint16_t low, high;              // kNone: no finite value
    std::uint16_t medianLow, medianHigh;  // kNone: no five finite neighbours
    std::uint16_t nonFinite;
  };
  struct Chunk;

  template <typename Whole, typename Point>
  void visit(std::size_t from, std::size_t to, Whole whole, Point point) const;
  std::size_t partition(double x, bool after) const;

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace batchwise
