// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/decimate.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

/// Smallest and largest point of one column.
struct Column {
  QPointF low, high;
  bool used = false;

  void add(const QPointF& point) {
    if (!used || point.y() < low.y()) low = point;
    if (!used || point.y() > high.y()) high = point;
    used = true;
  }

  void flush(QList<QPointF>& out) {
    if (!used) return;
    const bool lowFirst = low.x() <= high.x();
    out.append(lowFirst ? low : high);
    if (low != high) out.append(lowFirst ? high : low);
    used = false;
  }
};

auto firstAtOrAfter(std::span<const QPointF> points, double x) {
  return std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double at) { return p.x() < at; });
}

auto firstAfter(std::span<const QPointF> points, double x) {
  return std::upper_bound(points.begin(), points.end(), x, [](double at, const QPointF& p) { return at < p.x(); });
}

}  // namespace

QList<QPointF> decimate(std::span<const QPointF> points, double fromX, double toX, int columns) {
  QList<QPointF> out;
  if (points.empty() || columns < 1 || !(toX >= fromX)) return out;
  auto first = firstAtOrAfter(points, fromX);
  auto last = firstAfter(points, toX);
  if (first != points.begin()) --first;
  if (last != points.end()) ++last;
  const double width = std::max(toX - fromX, 1e-300) / columns;
  out.reserve(std::min<qsizetype>(last - first, 2 * static_cast<qsizetype>(columns) + 4));
  Column column;
  long long current = 0;
  for (auto point = first; point != last; ++point) {
    if (!std::isfinite(point->y())) continue;
    const auto index =
        static_cast<long long>(std::clamp(std::floor((point->x() - fromX) / width), -1.0, columns + 0.0));
    if (column.used && index != current) column.flush(out);
    current = index;
    column.add(*point);
  }
  column.flush(out);
  return out;
}

QList<QPointF> staircase(std::span<const QPointF> points) {
  QList<QPointF> out;
  out.reserve(static_cast<qsizetype>(points.size()));
  for (const QPointF& point : points) {
    if (!std::isfinite(point.y())) continue;
    if (!out.isEmpty() && out.back().y() != point.y()) out.append({point.x(), out.back().y()});
    const bool middleOfTread = out.size() > 1 && out[out.size() - 2].y() == point.y() && out.back().y() == point.y();
    if (middleOfTread)
      out.back() = point;
    else
      out.append(point);
  }
  return out;
}

std::vector<double> nonFinitePositions(std::span<const QPointF> points) {
  std::vector<double> positions;
  for (const QPointF& point : points)
    if (!std::isfinite(point.y())) positions.push_back(point.x());
  return positions;
}

std::vector<QPointF> smoothed(std::span<const QPointF> points, double weight) {
  std::vector<QPointF> out;
  out.reserve(points.size());
  double sum = 0, weights = 0;
  for (const QPointF& point : points) {
    if (!std::isfinite(point.y())) continue;
    sum = weight * sum + point.y();
    weights = weight * weights + 1;
    out.emplace_back(point.x(), sum / weights);
  }
  return out;
}

void ValueRange::include(double value) {
  if (!std::isfinite(value)) return;
  low = found ? std::min(low, value) : value;
  high = found ? std::max(high, value) : value;
  found = true;
}

ValueRange finiteRange(std::span<const QPointF> points) {
  ValueRange range;
  for (const QPointF& point : points) range.include(point.y());
  return range;
}

std::vector<double> niceTicks(double low, double high, int wanted) {
  if (!(high > low) || wanted < 1 || !std::isfinite(high - low)) return {};
  const double rough = (high - low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double slack = step * 1e-6;
  for (double index = std::ceil((low - slack) / step); index * step <= high + slack; ++index)
    ticks.push_back(index == 0 ? 0.0 : index * step);
  return ticks;
}

}  // namespace batchwise
