// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QRectF>
#include <optional>
#include <vector>

#include "ui/widgets/charts/plot_frame.h"
#include "ui/widgets/charts/series_chart.h"

class QPainter;
class QPen;

namespace batchwise {

/// Input of the painting functions below. Holds references: valid for one painting only.
struct ChartScene {
  const SeriesChart::Spec& spec;
  const ChartContent& content;
  const PlotFrame& frame;
  const Theme& theme;
  QSizeF size;
  /// Decimated points of each line over the clock; a NaN interrupts the line.
  const std::vector<QList<QPointF>>& drawn;
  double pixel;  ///< width of a column of pixels
};

/// Returns the pen of a line for its kind and color.
QPen chartPen(const ChartLine& line, const ThemeColors& colors);

/// Paints what lies behind the other lines: background, grid, resume marks and dense lines.
void paintBackground(QPainter& painter, const ChartScene& scene);
/// Paints the other lines, for pictures, in which Qt Charts does not draw them. Covers what extends beyond the plot.
void paintLines(QPainter& painter, const ChartScene& scene);
/// Returns true for a line with more points than columns of pixels. paintBackground() draws it as one bar per column,
/// which looks like the line and takes a tenth of the time.
bool isDense(const ChartScene& scene, std::size_t line);
/// Paints title, ticks, events, dots, marks and labels.
void paintForeground(QPainter& painter, const ChartScene& scene);
/// Paints the vertical cursor line at `x`, and beside it a card of texts unless `card` is empty.
void paintCursor(QPainter& painter, const ChartScene& scene, double x, const QStringList& card);

}  // namespace batchwise
