// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace batchwise {
namespace {

/// Returns P(|T| <= t) for Student's t distribution.
double probabilityWithin(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(degrees)), cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double sum = 0, term = odd ? cosine : 1;
  for (int k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * (k - 1) / k;
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

Assessment assess(double difference, Direction direction, std::optional<double> band) {
  if (difference == 0) return Assessment::Same;
  if (std::abs(difference) <= band.value_or(-1)) return Assessment::WithinNoise;
  if (direction == Direction::Neither) return Assessment::NoDirection;
  if (!band) return Assessment::NoiseUnknown;
  return (difference < 0) == (direction == Direction::LowerIsBetter) ? Assessment::Better : Assessment::Worse;
}

}  // namespace

double meanOf(std::span<const double> values) {
  assert(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double medianOf(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double medianEfficiency(std::size_t count) {
  constexpr std::array kEfficiency = {1.0,    1.0,    0.7429, 0.8384, 0.6973, 0.7761, 0.6788, 0.7432, 0.6689, 0.7228,
                                      0.6628, 0.7089, 0.6586, 0.6989, 0.6556, 0.6912, 0.6533, 0.6852, 0.6515, 0.6803};
  assert(count >= 1);
  return count <= kEfficiency.size() ? kEfficiency[count - 1] : 2 / std::numbers::pi;
}

double deviationOf(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean = meanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double studentT95(int degrees) {
  assert(degrees >= 1);
  double low = 1.9, high = 13;  // 1.96 for infinitely many degrees, 12.706 for one
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (probabilityWithin(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Direction directionOf(std::string_view series) {
  const Metric* metric = findMetric(series);
  return metric == nullptr ? Direction::Neither : metric->direction;
}

std::string_view assessmentName(Assessment verdict) {
  switch (verdict) {
    case Assessment::Better: return "better";
    case Assessment::Worse: return "worse";
    case Assessment::Same: return "same";
    case Assessment::WithinNoise: return "within noise";
    case Assessment::NoiseUnknown: return "noise unknown";
    case Assessment::NoDirection:
    case Assessment::Unknown: break;
  }
  return "";
}

double SeedNoise::band(std::size_t count, std::size_t baselineCount) const {
  return studentT95(degrees) * deviation *
         std::sqrt(1.0 / static_cast<double>(count) + 1.0 / static_cast<double>(baselineCount));
}

double SeedNoise::medianBand(std::size_t count, std::size_t baselineCount) const {
  const auto variance = [](std::size_t runs) { return 1.0 / (static_cast<double>(runs) * medianEfficiency(runs)); };
  return studentT95(degrees) * deviation * std::sqrt(variance(count) + variance(baselineCount));
}

std::optional<SeedNoise> seedNoise(std::span<const std::vector<double>> groups) {
  double squares = 0;
  int degrees = 0;
  for (const std::vector<double>& values : groups) {
    if (values.size() < 2) continue;
    const int own = static_cast<int>(values.size()) - 1;
    const double deviation = deviationOf(values);
    squares += own * deviation * deviation;
    degrees += own;
  }
  if (degrees == 0) return std::nullopt;
  return SeedNoise{std::sqrt(squares / degrees), degrees};
}

Delta deltaOf(std::optional<double> value, std::optional<double> baseline, Direction direction,
              std::optional<double> band) {
  Delta delta{std::numeric_limits<double>::quiet_NaN(), std::nullopt, Assessment::Unknown};
  if (!value || !baseline) return delta;
  const bool isFinite = std::isfinite(*value), isBaselineFinite = std::isfinite(*baseline);
  if (isFinite != isBaselineFinite && direction != Direction::Neither)
    delta.verdict = isFinite ? Assessment::Better : Assessment::Worse;
  if (!isFinite || !isBaselineFinite) return delta;
  delta.absolute = *value - *baseline;
  if (*baseline != 0) delta.relative = delta.absolute / std::abs(*baseline);
  delta.verdict = assess(delta.absolute, direction, band);
  return delta;
}

}  // namespace batchwise
