// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plot_frame.h"

#include <algorithm>
#include <cmath>

#include "ui/models/decimate.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

/// A reference line is let into the picture if that makes it at most this many times as high, or if the line is no
/// farther away than this share of the values themselves.
constexpr double kMostStretch = 2.5;
constexpr double kNearShare = 0.6;

bool isReference(const ChartLine& line) {
  return line.kind == LineKind::Reference;
}

ValueRange rangeOfValues(const ChartContent& content, bool fromZero) {
  ValueRange range;
  for (const ChartLine& line : content.lines) {
    if (isReference(line)) continue;
    const ValueRange own = finiteRange(line.points);
    if (own.found) {
      range.include(own.low);
      range.include(own.high);
    }
  }
  if (fromZero && range.found) range.include(0.0);
  return range;
}

void placeReferences(const ChartContent& content, ValueFormat format, ValueRange& range, QStringList& outside) {
  for (const ChartLine& line : content.lines) {
    if (!isReference(line) || line.points.empty()) continue;
    const double value = line.points.back().y();
    ValueRange with = range;
    with.include(value);
    const double gap = std::max({0.0, range.low - value, value - range.high});
    const bool near = with.high - with.low <= kMostStretch * (range.high - range.low) ||
                      gap <= kNearShare * std::max(std::abs(value), std::abs(range.high));
    if (range.found && near)
      range = with;
    else if (range.found && (value < range.low || value > range.high))
      outside << QStringLiteral("%1 %2 %3")
                     .arg(value > range.high ? QStringLiteral("↑") : QStringLiteral("↓"), line.name,
                          tickText(value, format));
  }
}

void pad(PlotFrame& frame, const ValueRange& range, bool fromZero) {
  frame.yLow = range.low;
  frame.yHigh = range.high;
  double space = 0.06 * (range.high - range.low);
  if (space <= 0) space = range.high != 0 ? 0.06 * std::abs(range.high) : 1.0;
  frame.yHigh += space;
  if (!fromZero || range.low < 0) frame.yLow -= space;
}

/// As niceTicks, with more of them if the first try leaves one or none.
std::vector<double> ticksAtLeastTwo(double low, double high, int wanted) {
  std::vector<double> ticks = niceTicks(low, high, wanted);
  while (ticks.size() < 2 && ++wanted < 8) ticks = niceTicks(low, high, wanted);
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

PlotFrame plotFrame(const ChartContent& content, ValueFormat format, bool fromZero, QSizeF size,
                    const QFontMetricsF& metrics) {
  PlotFrame frame;
  ValueRange range = rangeOfValues(content, fromZero);
  frame.hasValues = range.found;
  placeReferences(content, format, range, frame.outside);
  if (!range.found) range.include(0.0);
  pad(frame, range, fromZero);
  frame.xLow = content.xLow;
  frame.xHigh = std::max(content.xHigh, content.xLow + 1);

  const double lineHeight = metrics.height();
  const double top = 1.9 * lineHeight;
  const double bottom = 1.6 * lineHeight + 4;
  const double scale = format == ValueFormat::Gibibytes ? 1024.0 * 1024 * 1024 : 1.0;
  const int wantedY = std::max(2, static_cast<int>((size.height() - top - bottom) / (2.2 * lineHeight)));
  for (const double tick : ticksAtLeastTwo(frame.yLow / scale, frame.yHigh / scale, wantedY))
    if (tick * scale <= frame.yHigh) frame.yTicks.push_back(tick * scale);
  const double left = widest(frame.yTicks, format, metrics) + 16;
  const double names = labelWidth(content, metrics);
  const double right = names > 0 ? names + 26 : 16;
  frame.plot =
      QRectF(left, top, std::max(10.0, size.width() - left - right), std::max(10.0, size.height() - top - bottom));

  const double tickRoom = metrics.horizontalAdvance(tickText(frame.xHigh, ValueFormat::Count)) + 1.5 * lineHeight;
  const int wantedX = std::clamp(static_cast<int>(frame.plot.width() / tickRoom), 1, 10);
  for (const double tick : niceTicks(frame.xLow, frame.xHigh, wantedX))
    if (tick == std::floor(tick)) frame.xTicks.push_back(tick);
  return frame;
}

}  // namespace batchwise
