// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/plot_frame.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/axis_ticks.h"
#include "ui/models/decimate.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

/// The value axis is extended to a reference line if that multiplies its range by at most kMaxRangeGrowth, or if the
/// gap to the values is at most the share kMaxGapShare of the larger of them and the line's value.
constexpr double kMaxRangeGrowth = 2.5;
constexpr double kMaxGapShare = 0.6;

bool isReference(const ChartLine& line) {
  return line.kind == LineKind::Reference;
}

struct PlotTexts {
  Q_DECLARE_TR_FUNCTIONS(PlotTexts)
};

/// Returns the points of the visible part and one neighbor on each side: a stepped line starts with the value in force
/// at the left edge.
IndexRange shownStretch(const ChartContent& content, const ChartLine& line, const PlotFrame& frame) {
  return indexRangeAround(line.points, content.map.batchAt(frame.xLow), content.map.batchAt(frame.xHigh));
}

ValueRange rangeOfLine(const ChartContent& content, const ChartLine& line, const PlotSetting& setting,
                       const PlotFrame& frame) {
  const IndexRange stretch = shownStretch(content, line, frame);
  const bool mayClip = setting.robust && line.isMeasured() && !line.steps && !setting.logarithmic;
  return mayClip ? robustRange(line.points, stretch) : line.points.range(stretch.from, stretch.to, frame.least());
}

ValueRange rangeOfValues(const ChartContent& content, const PlotSetting& setting, const PlotFrame& frame) {
  ValueRange range;
  for (const ChartLine& line : content.lines) {
    if (isReference(line) || line.derived) continue;
    const ValueRange own = rangeOfLine(content, line, setting, frame);
    if (!own.found) continue;
    range.include(own.low);
    range.include(own.high);
  }
  if (setting.fromZero && !setting.logarithmic && range.found) range.include(0.0);
  return range;
}

/// Counts the measured values of the visible part that lie outside the axis.
void countOutside(const ChartContent& content, PlotFrame& frame) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const ChartLine& line : content.lines) {
    if (!line.isMeasured()) continue;
    const std::size_t from = line.points.firstAtOrAfter(content.map.batchAt(frame.xLow));
    const std::size_t to = line.points.firstAfter(content.map.batchAt(frame.xHigh));
    const auto hidden = line.points.countOutside(from, to, frame.least(), kMost);
    frame.hidden += static_cast<std::int64_t>(hidden);
    frame.beyond += static_cast<std::int64_t>(line.points.countOutside(from, to, frame.yLow, frame.yHigh) - hidden);
  }
  if (frame.hidden > 0) frame.outside << PlotTexts::tr("%1 at or below 0 not shown").arg(integerText(frame.hidden));
  if (frame.beyond > 0) frame.outside << PlotTexts::tr("%1 beyond the edge").arg(integerText(frame.beyond));
}

void placeReferences(const ChartContent& content, const PlotSetting& setting, ValueRange& range, QStringList& outside) {
  for (const ChartLine& line : content.lines) {
    if (!isReference(line) || line.points.empty()) continue;
    const double value = line.points.back().y();
    if (setting.logarithmic && value <= 0) continue;
    ValueRange with = range;
    with.include(value);
    const double gap = std::max({0.0, range.low - value, value - range.high});
    const bool near = with.high - with.low <= kMaxRangeGrowth * (range.high - range.low) ||
                      gap <= kMaxGapShare * std::max(std::abs(value), std::abs(range.high));
    if (range.found && near)
      range = with;
    else if (range.found && (value < range.low || value > range.high))
      outside << QStringLiteral("%1 %2 %3")
                     .arg(value > range.high ? QStringLiteral("↑") : QStringLiteral("↓"), line.name,
                          tickText(value, setting.format));
  }
}

void pad(PlotFrame& frame, const ValueRange& range, bool fromZero) {
  frame.yLow = range.low;
  frame.yHigh = range.high;
  if (frame.logarithmic) {
    const double space = std::max(0.02, 0.06 * std::log10(range.high / range.low));
    frame.yLow *= std::pow(10.0, -space);
    frame.yHigh *= std::pow(10.0, space);
    return;
  }
  double space = 0.06 * (range.high - range.low);
  if (space <= 0) space = range.high != 0 ? 0.06 * std::abs(range.high) : 1.0;
  frame.yHigh += space;
  if (!fromZero || range.low < 0) frame.yLow -= space;
}

/// Returns round numbers of the xAxis: integers if it counts; for times, round in the displayed unit (s, min or h).
std::vector<double> clockTicks(const PlotFrame& frame, XAxis xAxis, int wanted) {
  const double unit = isDuration(xAxis) ? durationTickUnit(frame.xHigh) : 1;
  std::vector<double> ticks = axisTicks({.low = frame.xLow, .high = frame.xHigh, .wanted = wanted, .unit = unit});
  if (!isDuration(xAxis) && xAxis != XAxis::Epochs)
    std::erase_if(ticks, [](double tick) { return tick != std::floor(tick); });
  return ticks;
}

double widest(const std::vector<double>& ticks, ValueFormat format, const QFontMetricsF& metrics) {
  double width = 0;
  for (const double tick : ticks) width = std::max(width, metrics.horizontalAdvance(tickText(tick, format)));
  return width;
}

double labelWidth(const ChartContent& content, const QFontMetricsF& metrics) {
  double width = 0;
  for (const ChartLine& line : content.lines) width = std::max(width, metrics.horizontalAdvance(line.name));
  return width;
}

}  // namespace

std::vector<double> nonFinitePlaces(const ChartContent& content, const PlotFrame& frame) {
  constexpr double kLowest = std::numeric_limits<double>::lowest(), kMost = std::numeric_limits<double>::max();
  std::vector<double> places;
  for (const ChartLine& line : content.lines) {
    if (!line.isMeasured()) continue;
    const LongSeries& points = line.points;
    const std::size_t to = points.firstAfter(content.map.batchAt(frame.xHigh));
    std::size_t at = points.firstAtOrAfter(content.map.batchAt(frame.xLow));
    while ((at = points.firstOutside(at, to, kLowest, kMost)) < to) {
      places.push_back(content.map.at(points.x(at)));
      at = std::max(at + 1, points.firstAtOrAfter(content.map.batchAt(frame.valueX(frame.pixelX(places.back()) + 1))));
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<QList<QPointF>> drawnLines(const ChartContent& content, const PlotFrame& frame, int columns) {
  std::vector<double> edges = evenEdges(frame.xLow, frame.xHigh, columns);
  for (double& edge : edges) edge = content.map.batchAt(edge);
  std::vector<QList<QPointF>> lines;
  for (const ChartLine& line : content.lines) {
    QList<QPointF> points = decimate(line.points, edges, frame.least());
    if (line.steps) points = staircase(points);
    for (QPointF& point : points) point.setX(content.map.at(point.x()));
    lines.push_back(std::move(points));
  }
  return lines;
}

QString tickText(double value, ValueFormat format) {
  switch (format) {
    case ValueFormat::Plain: return QString::number(value, 'g', 4);
    case ValueFormat::Rate: return value == 0 ? QStringLiteral("0") : valueText(value, format);
    case ValueFormat::Count:
      return std::abs(value) < 10'000 ? integerText(std::llround(value)) : valueText(value, format);
    case ValueFormat::Gibibytes: return valueText(value, format);
  }
  return {};
}

PlotFrame plotFrame(const ChartContent& content, const PlotSetting& setting, QSizeF size,
                    const QFontMetricsF& metrics) {
  PlotFrame frame;
  frame.logarithmic = setting.logarithmic;
  const double least = content.xAxis == XAxis::Batches ? 1.0 : 1e-9;
  const AxisRange shown = setting.part.value_or(AxisRange{content.xLow, std::max(content.xHigh, content.xLow + least)});
  frame.xLow = shown.low;
  frame.xHigh = shown.high;
  ValueRange range = rangeOfValues(content, setting, frame);
  frame.hasValues = range.found;
  placeReferences(content, setting, range, frame.outside);
  if (!range.found) range.include(setting.logarithmic ? 1.0 : 0.0);
  pad(frame, range, setting.fromZero);
  if (frame.hasValues) countOutside(content, frame);

  const double lineHeight = metrics.height();
  const double top = 1.9 * lineHeight;
  const double bottom = 1.6 * lineHeight + 4;
  const double scale = setting.format == ValueFormat::Gibibytes ? 1024.0 * 1024 * 1024 : 1.0;
  const int wantedY = std::max(2, static_cast<int>((size.height() - top - bottom) / (2.2 * lineHeight)));
  frame.yTicks = axisTicks({.low = frame.yLow,
                            .high = frame.yHigh,
                            .wanted = wantedY,
                            .logarithmic = frame.logarithmic,
                            .unit = scale,
                            .fewest = 2});
  std::erase_if(frame.yTicks, [&](double tick) { return tick > frame.yHigh; });
  const double left = widest(frame.yTicks, setting.format, metrics) + 16;
  const double names = labelWidth(content, metrics);
  const double right = names > 0 ? names + 26 : 16;
  // On whole pixels, so that the columns of a dense line fill theirs.
  frame.plot = QRectF(std::ceil(left), std::ceil(top), std::max(10.0, std::floor(size.width() - left - right)),
                      std::max(10.0, std::floor(size.height() - top - bottom)));

  const double tickRoom =
      metrics.horizontalAdvance(xTickText(frame.xHigh, content.xAxis, frame.xHigh - frame.xLow)) + 2 * lineHeight;
  const int wantedX = std::clamp(static_cast<int>(frame.plot.width() / tickRoom), 1, 10);
  frame.xTicks = clockTicks(frame, content.xAxis, wantedX);
  return frame;
}

}  // namespace batchwise
