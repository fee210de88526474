// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

namespace batchwise {
namespace {

/// Returns the regularized incomplete beta function I_x(a, b) for x < (a + 1) / (a + b + 2), by its continued fraction
/// (Abramowitz and Stegun 1964, 26.5.8), evaluated by the method of Lentz 1976.
double betaBelowMode(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  int sign = 0;
  const double logFront =
      lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * std::log(x) + b * std::log1p(-x);
  double d = 1 / std::max(1 - (a + b) * x / (a + 1), kTiny), c = 1, fraction = d;
  for (int m = 1; m < 500; ++m) {
    const double twice = 2.0 * m;
    const double even = m * (b - m) * x / ((a + twice - 1) * (a + twice));
    const double odd = -(a + m) * (a + b + m) * x / ((a + twice) * (a + twice + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (d == 0 ? kTiny : d);
      if (c == 0) c = kTiny;
      fraction *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return std::exp(logFront) * fraction / a;
}

/// Returns P(|T| > t) for Student's t distribution: I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t^2).
double probabilityBeyond(double t, double degrees) {
  const double x = degrees / (degrees + t * t), a = degrees / 2, b = 0.5;
  return x < (a + 1) / (a + b + 2) ? betaBelowMode(x, a, b) : 1 - betaBelowMode(1 - x, b, a);
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
  constexpr double kRounding = 1e-12;
  const double deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return deviation <= kRounding * std::abs(mean) ? 0 : deviation;  // NaN stays
}

double studentT(double confidence, double degrees) {
  assert(degrees >= 1 && confidence > 0 && confidence < 1);
  double low = 0, high = 1;
  while (probabilityBeyond(high, degrees) > 1 - confidence) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (probabilityBeyond(middle, degrees) > 1 - confidence ? low : high) = middle;
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

std::vector<double> numbersOf(const SeededValues& values) {
  std::vector<double> numbers;
  for (const auto& [seed, value] : values) numbers.push_back(value);
  return numbers;
}

std::string_view noiseSourceName(NoiseSource source) {
  constexpr std::string_view kNames[] = {"", "seeds", "paired_seeds", "other_runs", "examples"};
  return kNames[static_cast<std::size_t>(source)];
}

double DifferenceVariance::band(double exactVariance) const {
  constexpr double kManyDegrees = 10'000;  // as good as infinitely many
  const double sum = variance + exactVariance;
  if (sum <= 0) return 0;
  const double shared = variance > 0 ? degrees * (sum / variance) * (sum / variance) : kManyDegrees;
  return studentT(kBandConfidence, std::min(shared, kManyDegrees)) * std::sqrt(sum);
}

double DifferenceVariance::upperBound(double difference) const {
  constexpr double kTwoSided = 0.9;
  return difference + studentT(kTwoSided, degrees) * std::sqrt(variance);
}

namespace {

/// Returns the variance of the center of a side over that of a single value.
double centerVariance(std::size_t count, Center center) {
  return 1.0 / (static_cast<double>(count) * (center == Center::Median ? medianEfficiency(count) : 1.0));
}

DifferenceVariance welchVariance(std::span<const double> left, std::span<const double> right, Center center) {
  const double a = std::pow(deviationOf(left), 2) * centerVariance(left.size(), center);
  const double b = std::pow(deviationOf(right), 2) * centerVariance(right.size(), center);
  const double degreesOfA = static_cast<double>(left.size()) - 1, degreesOfB = static_cast<double>(right.size()) - 1;
  const double parts = a * a / degreesOfA + b * b / degreesOfB;
  return {a + b, parts > 0 ? (a + b) * (a + b) / parts : degreesOfA + degreesOfB};
}

DifferenceVariance unpairedVariance(const SeededValues& values, const SeededValues& baseline, Center center) {
  const std::vector<double> own = numbersOf(values), other = numbersOf(baseline);
  const auto pooled = seedNoise(std::vector{own, other});
  assert(pooled && own.size() > 1 && other.size() > 1);
  const DifferenceVariance variance = pooled->variance(own.size(), other.size(), center);
  if (own.size() == other.size()) return variance;
  const DifferenceVariance welch = welchVariance(own, other, center);
  return welch.band() > variance.band() ? welch : variance;
}

/// Returns nothing unless both sides have the same seeds, each once, and three at least.
std::optional<DifferenceVariance> pairedVariance(const SeededValues& values, const SeededValues& baseline) {
  const std::map<std::string, double> own(values.begin(), values.end()), other(baseline.begin(), baseline.end());
  if (own.size() < 3 || own.size() != values.size() || other.size() != baseline.size() || own.size() != other.size())
    return std::nullopt;
  std::vector<double> differences;
  for (const auto& [seed, value] : own) {
    const auto found = other.find(seed);
    if (found == other.end()) return std::nullopt;
    differences.push_back(value - found->second);
  }
  const auto count = static_cast<double>(differences.size());
  return DifferenceVariance{std::pow(deviationOf(differences), 2) / count, count - 1};
}

}  // namespace

DifferenceNoise differenceNoise(const SeededValues& values, const SeededValues& baseline, Center center) {
  const DifferenceVariance unpaired = unpairedVariance(values, baseline, center);
  const auto paired = pairedVariance(values, baseline);
  if (center == Center::Mean && paired && paired->variance > 0 && paired->band() < unpaired.band())
    return {NoiseSource::PairedSeeds, *paired};
  return {NoiseSource::Seeds, unpaired};
}

DifferenceNoise oneSidedNoise(const SeededValues& values, const SeededValues& baseline, Center center) {
  if (const auto paired = pairedVariance(values, baseline); center == Center::Mean && paired)
    return {NoiseSource::PairedSeeds, *paired};
  return {NoiseSource::Seeds, unpairedVariance(values, baseline, center)};
}

std::optional<double> knownBand(double band, std::string_view series) {
  const bool mayBeChance = series == "loss" || series.starts_with(kEvalPrefix);
  return band == 0 && mayBeChance ? std::nullopt : std::optional(band);
}

DifferenceVariance SeedNoise::variance(std::size_t count, std::size_t baselineCount, Center center) const {
  return {deviation * deviation * (centerVariance(count, center) + centerVariance(baselineCount, center)),
          static_cast<double>(degrees)};
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
