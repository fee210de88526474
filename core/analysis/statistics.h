// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/config/events/metric.h"

namespace batchwise {

// Statistics of finite values, and differences to a baseline. Pure functions.

/// Requires at least one value.
double meanOf(std::span<const double> values);
/// Requires at least one value. For an even number, returns the mean of the two middle ones.
double medianOf(std::vector<double> values);
/// Returns the variance of the mean of `count` >= 1 values of a normal distribution over that of their median: 1 for up
/// to two, 2 / pi for infinitely many, which is taken from 21 on. Source: integrated from the densities of the order
/// statistics (David and Nagaraja 2003, Order Statistics, sections 2.1 and 2.2).
double medianEfficiency(std::size_t count);
/// Sample standard deviation (n - 1); NaN for fewer than two values.
double deviationOf(std::span<const double> values);

/// Returns t with P(|T| <= t) = 0.95 for Student's t distribution with `degrees` >= 1 degrees of freedom, to within
/// 1e-9. Source: Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
double studentT95(int degrees);

/// Direction of a stored series: loss, perplexity, times and memory lower; accuracy, speed and fill higher; else
/// Neither.
Direction directionOf(std::string_view series);

enum class Assessment {
  Better,
  Worse,
  Same,          ///< equal numbers
  WithinNoise,   ///< not larger than differences between seeds
  NoiseUnknown,  ///< different, but not known whether by more than seeds differ
  NoDirection,   ///< different, but neither value is better
  Unknown,       ///< one of them is missing, or neither is finite
};
/// Returns "better", "worse", "same", "within noise", "noise unknown", "", "".
std::string_view assessmentName(Assessment verdict);

struct Delta {
  double absolute = 0;             ///< value - baseline; NaN if one is missing or not finite
  std::optional<double> relative;  ///< absolute / |baseline|; empty for a baseline of 0
  Assessment verdict = Assessment::Unknown;
};

/// Pooled standard deviation of runs that differ by seed only: s^2 = sum (n_i - 1) s_i^2 / sum (n_i - 1) over groups i.
struct SeedNoise {
  double deviation = 0;
  int degrees = 0;  ///< degrees of freedom: sum (n_i - 1)

  /// Half width of the 95 % confidence interval for the difference of two means of `count` and `baselineCount` runs:
  /// t(degrees) s sqrt(1 / count + 1 / baselineCount).
  double band(std::size_t count = 1, std::size_t baselineCount = 1) const;
  /// Same for medians: each count times its medianEfficiency().
  double medianBand(std::size_t count, std::size_t baselineCount) const;
};
/// Ignores groups of fewer than two values; returns nothing if there is no other.
std::optional<SeedNoise> seedNoise(std::span<const std::vector<double>> groups);

/// Compares a value with the baseline. Differences up to `band` count as noise; without a band, none is better or
/// worse. A value that is not finite (of a run that diverged) is worse than any number, whatever the noise.
Delta deltaOf(std::optional<double> value, std::optional<double> baseline, Direction direction,
              std::optional<double> band);

}  // namespace batchwise
