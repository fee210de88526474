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

/// What surrounds the lines of a chart: title, grid, ticks, marks, names, cursor and card. Keeps references: for one
/// painting only.
struct ChartScene {
  const SeriesChart::Spec& spec;
  const ChartContent& content;
  const PlotFrame& frame;
  const Theme& theme;
  QSizeF size;
  /// The points of each line that its pixels show, over the clock; a NaN ends a piece of the line.
  const std::vector<QList<QPointF>>& drawn;
  double pixel;  ///< width of a column
};

/// Pen of a line by its kind and colour.
QPen chartPen(const ChartLine& line, const ThemeColors& colors);

/// Ground, grid, seams and dense lines: what lies behind the other lines.
void paintBehind(QPainter& painter, const ChartScene& scene);
/// The other lines, for pictures in which nothing else draws them. What reaches beyond the plot is covered.
void paintLines(QPainter& painter, const ChartScene& scene);
/// True for a line with more points than columns of pixels: paintBehind() draws it, as a bar in each column. That looks
/// as the line does and takes a tenth of the time.
bool isDense(const ChartScene& scene, std::size_t line);
/// Everything else but cursor and card.
void paintAround(QPainter& painter, const ChartScene& scene);
/// The upright line at `x`, and a card of texts beside it if there are any.
void paintCursor(QPainter& painter, const ChartScene& scene, double x, const QStringList& card);

}  // namespace batchwise
