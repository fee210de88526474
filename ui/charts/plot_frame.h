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

#include "ui/charts/chart_content.h"
#include "ui/charts/chart_legend.h"

namespace batchwise {

/// Options of the axes of a chart.
struct PlotSetting {
  ValueFormat format = ValueFormat::Plain;
  bool fromZero = false;                 ///< the value axis starts at 0; ignored if logarithmic
  bool logarithmic = false;              ///< values at or below 0 are not shown, but counted
  bool robust = false;                   ///< isolated spikes may lie outside the axis; they are counted
  std::optional<AxisRange> part = {};    ///< visible part of the x axis; nothing: all of it
  std::optional<AxisRange> values = {};  ///< of the value axis, exactly; nothing: what the values need
  double leastAxisWidth = 0;             ///< of the room left of the plot, so that plots can be aligned
};

/// Geometry of a chart: value ranges, plot rectangle, ticks, legend. All sizes follow from the font.
struct PlotFrame {
  double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
  QRectF plot;
  double axisWidth = 0;  ///< that the values of the axis need left of the plot
  ChartLegend legend;
  std::vector<double> xTicks, yTicks;
  QStringList outside;  ///< texts on what lies outside the plot: reference lines and counts of values
  bool hasValues = false;
  bool logarithmic = false;
  std::int64_t hidden = 0;  ///< number of values at or below 0 on a logarithmic axis
  std::int64_t beyond = 0;  ///< number of values above or below the axis

  /// Returns the value, or its logarithm on a logarithmic axis.
  double scaled(double y) const { return logarithmic ? std::log10(y) : y; }
  /// Returns the lowest value that can be shown: on a logarithmic axis the smallest above 0.
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

/// Returns the height of the title row.
double titleHeight(const QFontMetricsF& metrics);

/// Computes the axes for the visible part of `content` and the place of the plot in a widget of `size`. Pure.
PlotFrame plotFrame(const ChartContent& content, const PlotSetting& setting, QSizeF size, const QFontMetricsF& metrics);
/// The same with the chartLegend() of these.
PlotFrame plotFrame(const ChartContent& content, const PlotSetting& setting, QSizeF size, const QFontMetricsF& metrics,
                    const ChartLegend& legend);

/// Returns the ascending x, in axis units, of the visible part at which measured values are not finite: the first of
/// each pixel and line.
std::vector<double> nonFinitePlaces(const ChartContent& content, const PlotFrame& frame);

/// What the columns of a plot show, in axis units.
struct DrawnChart {
  /// Range of a band at one x; NaN: a gap.
  struct BandPoint {
    double x = 0, low = 0, high = 0;
  };
  std::vector<QList<QPointF>> lines;  ///< decimated points of each line; a NaN interrupts it
  std::vector<std::vector<BandPoint>> bands;
};

/// Decimates lines and bands to `columns` columns of the visible part; see decimate().
DrawnChart drawnChart(const ChartContent& content, const PlotFrame& frame, int columns);

/// Sets the boxes of a legend at the right: beside the last point of each line, apart from each other. Lines without a
/// point in the visible part lose their entry.
void placeAtEnds(PlotFrame& frame, const ChartContent& content, const DrawnChart& drawn, const QFontMetricsF& metrics);

/// Returns the distance of the first two ticks; 0: there are fewer.
double tickSpacing(const std::vector<double>& ticks);

/// Formats the number at a tick: no more digits than distinguish ticks that are `spacing` apart (0: four), without a
/// unit.
QString tickText(double value, ValueFormat format, double spacing = 0);

}  // namespace batchwise
