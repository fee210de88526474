// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QSizeF>
#include <QtGui/QPen>

#include "ui/charts/plot_frame.h"
#include "ui/charts/series_chart.h"
#include "ui/theme/theme.h"

class QImage;
class QPainter;

namespace batchwise {

/// Input of the painting functions. Holds references: valid for one painting only.
struct ChartScene {
  const ChartTitle& title;
  const ChartContent& content;
  const PlotFrame& frame;
  const Theme& theme;
  QSizeF size;
  const DrawnChart& drawn;
  QImage* image = nullptr;  ///< what the painter paints on, opaque; null: a drawing without pixels
  QString emphasized = {};  ///< name of the emphasized lines; empty: all are equal
};

/// Returns the pen of a line for its kind and color.
QPen chartPen(LineKind kind, int color, const ThemeColors& colors);
/// Returns the pen of a line of the scene: wider if it is emphasized, faded if another one is.
QPen linePen(const ChartScene& scene, std::size_t line);

/// Paints bands, then planned and reference lines, superseded rows, raw values, all other lines, and the emphasized
/// ones in front of them. Nothing extends beyond the plot.
void paintLines(QPainter& painter, const ChartScene& scene);
/// Paints the dots of points, and of lines that have no second point.
void paintDots(QPainter& painter, const ChartScene& scene);
/// Paints a piece of line, dot or both, kSwatchWidth wide, from its left end on.
void paintSwatch(QPainter& painter, LineKind kind, const QPen& pen, QPointF left);

/// Paints all of a chart but its ground and the cursor.
void paintChart(QPainter& painter, const ChartScene& scene);
/// Paints the entries of a legend of lines of the scene.
void paintLegend(QPainter& painter, const ChartLegend& legend, const ChartScene& scene);
/// Paints the vertical cursor line at `x`.
void paintCursor(QPainter& painter, const ChartScene& scene, double x);

/// Returns the name of the line within a few pixels of `place`, or of the legend's entry there; empty: none.
QString nameNear(const ChartScene& scene, QPointF place);

}  // namespace batchwise
