// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QStringList>
#include <QtGui/QFontMetricsF>
#include <vector>

#include "ui/models/chart_content.h"

namespace batchwise {

/// Where things lie in a chart: ranges of values, rectangle of the plot, ticks. Pure; all sizes follow from the font.
struct PlotFrame {
  double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
  QRectF plot;
  std::vector<double> xTicks, yTicks;
  QStringList outside;  ///< names with values of reference lines that lie outside the range
  bool hasValues = false;

  double pixelX(double x) const { return plot.left() + (x - xLow) / (xHigh - xLow) * plot.width(); }
  double pixelY(double y) const { return plot.bottom() - (y - yLow) / (yHigh - yLow) * plot.height(); }
  QPointF pixel(const QPointF& point) const { return {pixelX(point.x()), pixelY(point.y())}; }
  double valueX(double pixel) const { return xLow + (pixel - plot.left()) / plot.width() * (xHigh - xLow); }
};

/// What the value axis of `content` must be, and the plot's place in a widget of `size`.
PlotFrame plotFrame(const ChartContent& content, ValueFormat format, bool fromZero, QSizeF size,
                    const QFontMetricsF& metrics);

/// A tick's number: short, without a unit.
QString tickText(double value, ValueFormat format);

}  // namespace batchwise
