// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace batchwise {

// What a value is worth beside the baseline's. Pure functions.

/// Which way of a quantity is the good one.
enum class Direction { LowerIsBetter, HigherIsBetter, Neither };
/// Of a stored series: loss, perplexity, times and memory down; accuracy, speed and fill up; others neither.
Direction directionOf(std::string_view series);

enum class Verdict {
  Better,
  Worse,
  Same,         ///< equal numbers
  WithinNoise,  ///< the seeds alone differ as much
  NoDirection,  ///< they differ, and neither is the better one
  Unknown,      ///< one of them has no finite value there
};
/// "better", "worse", "same", "within noise", "", "".
std::string_view verdictName(Verdict verdict);

struct Delta {
  double absolute = 0;             ///< value - baseline; NaN if unknown
  std::optional<double> relative;  ///< absolute / |baseline|; none for a baseline of 0
  Verdict verdict = Verdict::Unknown;
};

/// Spread of equal runs with different seeds, pooled over the groups of them: s^2 = sum (n_i - 1) s_i^2 / sum (n_i -
/// 1).
struct SeedNoise {
  double deviation = 0;
  int degrees = 0;  ///< of freedom: sum (n_i - 1)

  /// Half width of the 95 % band for the difference of a value that is the mean of `count` runs and one that is the
  /// mean of `baselineCount`: t(degrees) s sqrt(1 / count + 1 / baselineCount).
  double band(std::size_t count = 1, std::size_t baselineCount = 1) const;
};
/// Groups of fewer than two values say nothing; nothing if all are.
std::optional<SeedNoise> seedNoise(std::span<const std::vector<double>> groups);

/// `band`: differences up to it are noise; 0 if it is not known.
Delta deltaOf(std::optional<double> value, std::optional<double> baseline, Direction direction, double band = 0);

}  // namespace batchwise
