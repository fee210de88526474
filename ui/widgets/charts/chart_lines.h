// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QSizeF>
#include <QtGui/QPen>

#include "ui/theme/theme.h"
#include "ui/widgets/charts/plot_frame.h"
#include "ui/widgets/charts/series_chart.h"

class QPainter;

namespace batchwise {

class LineRaster;

/// Input of the painting functions. Holds references: valid for one painting only.
struct ChartScene {
  const SeriesChart::Spec& spec;
  const ChartContent& content;
  const PlotFrame& frame;
  const Theme& theme;
  QSizeF size;
  const DrawnChart& drawn;
  LineRaster* raster = nullptr;  ///< for lines of many points; null: all lines are paths, in a drawing without pixels
  double pixel = 1;              ///< width of a column of pixels
  QString emphasized = {};       ///< name of the emphasized lines; empty: all are equal
};

/// Returns the pen of a line for its kind and color.
QPen chartPen(LineKind kind, int color, const ThemeColors& colors);
/// Returns the pen of a line of the scene: wider if it is emphasized, faded if another one is.
QPen linePen(const ChartScene& scene, std::size_t line);

/// Returns true for a line that is painted by LineRaster: any that has more than a few points, but no dashed one before
/// it has more than columns of pixels.
bool isForRaster(const ChartScene& scene, std::size_t line);
/// Returns true for a line in front of the planned, superseded and raw ones that paintLinesBehind() and
/// paintEmphasized() leave to Qt Charts.
bool isForQtCharts(const ChartScene& scene, std::size_t line);

/// Paints what lies behind the other lines: bands, then planned and reference lines, superseded rows, raw values, then
/// dense lines.
void paintLinesBehind(QPainter& painter, const ChartScene& scene);
/// Paints the lines that Qt Charts draws on the screen, for pictures. Covers what extends beyond the plot.
void paintLines(QPainter& painter, const ChartScene& scene);
/// Paints the emphasized lines in front of all.
void paintEmphasized(QPainter& painter, const ChartScene& scene);
/// Paints the dots of points, and of lines that have no second point.
void paintDots(QPainter& painter, const ChartScene& scene);
/// Paints a piece of line, dot or both, kSwatchWidth wide, from its left end on.
void paintSwatch(QPainter& painter, LineKind kind, const QPen& pen, QPointF left);

/// Returns the name of the line within a few pixels of `place`, or of the legend's entry there; empty: none.
QString nameNear(const ChartScene& scene, QPointF place);

}  // namespace batchwise
