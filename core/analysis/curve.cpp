// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/curve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/localization.h"
#include "core/base/message.h"

namespace batchwise {
namespace {

struct AxisNames {
  Axis axis;
  std::string_view name;
  std::string_view series;
};
constexpr std::array kAxes = {AxisNames{Axis::Steps, "steps", "steps"}, AxisNames{Axis::Samples, "samples", "sp"},
                              AxisNames{Axis::Tokens, "tokens", "tok"}, AxisNames{Axis::Time, "time", "sec"}};

const AxisNames& namesOf(Axis axis) {
  return *std::find_if(kAxes.begin(), kAxes.end(), [axis](const AxisNames& one) { return one.axis == axis; });
}

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

}  // namespace

std::string_view axisName(Axis axis) {
  return namesOf(axis).name;
}

Message axisText(Axis axis) {
  return labelOf(axisName(axis));
}

std::optional<Axis> axisFromName(std::string_view name) {
  for (const AxisNames& one : kAxes)
    if (one.name == name) return one.axis;
  return std::nullopt;
}

std::string_view axisSeries(Axis axis) {
  return namesOf(axis).series;
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
  const std::string_view leaf = series.substr(series.rfind('.') == series.npos ? 0 : series.rfind('.') + 1);
  const bool stepped = leaf == "step_samples" || leaf == "global_batch_samples" || leaf == "parts";
  return stepped ? Interpolation::Previous : Interpolation::Linear;
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

}  // namespace batchwise
