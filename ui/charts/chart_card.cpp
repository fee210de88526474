// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_card.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/format.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

struct CardTexts {
  Q_DECLARE_TR_FUNCTIONS(CardTexts)
};

bool isSparse(const ChartLine& line) {
  return line.kind == LineKind::Points || line.kind == LineKind::Dots;
}

bool hasOneMap(const ChartContent& content) {
  return std::ranges::all_of(content.lines,
                             [&](const ChartLine& line) { return line.map == content.lines.front().map; });
}

/// Returns the x up to which the run of `line` has values.
double runEnd(const ChartContent& content, const ChartLine& line) {
  if (isSparse(line) || hasOneMap(content)) return content.dataEnd;
  double end = std::numeric_limits<double>::lowest();
  for (const ChartLine& other : content.lines)
    if ((other.isMeasured() || other.derived) && other.map == line.map && !other.points.empty())
      end = std::max(end, other.toAxis(other.points.back().x()));
  return end;
}

QString rowName(const ChartLine& line) {
  return line.derived ? CardTexts::tr("%1, smoothed").arg(line.name) : line.name;
}

double sortKey(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

}  // namespace

QStringList ChartCard::texts() const {
  QStringList texts;
  for (const QString& head : {place, title})
    if (!head.isEmpty()) texts << head;
  for (const Row& row : rows) texts << QStringLiteral("%1  %2").arg(row.name, row.value);
  return texts + events;
}

std::optional<QPointF> pointAt(const ChartContent& content, const ChartLine& line, double x) {
  if (line.points.empty()) return std::nullopt;
  if (line.isMeasured() || line.derived) {
    const double end = runEnd(content, line);
    if (x > end && xAxisText(x, content.xAxis) != xAxisText(end, content.xAxis)) return std::nullopt;
  }
  std::size_t after = line.points.firstAfter(line.fromAxis(x));
  if (after < line.points.size() && line.toAxis(line.points.x(after)) <= x) ++after;  // fromAxis() rounds
  return after == 0 ? std::nullopt : std::optional(line.points[after - 1]);
}

double nearestPlace(const ChartContent& content, AxisRange shown, double x) {
  std::optional<double> nearest;
  const auto offer = [&](double place) {
    if (place < shown.low || place > shown.high) return;
    if (!nearest || std::abs(place - x) < std::abs(*nearest - x)) nearest = place;
  };
  if (x <= content.dataEnd)
    for (const ChartLine& line : content.lines) {
      if (line.name.isEmpty() || !(line.isMeasured() || line.derived)) continue;
      const std::size_t next = line.points.firstAtOrAfter(line.fromAxis(x));
      if (next > 0) offer(line.toAxis(line.points.x(next - 1)));
      if (next < line.points.size()) offer(line.toAxis(line.points.x(next)));
    }
  if (nearest) return *nearest;
  return content.xAxis == XAxis::Batches ? std::clamp(std::round(x), shown.low, shown.high) : x;
}

QString cardValue(const ChartContent& content, const ChartLine& line, ValueFormat format, double x) {
  const auto point = pointAt(content, line, x);
  if (!point) return {};
  const bool isPlain = format == ValueFormat::Plain;
  const QString value = isPlain ? toQt(formatAligned(point->y())) : valueText(point->y(), format);
  const QString place = xAxisText(line.toAxis(point->x()), content.xAxis);
  const bool isElsewhere = isSparse(line) && place != xAxisText(x, content.xAxis);
  return isElsewhere ? QStringLiteral("%1 (%2)").arg(value, place) : value;
}

ChartCard chartCard(const ChartContent& content, ValueFormat format, const QString& title, double x, double reach) {
  std::vector<std::pair<double, ChartCard::Row>> found;
  for (const ChartLine& line : content.lines) {
    if (line.name.isEmpty()) continue;
    if (const auto point = pointAt(content, line, x))
      found.push_back(
          {sortKey(point->y()), {rowName(line), cardValue(content, line, format, x), line.kind, line.color}});
  }
  std::ranges::stable_sort(found, std::greater<>(), [](const auto& each) { return each.first; });
  std::stable_partition(found.begin(), found.end(),
                        [](const auto& each) { return each.second.kind != LineKind::Points; });
  ChartCard card{xAxisText(x, content.xAxis), found.empty() ? QString() : title, {}, {}};
  for (auto& [key, row] : found) card.rows.push_back(std::move(row));
  for (const ChartEvent& event : content.events)
    if (std::abs(event.x - x) <= reach) card.events << event.text;
  return card;
}

}  // namespace batchwise
