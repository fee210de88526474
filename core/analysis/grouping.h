// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/curve.h"

namespace batchwise {

// Aggregation of runs to one curve with a band. Pure functions.

enum class Center { Mean, Median };
/// Half width of the band around the center.
enum class Band {
  None,
  Deviation,     ///< sample standard deviation (n - 1)
  Error,         ///< deviation / sqrt(n)
  Confidence95,  ///< error x Student's t for n - 1 degrees of freedom
};
/// Names for flags and settings: "mean", "median"; "none", "std", "stderr", "95%".
std::string_view centerName(Center center);
std::optional<Center> centerFromName(std::string_view name);
std::string_view bandName(Band band);
std::optional<Band> bandFromName(std::string_view name);

/// Aggregate of the members with a finite value at x. `low` and `high` are NaN without a band: for Band::None, and
/// Deviation and the like for a single member.
struct GroupPoint {
  double x = 0;
  double center = 0;
  double low = 0;
  double high = 0;
  std::size_t count = 0;
};

/// Returns all distinct x of the curves, ascending; if more than `most` (>= 2), every k-th and the last.
std::vector<double> gridOf(std::span<const Curve> members, std::size_t most);

/// Aggregates the members at each x of `grid` (ascending), interpolating by `between`. Members without a value at x are
/// not counted, so members may differ in x, gaps and lengths. Omits x without any value.
std::vector<GroupPoint> groupCurves(std::span<const Curve> members, std::span<const double> grid, Center center,
                                    Band band, Interpolation between);

}  // namespace batchwise
