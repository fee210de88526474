// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/group_curve.h"
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
/// Sample standard deviation (n - 1); NaN for fewer than two values, 0 for those that differ by rounding only.
double deviationOf(std::span<const double> values);

/// Returns t with P(|T| <= t) = `confidence` for Student's t distribution with `degrees` >= 1 degrees of freedom, to
/// within 1e-9. Source: Abramowitz and Stegun 1964, 26.7.1 and 26.5.8.
double studentT(double confidence, double degrees);

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

/// Confidence of each band behind a verdict. A verdict may rest on the smaller of two bands, so that groups that differ
/// by seed only are called different in at most 2 x 2 % of comparisons, and each band is an interval of at least 95 %
/// of groups that vary alike. That holds for each verdict: of 25 on equal groups at most one is wrong on average.
inline constexpr double kBandConfidence = 0.98;

/// Variance of the difference of two means, and the degrees of freedom that it was estimated with.
struct DifferenceVariance {
  double variance = 0;
  double degrees = 1;

  /// Half width of the interval of the difference: t(degrees) sqrt(variance + exactVariance), where `exactVariance` of
  /// another source is known. Degrees of the sum: Satterthwaite 1946.
  double band(double exactVariance = 0) const;
  /// Returns the upper end of the one-sided 95 % interval of a difference: difference + t(0.95, degrees)
  /// sqrt(variance).
  double upperBound(double difference) const;
};
/// Which runs told the noise of a difference.
enum class NoiseSource {
  None,
  Seeds,        ///< those of both sides, from their spread
  PairedSeeds,  ///< those of both sides, from the differences between runs of the same seed
  OtherRuns,    ///< all compared runs that differ by seed only, as a side is no group of seeds alone
  Examples,     ///< none: the examples of a task
};
/// Returns "seeds", "paired_seeds", "other_runs", "examples"; "" for None.
std::string_view noiseSourceName(NoiseSource source);
/// Values of one side by their seed.
using SeededValues = std::vector<std::pair<std::string, double>>;
std::vector<double> numbersOf(const SeededValues& values);
struct DifferenceNoise {
  NoiseSource source = NoiseSource::None;
  DifferenceVariance variance = {};
};
/// Returns the noise of the difference of means, or medians, of two sides of at least two values each: from their
/// pooled deviation, or Welch's variance (1947) if the sides differ in size and that gives a larger band, as a small
/// side may vary more. For means of three values or more with the same seeds on both sides: from the differences of
/// each seed, if they vary and that gives a smaller band.
DifferenceNoise differenceNoise(const SeededValues& values, const SeededValues& baseline, Center center);
/// Returns the noise for a test of one side: of means whose sides have the same seeds, three at least, always from the
/// differences of each seed, as the smaller of two bands would err in more than 5 %.
DifferenceNoise oneSidedNoise(const SeededValues& values, const SeededValues& baseline, Center center);
/// Returns the band; nothing for 0 of evaluations and tasks, whose values come in steps, so that a few are often equal
/// by chance, nor for 0 of the training loss: seeds of evaluations alone do not change it.
std::optional<double> knownBand(double band, std::string_view series);

/// Pooled standard deviation of runs that differ by seed only: s^2 = sum (n_i - 1) s_i^2 / sum (n_i - 1) over groups i.
struct SeedNoise {
  double deviation = 0;
  int degrees = 0;  ///< degrees of freedom: sum (n_i - 1)

  /// Returns the variance of the difference of the centers of `count` and `baselineCount` runs: of means s^2 (1 / count
  /// + 1 / baselineCount), of medians each count times its medianEfficiency().
  DifferenceVariance variance(std::size_t count = 1, std::size_t baselineCount = 1, Center center = Center::Mean) const;
  /// Returns variance().band().
  double band(std::size_t count = 1, std::size_t baselineCount = 1, Center center = Center::Mean) const {
    return variance(count, baselineCount, center).band();
  }
};
/// Ignores groups of fewer than two values; returns nothing if there is no other.
std::optional<SeedNoise> seedNoise(std::span<const std::vector<double>> groups);

/// Compares a value with the baseline. Differences up to `band` count as noise; without a band, none is better or
/// worse. A value that is not finite (of a run that diverged) is worse than any number, whatever the noise.
Delta deltaOf(std::optional<double> value, std::optional<double> baseline, Direction direction,
              std::optional<double> band);

}  // namespace batchwise
