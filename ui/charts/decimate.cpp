// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/decimate.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

constexpr double kMaxFinite = std::numeric_limits<double>::max();
constexpr int kMaxPieces = 8;  // per column; more are drawn as extremes only

/// Collects the points to draw, column by column.
class PointCollector {
 public:
  PointCollector(const LongSeries& series, double least, qsizetype expected) : series_(series), least_(least) {
    points_.reserve(expected);
  }

  void add(std::size_t from, std::size_t to) {
    if (from >= to) return;
    const LongSeries::Extremes all = series_.extremes(from, to, least_);
    all.hasExcluded ? addPieces(from, to) : addPiece(all);
  }

  QList<QPointF> take() { return std::move(points_); }

 private:
  void addPieces(std::size_t from, std::size_t to) {
    int pieces = 0;
    while (from < to) {
      const std::size_t gap = series_.firstOutside(from, to, least_, kMaxFinite);
      if (gap > from) addPiece(series_.extremes(from, gap, least_));
      if (gap == to) return;
      end(gap);
      from = gap + 1;
      if (++pieces == kMaxPieces) break;
    }
    if (from < to) addApart(series_.extremes(from, to, least_), to);
  }

  void addPiece(const LongSeries::Extremes& piece) {
    const QPointF low(series_.x(piece.low), piece.lowest), high(series_.x(piece.high), piece.highest);
    points_.append(piece.low < piece.high ? low : high);
    if (piece.low != piece.high) points_.append(piece.low < piece.high ? high : low);
  }

  /// Too many gaps: adds the extremes as isolated points.
  void addApart(const LongSeries::Extremes& rest, std::size_t to) {
    if (rest.found()) {
      const auto [first, second] = std::minmax(rest.low, rest.high);
      points_.append(series_[first]);
      end(first);
      if (first != second) points_.append(series_[second]);
    }
    end(to - 1);
  }

  void end(std::size_t at) {
    if (!points_.isEmpty() && !std::isnan(points_.back().y()))
      points_.append({series_.x(at), std::numeric_limits<double>::quiet_NaN()});
  }

  const LongSeries& series_;
  double least_;
  QList<QPointF> points_;
};

}  // namespace

QList<QPointF> decimate(const LongSeries& series, std::span<const double> edges, double least) {
  if (series.empty() || edges.size() < 2 || !(edges.back() >= edges.front())) return {};
  PointCollector drawing(series, least, 2 * static_cast<qsizetype>(edges.size()));
  const std::size_t last = series.firstAfter(edges.back());
  std::size_t from = series.firstAtOrAfter(edges.front());
  if (from > 0) drawing.add(from - 1, from);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const std::size_t to = i + 1 == edges.size() ? last : series.firstAtOrAfter(edges[i], from);
    drawing.add(from, to);
    from = to;
  }
  if (last < series.size()) drawing.add(last, last + 1);
  QList<QPointF> points = drawing.take();
  // A constant stretch in the last column extends to its end.
  if (last > 0 && !points.isEmpty() && points.back().x() < series.x(last - 1) && std::isfinite(points.back().y()) &&
      series.y(last - 1) >= least && std::isfinite(series.y(last - 1)))
    points.append(series[last - 1]);
  return points;
}

QList<QPointF> everyPoint(const LongSeries& series, IndexRange stretch, double least) {
  PointCollector drawing(series, least, static_cast<qsizetype>(stretch.to - stretch.from));
  for (std::size_t at = stretch.from; at < stretch.to; ++at) drawing.add(at, at + 1);
  return drawing.take();
}

std::vector<double> evenEdges(double from, double to, int columns) {
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(columns) + 1);
  for (int i = 0; i < columns; ++i) edges.push_back(from + (to - from) * i / columns);
  edges.push_back(to);
  return edges;
}

QList<QPointF> staircase(const QList<QPointF>& points) {
  QList<QPointF> out;
  out.reserve(2 * points.size());
  const auto holdUntil = [&out](double x) {
    const double y = out.back().y();
    if (out.size() > 1 && out[out.size() - 2].y() == y)
      out.back().setX(x);
    else
      out.append({x, y});
  };
  for (const QPointF& point : points) {
    const bool goesOn = !out.isEmpty() && !std::isnan(out.back().y());
    if (goesOn) holdUntil(point.x());
    if (!goesOn || out.back().y() != point.y()) out.append(point);
  }
  return out;
}

IndexRange indexRangeAround(const LongSeries& series, double fromX, double toX) {
  IndexRange stretch{series.firstAtOrAfter(fromX), series.firstAfter(toX)};
  if (stretch.from > stretch.to) return {};
  if (stretch.from > 0) --stretch.from;
  if (stretch.to < series.size()) ++stretch.to;
  return stretch;
}

ValueRange robustRange(const LongSeries& series, IndexRange stretch) {
  constexpr std::size_t kFewest = 15;
  constexpr double kRoom = 0.5;
  const ValueRange all = series.range(stretch.from, stretch.to);
  const ValueRange medians = series.medianRange(stretch.from, stretch.to);
  const double height = medians.high - medians.low;
  const std::size_t values = stretch.to - stretch.from - series.countNonFinite(stretch.from, stretch.to);
  if (values < kFewest || !(height > 0)) return all;
  return {std::max(all.low, medians.low - kRoom * height), std::min(all.high, medians.high + kRoom * height), true};
}

}  // namespace batchwise
