// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QPointF>
#include <limits>
#include <span>
#include <vector>

#include "ui/charts/long_series.h"

namespace batchwise {

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
