// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace batchwise {
namespace {

/// Continued fraction of the incomplete beta function (modified Lentz's method).
double betaFraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 / std::max(1 - (a + b) * x / (a + 1), kTiny), value = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      c = std::abs(c) < kTiny ? kTiny : c;
      value *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

/// Regularized incomplete beta function.
double incompleteBeta(double x, double a, double b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * betaFraction(x, a, b) / a;
  return 1 - front * betaFraction(1 - x, b, a) / b;
}

/// Returns P(|T| > t).
double twoTails(double t, double degrees) {
  return incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

}  // namespace

double meanOf(std::span<const double> values) {
  assert(!values.empty());
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double medianOf(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
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
    (twoTails(middle, degrees) > 0.05 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace batchwise
