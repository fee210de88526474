// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QPointF>
#include <limits>
#include <span>
#include <vector>

#include "ui/models/long_series.h"

namespace batchwise {

// What a chart needs of a series with many points. Pure functions.

/// What there is to draw of `series` in columns between neighbouring `edges` (ascending x): lowest and highest value of
/// each column in their order, and the neighbour on each side so that lines reach the edges. Draws the same pixels as
/// all points would. Values that are not finite, or below `least`, are left out and end the line: there a point with a
/// NaN stands, so that no line is drawn across. At most two points a column, up to 24 where it has such gaps.
QList<QPointF> decimate(const LongSeries& series, std::span<const double> edges,
                        double least = std::numeric_limits<double>::lowest());

/// `columns` + 1 places, equally far apart.
std::vector<double> evenEdges(double from, double to, int columns);

/// The same values as a staircase: each value holds until the next x, or the NaN.
QList<QPointF> staircase(const QList<QPointF>& points);

/// Positions within [fromX, toX], and the neighbour on each side: [from, to).
struct Stretch {
  std::size_t from = 0, to = 0;
};
Stretch stretchAround(const LongSeries& series, double fromX, double toX);

/// The range without lone spikes: that of the medians of some five neighbours each, widened by half of its height at
/// both ends, and cut to the values. What lasts for three points, as the beginning of a run does, is no spike. The
/// whole range for fewer than 15 values and for constants.
ValueRange robustRange(const LongSeries& series, Stretch stretch);

/// Round numbers (1, 2 or 5 times a power of ten apart) inside [low, high], about `wanted` of them.
std::vector<double> niceTicks(double low, double high, int wanted);

}  // namespace batchwise
