// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QPointF>
#include <span>
#include <vector>

namespace batchwise {

// What a chart needs of a series with many points. Pure functions; `points` have x in ascending order.

/// Smallest and largest finite value of each of `columns` equal stretches of [fromX, toX], in order of position: at
/// most two points per column, plus the neighbour on each side so that lines reach the edges. Draws the same pixels as
/// all points would. Non-finite values are left out.
QList<QPointF> decimate(std::span<const QPointF> points, double fromX, double toX, int columns);

/// The same values as a staircase: each value holds until the next x.
QList<QPointF> staircase(std::span<const QPointF> points);

/// The x of every NaN and infinity.
std::vector<double> nonFinitePositions(std::span<const QPointF> points);

/// Lowest and highest finite value; `found` is false if there is none.
struct ValueRange {
  double low = 0, high = 0;
  bool found = false;
  void include(double value);
};
ValueRange finiteRange(std::span<const QPointF> points);
/// The range without lone spikes: that of the medians of five neighbours each, widened by half of its height at both ends,
/// and cut to the values. What lasts for three points, as the beginning of a run does, is no spike. The whole range for
/// fewer than 15 values and for constants.
ValueRange robustRange(std::span<const QPointF> points);

/// The points within [fromX, toX], and the neighbour on each side.
std::span<const QPointF> pointsWithin(std::span<const QPointF> points, double fromX, double toX);

/// Round numbers (1, 2 or 5 times a power of ten apart) inside [low, high], about `wanted` of them.
std::vector<double> niceTicks(double low, double high, int wanted);

}  // namespace batchwise
