// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QStringList>
#include <QtGui/QFontMetricsF>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ui/models/chart_content.h"

namespace batchwise {

/// How the value axis is chosen.
struct PlotSetting {
  ValueFormat format = ValueFormat::Plain;
  bool fromZero = false;               ///< begins at 0; not on a logarithmic axis
  bool logarithmic = false;            ///< values at or below 0 cannot be shown then: they are counted
  bool robust = false;                 ///< lone spikes may lie outside: they are counted
  std::optional<AxisRange> part = {};  ///< of the x axis; nothing: everything
};

/// Where things lie in a chart: ranges of values, rectangle of the plot, ticks. Pure; all sizes follow from the font.
struct PlotFrame {
  double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
  QRectF plot;
  std::vector<double> xTicks, yTicks;
  QStringList outside;  ///< what lies outside the picture, in words: reference lines and values
  bool hasValues = false;
  bool logarithmic = false;
  std::int64_t hidden = 0;  ///< values at or below 0 on a logarithmic axis
  std::int64_t beyond = 0;  ///< values above or below the axis

  /// What is drawn on an even scale: the value, or its logarithm.
  double scaled(double y) const { return logarithmic ? std::log10(y) : y; }
  /// The lowest value that can be shown: on a logarithmic axis, the smallest above 0.
  double least() const {
    return logarithmic ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<double>::lowest();
  }
  bool canShow(double y) const { return std::isfinite(y) && (!logarithmic || y > 0); }
  double pixelX(double x) const { return plot.left() + (x - xLow) / (xHigh - xLow) * plot.width(); }
  double pixelY(double y) const {
    return plot.bottom() - (scaled(y) - scaled(yLow)) / (scaled(yHigh) - scaled(yLow)) * plot.height();
  }
  QPointF pixel(const QPointF& point) const { return {pixelX(point.x()), pixelY(point.y())}; }
  double valueX(double pixel) const { return xLow + (pixel - plot.left()) / plot.width() * (xHigh - xLow); }
};

/// What the value axis of `content` must be for the shown part, and the plot's place in a widget of `size`.
PlotFrame plotFrame(const ChartContent& content, const PlotSetting& setting, QSizeF size, const QFontMetricsF& metrics);

/// Where measured values of the shown part are not finite, ascending, over the clock: the first of each pixel and line.
std::vector<double> nonFinitePlaces(const ChartContent& content, const PlotFrame& frame);

/// What there is to draw of each line, over the clock, in `columns` columns of the shown part; see decimate().
std::vector<QList<QPointF>> drawnLines(const ChartContent& content, const PlotFrame& frame, int columns);

/// A tick's number: short, without a unit.
QString tickText(double value, ValueFormat format);

}  // namespace batchwise
