// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QPointF>
#include <cstddef>
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

/// Points in ascending order of x, up to millions, with the extremes of each block of 32 and each chunk of 4,096: a
/// query reads those of its range, and points at its ends only. About 9 bytes per point for evenly spaced x, else 17. y
/// may be NaN or infinite. A value type: copies share points, and a copy that is modified copies at most 4,096 of them.
/// Positions count from 0; ranges are half-open, [from, to).
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

  /// Return size() if there is none. `from`: none of the earlier points is the one; fast if it is near.
  std::size_t firstAtOrAfter(double x, std::size_t from = 0) const;
  std::size_t firstAfter(double x) const;

  /// Positions of the lowest and highest finite value >= `least`; the first of equal ones.
  struct Extremes {
    std::size_t low = 0, high = 0;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;  ///< the values there, if found()
    bool hasExcluded = false;  ///< a value is not finite or below `least`
    bool found() const { return lowest <= highest; }
  };
  Extremes extremes(std::size_t from, std::size_t to, double least = std::numeric_limits<double>::lowest()) const;
  /// The values at extremes().
  ValueRange range(std::size_t from, std::size_t to, double least = std::numeric_limits<double>::lowest()) const;
  /// Range of medians over groups of five consecutive points, the last five among them.
  ValueRange medianRange(std::size_t from, std::size_t to) const;
  /// First position whose value is not finite or outside [low, high]; `to` if none.
  std::size_t firstOutside(std::size_t from, std::size_t to, double low, double high) const;
  /// Number of finite values outside [low, high].
  std::size_t countOutside(std::size_t from, std::size_t to, double low, double high) const;
  std::size_t countNonFinite(std::size_t from, std::size_t to) const;

  /// Memory of points and blocks.
  std::size_t bytes() const;

 private:
  struct Block;
  struct Chunk;

  template <typename Whole, typename Part>
  void visit(std::size_t from, std::size_t to, Whole whole, Part part) const;
  template <typename Before>
  std::size_t partition(double x, std::size_t from, Before before) const;

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

// Reduction of long series for drawing. Pure functions.

/// Half-open range of positions [from, to).
struct IndexRange {
  std::size_t from = 0, to = 0;
};

/// Reduces `series` to the points that draw the same pixels: for each column between adjacent `edges` (ascending x),
/// the lowest and highest value in order of x, plus one neighbor beyond each end. Values that are not finite, or below
/// `least`, are replaced by a NaN point that breaks the line. At most two points per column, up to 24 in a column with
/// gaps.
QList<QPointF> decimate(const LongSeries& series, std::span<const double> edges,
                        double least = std::numeric_limits<double>::lowest());

/// Returns the points of `stretch`, with NaN in place of values as in decimate().
QList<QPointF> everyPoint(const LongSeries& series, IndexRange stretch,
                          double least = std::numeric_limits<double>::lowest());

/// Returns `columns` + 1 equidistant values.
std::vector<double> evenEdges(double from, double to, int columns);

/// Converts to a staircase: each value holds until the next x, or until a NaN.
QList<QPointF> staircase(const QList<QPointF>& points);

IndexRange indexRangeAround(const LongSeries& series, double fromX, double toX);

/// Range of the values without isolated spikes: the range of medians over groups of five neighbors, extended by half of
/// its height at both ends and clipped to the actual range. Features of three or more points, such as the initial loss,
/// are kept. Returns the full range for fewer than 15 values and for constants.
ValueRange robustRange(const LongSeries& series, IndexRange stretch);

}  // namespace batchwise
