// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot_frame.h"

#include <QtCore/QObject>
#include <QtCore/QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/analysis/axis_ticks.h"
#include "ui/charts/long_series.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

/// The value axis is extended to a reference line if that multiplies its range by at most kMaxRangeGrowth, or if the
/// gap to the values is at most the share kMaxGapShare of the larger of them and the line's value.
constexpr double kMaxRangeGrowth = 2.5;
constexpr double kMaxGapShare = 0.6;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

bool isReference(const ChartLine& line) {
  return line.kind == LineKind::Reference;
}

/// Returns the points of the visible part and one neighbor on each side: a stepped line starts with the value in force
/// at the left edge.
IndexRange shownStretch(const ChartLine& line, const PlotFrame& frame) {
  return indexRangeAround(line.points, line.fromAxis(frame.xLow), line.fromAxis(frame.xHigh));
}

/// A derived line is never clipped: it shows the course of the values that are.
ValueRange rangeOfLine(const ChartLine& line, const PlotSetting& setting, const PlotFrame& frame) {
  const IndexRange stretch = shownStretch(line, frame);
  const bool mayClip = setting.robust && line.isMeasured() && !line.steps && !setting.logarithmic;
  return mayClip ? robustRange(line.points, stretch) : line.points.range(stretch.from, stretch.to, frame.least());
}

void include(ValueRange& range, const ValueRange& other) {
  if (!other.found) return;
  range.include(other.low);
  range.include(other.high);
}

ValueRange rangeOfValues(const ChartContent& content, const PlotSetting& setting, const PlotFrame& frame) {
  ValueRange range;
  for (const ChartLine& line : content.lines)
    if (!isReference(line)) include(range, rangeOfLine(line, setting, frame));
  for (const ChartBand& band : content.bands)
    for (const LongSeries* edge : {&band.lower, &band.upper}) {
      const IndexRange stretch = indexRangeAround(*edge, frame.xLow, frame.xHigh);
      include(range, edge->range(stretch.from, stretch.to, frame.least()));
    }
  if (content.values && range.found) include(range, {content.values->low, content.values->high, true});
  if (setting.fromZero && !setting.logarithmic && range.found) range.include(0.0);
  return range;
}

/// Counts the measured values of the visible part that lie outside the axis.
void countOutside(const ChartContent& content, PlotFrame& frame) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const ChartLine& line : content.lines) {
    if (!line.isMeasured()) continue;
    const std::size_t from = line.points.firstAtOrAfter(line.fromAxis(frame.xLow));
    const std::size_t to = line.points.firstAfter(line.fromAxis(frame.xHigh));
    const auto hidden = line.points.countOutside(from, to, frame.least(), kMost);
    frame.hidden += static_cast<std::int64_t>(hidden);
    frame.beyond += static_cast<std::int64_t>(line.points.countOutside(from, to, frame.yLow, frame.yHigh) - hidden);
  }
  if (frame.hidden > 0) frame.outside << QObject::tr("%1 at or below 0 not shown").arg(integerText(frame.hidden));
  if (frame.beyond > 0)
    frame.outside << plural(frame.beyond, QObject::tr("%n point off scale"), QObject::tr("%n points off scale"));
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
std::vector<double> axisTicksOf(const PlotFrame& frame, XAxis xAxis, int wanted) {
  const double unit = isDuration(xAxis) ? durationTickUnit(frame.xHigh) : 1;
  std::vector<double> ticks = axisTicks({.low = frame.xLow, .high = frame.xHigh, .wanted = wanted, .unit = unit});
  if (!isDuration(xAxis) && xAxis != XAxis::Epochs)
    std::erase_if(ticks, [](double tick) { return tick != std::floor(tick); });
  return ticks;
}

double widest(const std::vector<double>& ticks, ValueFormat format, const QFontMetricsF& metrics) {
  double width = 0;
  for (const double tick : ticks)
    width = std::max(width, metrics.horizontalAdvance(tickText(tick, format, tickSpacing(ticks))));
  return width;
}

/// Number of decimal places of the first digit of `value`: 0 for 1 to 9.99, -1 for 10 to 99.9.
int leadingPlace(double value) {
  return -static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
}

/// "4.00e-05" as "4e-5".
QString shortExponent(QString text) {
  static const QRegularExpression kMantissaZeros(QStringLiteral("\\.?0+(?=e)")),
      kExponent(QStringLiteral("e\\+?(-?)0*"));
  return text.replace(kMantissaZeros, QString()).replace(kExponent, QStringLiteral("e\\1"));
}

QString numberText(double value, double spacing, double smallest, double largest) {
  if (value == 0) return QStringLiteral("0");
  const int digits = spacing > 0 ? std::clamp(leadingPlace(spacing) - leadingPlace(value) + 1, 1, 15) : 4;
  if (std::abs(value) < smallest || std::abs(value) >= largest)
    return shortExponent(QString::number(value, 'e', digits - 1));
  if (std::abs(value) >= 10'000 && value == std::floor(value)) return integerText(std::llround(value));
  return QString::number(value, 'g', std::max(digits, 1 - leadingPlace(value)));
}

/// Ascending positions in global batches, and the same in axis units.
struct AxisEdges {
  const std::vector<double>& batches;
  const std::vector<double>& axis;
};

/// Converts the x of ascending points to axis units: between the edges, which are a pixel apart, by linear
/// interpolation, which takes a fraction of the time of the map.
void placeOnAxis(QList<QPointF>& points, const ChartLine& line, const AxisEdges& edges) {
  std::size_t next = 1;
  for (QPointF& point : points) {
    const double x = point.x();
    while (next < edges.batches.size() && edges.batches[next] < x) ++next;
    const bool isBetween = x >= edges.batches[next - 1] && next < edges.batches.size();
    if (!isBetween) {
      point.setX(line.toAxis(x));
      continue;
    }
    const double width = edges.batches[next] - edges.batches[next - 1];
    const double share = width > 0 ? (x - edges.batches[next - 1]) / width : 1.0;
    point.setX(edges.axis[next - 1] + share * (edges.axis[next] - edges.axis[next - 1]));
  }
}

/// Returns the ranges of a band in the visible part: at each of its x, or of each column between adjacent `edges`.
std::vector<DrawnChart::BandPoint> drawnBand(const ChartBand& band, const std::vector<double>& edges) {
  std::vector<DrawnChart::BandPoint> points;
  const IndexRange all = indexRangeAround(band.lower, edges.front(), edges.back());
  const auto add = [&](double x, std::size_t from, std::size_t to) {
    const ValueRange low = band.lower.range(from, to), high = band.upper.range(from, to);
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    points.push_back(low.found && high.found ? DrawnChart::BandPoint{x, low.low, high.high}
                                             : DrawnChart::BandPoint{x, kNothing, kNothing});
  };
  if (all.to - all.from <= edges.size()) {
    for (std::size_t at = all.from; at < all.to; ++at) add(band.lower.x(at), at, at + 1);
    return points;
  }
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const std::size_t from = band.lower.firstAtOrAfter(edges[i - 1]), to = band.lower.firstAtOrAfter(edges[i]);
    if (from < to) add((edges[i - 1] + edges[i]) / 2, from, to);
  }
  return points;
}

/// Returns the pixel row beside which the label of a line lies: of its last point up to the right edge, if there is one
/// in the visible part. Reference lines out of range have none.
std::optional<double> endRow(const ChartLine& line, const QList<QPointF>& drawn, const PlotFrame& frame) {
  for (auto point = drawn.rbegin(); point != drawn.rend(); ++point) {
    if (point->x() > frame.xHigh || !frame.canShow(point->y())) continue;
    const bool outside = point->y() < frame.yLow || point->y() > frame.yHigh;
    if (point->x() < frame.xLow || (outside && isReference(line))) return std::nullopt;
    return std::clamp(frame.pixelY(point->y()), frame.plot.top(), frame.plot.bottom());
  }
  return std::nullopt;
}

std::vector<double> valueTicks(const PlotFrame& frame, ValueFormat format, double height, double lineHeight) {
  std::vector<double> ticks = axisTicks({.low = frame.yLow,
                                         .high = frame.yHigh,
                                         .wanted = std::max(2, static_cast<int>(height / (2.2 * lineHeight))),
                                         .logarithmic = frame.logarithmic,
                                         .unit = format == ValueFormat::Gibibytes ? kGibibyte : 1.0,
                                         .fewest = 2});
  std::erase_if(ticks, [&](double tick) { return tick > frame.yHigh; });
  return ticks;
}

void setRanges(PlotFrame& frame, const ChartContent& content, const PlotSetting& setting) {
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
  if (setting.values && setting.values->low < setting.values->high && (!frame.logarithmic || setting.values->low > 0)) {
    frame.yLow = setting.values->low;
    frame.yHigh = setting.values->high;
  }
  if (frame.hasValues) countOutside(content, frame);
}

}  // namespace

double tickSpacing(const std::vector<double>& ticks) {
  return ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
}

std::vector<double> nonFinitePlaces(const ChartContent& content, const PlotFrame& frame) {
  constexpr double kLowest = std::numeric_limits<double>::lowest(), kMost = std::numeric_limits<double>::max();
  std::vector<double> places;
  for (const ChartLine& line : content.lines) {
    if (!line.isMeasured() || line.hasGaps) continue;
    const LongSeries& points = line.points;
    const std::size_t to = points.firstAfter(line.fromAxis(frame.xHigh));
    std::size_t at = points.firstAtOrAfter(line.fromAxis(frame.xLow));
    while ((at = points.firstOutside(at, to, kLowest, kMost)) < to) {
      places.push_back(line.toAxis(points.x(at)));
      at = std::max(at + 1, points.firstAtOrAfter(line.fromAxis(frame.valueX(frame.pixelX(places.back()) + 1))));
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

DrawnChart drawnChart(const ChartContent& content, const PlotFrame& frame, int columns) {
  constexpr std::size_t kFew = 4;  // columns per point: to place these costs less than the columns
  const std::vector<double> edges = evenEdges(frame.xLow, frame.xHigh, columns);
  std::map<const XAxisMap*, std::vector<double>> edgesOf;  // lines of a run share them
  DrawnChart drawn;
  for (const ChartLine& line : content.lines) {
    const IndexRange shown = shownStretch(line, frame);
    const bool isFew = kFew * (shown.to - shown.from) < edges.size();
    std::vector<double>& own = edgesOf[line.map.get()];
    if (own.empty() && !isFew) own = line.fromAxis(edges);
    QList<QPointF> points =
        isFew ? everyPoint(line.points, shown, frame.least()) : decimate(line.points, own, frame.least());
    if (line.steps) points = staircase(points);
    if (line.map && isFew)
      for (QPointF& point : points) point.setX(line.toAxis(point.x()));
    else if (line.map)
      placeOnAxis(points, line, {own, edges});
    drawn.lines.push_back(std::move(points));
  }
  for (const ChartBand& band : content.bands) drawn.bands.push_back(drawnBand(band, edges));
  return drawn;
}

void placeAtEnds(PlotFrame& frame, const ChartContent& content, const DrawnChart& drawn, const QFontMetricsF& metrics) {
  ChartLegend& legend = frame.legend;
  if (legend.place != ChartLegend::Place::Right) return;
  std::erase_if(legend.entries, [&](ChartLegend::Entry& entry) {
    const auto row = endRow(content.lines[entry.line], drawn.lines[entry.line], frame);
    entry.box.moveTop(row.value_or(0));
    return !row;
  });
  std::ranges::stable_sort(legend.entries, {}, [](const ChartLegend::Entry& entry) { return entry.box.top(); });
  const double lineHeight = metrics.height();
  double lowest = frame.plot.bottom() - lineHeight * (static_cast<double>(legend.entries.size()) - 0.5);
  double next = frame.plot.top();
  for (ChartLegend::Entry& entry : legend.entries) {
    const double middle = std::max(next, std::min(entry.box.top(), lowest));
    const double width = kSwatchWidth + kSwatchGap + metrics.horizontalAdvance(entry.text);
    entry.box = QRectF(frame.plot.right() + 6, middle - lineHeight / 2, width, lineHeight);
    next = middle + lineHeight;
    lowest += lineHeight;
  }
}

QString tickText(double value, ValueFormat format, double spacing) {
  switch (format) {
    case ValueFormat::Plain: return numberText(value, spacing, 1e-4, 1e6);
    case ValueFormat::Rate: return numberText(value, spacing, 1e-1, 1e3);
    case ValueFormat::Count:
      return spacing > 0 && spacing < 1 ? numberText(value, spacing, 1e-4, 1e6) : countTickText(value, spacing);
    case ValueFormat::Gibibytes: return numberText(value / kGibibyte, spacing / kGibibyte, 1e-4, 1e6);
  }
  return {};
}

double titleHeight(const QFontMetricsF& metrics) {
  return 1.9 * metrics.height();
}

PlotFrame plotFrame(const ChartContent& content, const PlotSetting& setting, QSizeF size,
                    const QFontMetricsF& metrics) {
  return plotFrame(content, setting, size, metrics, chartLegend(content, size, metrics, titleHeight(metrics)));
}

PlotFrame plotFrame(const ChartContent& content, const PlotSetting& setting, QSizeF size, const QFontMetricsF& metrics,
                    const ChartLegend& legend) {
  PlotFrame frame;
  frame.legend = legend;
  setRanges(frame, content, setting);
  const double lineHeight = metrics.height();
  const double top = titleHeight(metrics) + (legend.height > 0 ? legend.height + 0.3 * lineHeight : 0);
  const double bottom = 1.6 * lineHeight + 4;
  frame.yTicks = valueTicks(frame, setting.format, size.height() - top - bottom, lineHeight);
  frame.axisWidth = widest(frame.yTicks, setting.format, metrics) + 16;
  const double left = std::max(frame.axisWidth, setting.leastAxisWidth);
  const double right = std::max(16.0, legend.width);
  // On whole pixels, so that the columns of a dense line fill theirs.
  frame.plot = QRectF(std::ceil(left), std::ceil(top), std::max(10.0, std::floor(size.width() - left - right)),
                      std::max(10.0, std::floor(size.height() - top - bottom)));
  const double tickRoom =
      metrics.horizontalAdvance(xTickText(frame.xHigh, content.xAxis, frame.xHigh - frame.xLow)) + 2 * lineHeight;
  const int wantedX = std::clamp(static_cast<int>(frame.plot.width() / tickRoom), 1, 10);
  frame.xTicks = axisTicksOf(frame, content.xAxis, wantedX);
  return frame;
}

}  // namespace batchwise
