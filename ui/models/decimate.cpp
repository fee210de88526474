// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/decimate.h"

#include <algorithm>
#include <array>
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
  const auto inside = pointsWithin(points, fromX, toX);
  const double width = std::max(toX - fromX, 1e-300) / columns;
  out.reserve(std::min<qsizetype>(static_cast<qsizetype>(inside.size()), 2 * static_cast<qsizetype>(columns) + 4));
  Column column;
  long long current = 0;
  for (const QPointF& point : inside) {
    if (!std::isfinite(point.y())) continue;
    const auto index =
        static_cast<long long>(std::clamp(std::floor((point.x() - fromX) / width), -1.0, columns + 0.0));
    if (column.used && index != current) column.flush(out);
    current = index;
    column.add(point);
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

ValueRange robustRange(std::span<const QPointF> points) {
  constexpr std::size_t kFewest = 15;
  constexpr double kRoom = 0.5;
  std::array<double, 5> group{};
  std::size_t filled = 0, values = 0;
  ValueRange medians;
  for (const QPointF& point : points) {
    if (!std::isfinite(point.y())) continue;
    ++values;
    group[filled++] = point.y();
    if (filled < group.size()) continue;
    std::nth_element(group.begin(), group.begin() + 2, group.end());
    medians.include(group[2]);
    filled = 0;
  }
  const ValueRange all = finiteRange(points);
  const double height = medians.high - medians.low;
  if (values < kFewest || !(height > 0)) return all;
  return {std::max(all.low, medians.low - kRoom * height), std::min(all.high, medians.high + kRoom * height), true};
}

std::span<const QPointF> pointsWithin(std::span<const QPointF> points, double fromX, double toX) {
  auto first = firstAtOrAfter(points, fromX);
  auto last = firstAfter(points, toX);
  if (first > last) return {};
  if (first != points.begin()) --first;
  if (last != points.end()) ++last;
  return {first, last};
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
