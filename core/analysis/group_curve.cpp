// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/group_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/analysis/statistics.h"
#include "core/config/events/metric.h"

namespace batchwise {
namespace {

/// Returns the clock at global batch `batch`, given its first row at or after it.
double clockAt(std::int64_t batch, std::span<const SeriesPoint> clock, std::size_t row) {
  if (clock[row].batch == batch) return clock[row].value;
  const SeriesPoint before = row == 0 ? SeriesPoint{0, 0} : clock[row - 1];
  const double part = static_cast<double>(batch - before.batch) / static_cast<double>(clock[row].batch - before.batch);
  return before.value + part * (clock[row].value - before.value);
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns half the width of the band; NaN without a band.
double bandHalfWidth(std::span<const double> values, Center center, Band band) {
  const double deviation = deviationOf(values);
  const double efficiency = center == Center::Median ? medianEfficiency(values.size()) : 1.0;
  const double error = deviation / std::sqrt(static_cast<double>(values.size()) * efficiency);
  switch (band) {
    case Band::None: break;
    case Band::Deviation: return deviation;
    case Band::Error: return error;
    case Band::Confidence95:
      return values.size() < 2 ? error : error * studentT(0.95, static_cast<double>(values.size()) - 1);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

GroupPoint pointOf(double x, const std::vector<double>& values, Center center, Band band, double least) {
  const double middle = center == Center::Mean ? meanOf(values) : medianOf(values);
  const double reach = bandHalfWidth(values, center, band);
  return {x, middle, std::isnan(reach) ? reach : std::max(least, middle - reach), middle + reach, values.size()};
}

}  // namespace

std::string axisText(Axis axis) {
  return std::string(axis == Axis::Batches ? "global batches" : choiceName(axis));
}

std::string_view axisSeries(Axis axis) {
  constexpr std::string_view kSeries[] = {"steps", "steps", "sp", "tok", "sec"};
  return kSeries[static_cast<std::size_t>(axis)];
}

Curve onAxis(std::span<const SeriesPoint> values, std::span<const SeriesPoint> clock) {
  Curve curve;
  curve.reserve(values.size());
  std::size_t row = 0;
  for (const SeriesPoint& point : values) {
    while (row < clock.size() && clock[row].batch < point.batch) ++row;
    if (row == clock.size()) break;
    curve.push_back({point.batch == 0 ? 0 : clockAt(point.batch, clock, row), point.value});
  }
  return curve;
}

Interpolation interpolationFor(std::string_view series) {
  const Metric* metric = findMetric(series);
  return metric != nullptr && metric->traits.holds ? Interpolation::Previous : Interpolation::Linear;
}

std::string seriesUnit(std::string_view series) {
  return seriesFactor(series) == 1.0 ? "" : "GiB";
}

double seriesFactor(std::string_view series) {
  const Metric* metric = findMetric(series);
  return metric != nullptr && metric->format == MetricFormat::Gibibytes ? 1.0 / (1024.0 * 1024 * 1024) : 1.0;
}

std::optional<double> CurveReader::at(double x) {
  while (next_ < curve_.size() && curve_[next_].x <= x) ++next_;
  if (next_ == 0) return std::nullopt;
  const CurvePoint& before = curve_[next_ - 1];
  if (before.x == x) return finite(before.y);
  if (next_ == curve_.size()) return std::nullopt;
  if (interpolation_ == Interpolation::Previous) return finite(before.y);
  const CurvePoint& after = curve_[next_];
  if (!std::isfinite(before.y) || !std::isfinite(after.y)) return std::nullopt;
  return std::lerp(before.y, after.y, (x - before.x) / (after.x - before.x));
}

std::optional<double> valueAt(std::span<const CurvePoint> curve, double x, Interpolation between) {
  // Only the neighbors of x matter: binary search.
  const auto after = std::upper_bound(curve.begin(), curve.end(), x,
                                      [](double value, const CurvePoint& point) { return value < point.x; });
  const auto first = after == curve.begin() ? after : after - 1;
  const auto size = static_cast<std::size_t>((after == curve.end() ? after : after + 1) - first);
  return CurveReader({first, size}, between).at(x);
}

bool isMeasuredPerBatch(std::string_view series) {
  const Metric* metric = findMetric(series);
  return metric != nullptr && metric->traits.fluctuates;
}

double leastValue(std::string_view series) {
  const Metric* metric = findMetric(series);
  return metric != nullptr && metric->traits.neverNegative ? 0 : -std::numeric_limits<double>::infinity();
}

std::optional<double> meanBefore(std::span<const CurvePoint> curve, double x, double window) {
  assert(window > 0);
  if (curve.empty() || x < curve.front().x || x > curve.back().x) return std::nullopt;
  auto at = std::ranges::lower_bound(curve, x, {}, &CurvePoint::x);
  if (!std::isfinite(at->y)) return at->y;
  double sum = 0, length = 0;
  for (;; --at) {
    const bool first = at == curve.begin();
    const double from = first ? x - window : (at - 1)->x;
    const double part = std::min(at->x, x) - std::max(from, x - window);
    if (part > 0 && std::isfinite(at->y)) {
      sum += part * at->y;
      length += part;
    }
    if (first || from <= x - window) break;
  }
  return length > 0 ? std::optional(sum / length) : valueAt(curve, x);
}

double averagingWindow(std::span<const Curve> curves, double x) {
  constexpr double kShare = 0.05;
  constexpr std::ptrdiff_t kPoints = 5;
  double window = kShare * x;
  for (const Curve& curve : curves) {
    const auto after = std::ranges::upper_bound(curve, x, {}, &CurvePoint::x);
    if (after == curve.begin()) continue;
    const bool enough = after - curve.begin() > kPoints;
    window = std::max(window, enough ? x - (after - 1 - kPoints)->x : x);
  }
  return std::min(window, x / 2);
}

std::optional<CommonEnd> commonEnd(std::span<const Curve> curves) {
  std::optional<CommonEnd> found;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].empty()) continue;
    const double end = curves[i].back().x;
    if (!found) {
      found = CommonEnd{end, i, true};
      continue;
    }
    found->allEqual = found->allEqual && end == found->x;
    if (end < found->x) found = CommonEnd{end, i, false};
  }
  return found;
}

double Smoother::next(double y) {
  if (!std::isfinite(y)) return y;
  sum_ = weight_ * sum_ + y;
  weights_ = weight_ * weights_ + 1;
  return sum_ / weights_;
}

Smoothing smoothingOf(RunStatus status) {
  return status == RunStatus::Created || status == RunStatus::Running ? Smoothing::Trailing : Smoothing::Centered;
}

namespace {

/// Replaces each value by the weighted mean of those on both sides: what comes from before, and from behind.
void centerValues(Curve& curve, double weight) {
  struct Sum {
    double values = 0, weights = 0;
  };
  std::vector<Sum> before(curve.size());
  Sum sum;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    before[i] = sum = {weight * sum.values, weight * sum.weights};
    if (std::isfinite(curve[i].y)) sum = {sum.values + curve[i].y, sum.weights + 1};
  }
  Sum behind;
  for (std::size_t i = curve.size(); i-- > 0;) {
    behind = {weight * behind.values, weight * behind.weights};
    if (!std::isfinite(curve[i].y)) continue;
    const double own = curve[i].y;
    curve[i].y = (before[i].values + own + behind.values) / (before[i].weights + 1 + behind.weights);
    behind = {behind.values + own, behind.weights + 1};
  }
}

}  // namespace

Curve smoothed(std::span<const CurvePoint> curve, double weight, Smoothing smoothing) {
  assert(weight >= 0 && weight < 1);
  Curve result(curve.begin(), curve.end());
  if (weight == 0) return result;
  if (smoothing == Smoothing::Centered) {
    centerValues(result, weight / (2 - weight));
    return result;
  }
  Smoother smoother(weight);
  for (CurvePoint& point : result) point.y = smoother.next(point.y);
  return result;
}

std::vector<double> gridOf(std::span<const Curve> members, std::size_t most) {
  assert(most >= 2);
  std::vector<double> grid;
  for (const Curve& member : members)
    for (const CurvePoint& point : member) grid.push_back(point.x);
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  if (grid.size() <= most) return grid;
  const std::size_t stride = (grid.size() - 1 + most - 2) / (most - 1);
  std::vector<double> thinned;
  for (std::size_t i = 0; i + 1 < grid.size(); i += stride) thinned.push_back(grid[i]);
  thinned.push_back(grid.back());
  return thinned;
}

std::vector<GroupPoint> groupCurves(std::span<const Curve> members, std::span<const double> grid, Center center,
                                    Band band, Interpolation between, double least) {
  std::vector<CurveReader> readers;
  for (const Curve& member : members) readers.emplace_back(member, between);
  std::vector<GroupPoint> group;
  std::vector<double> values;
  for (const double x : grid) {
    values.clear();
    for (CurveReader& reader : readers)
      if (const auto value = reader.at(x)) values.push_back(*value);
    if (!values.empty()) group.push_back(pointOf(x, values, center, band, least));
  }
  return group;
}

}  // namespace batchwise
