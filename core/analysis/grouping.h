// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/curve.h"

namespace batchwise {

// Several runs as one curve with a band. Pure functions.

enum class Centre { Mean, Median };
/// How far from the centre the band reaches, each way.
enum class Band {
  None,
  Deviation,     ///< the sample's standard deviation (n - 1)
  Error,         ///< deviation / sqrt(n)
  Confidence95,  ///< error x Student's t for n - 1 degrees of freedom
};
/// "mean", "median"; "none", "std", "stderr", "95%".
std::string_view centreName(Centre centre);
std::optional<Centre> centreFromName(std::string_view name);
std::string_view bandName(Band band);
std::optional<Band> bandFromName(std::string_view name);

/// Members that have a finite value at x, and what they have together. `low` and `high` are NaN where there is no band:
/// for Band::None, and for one member, whose spread nobody knows.
struct GroupPoint {
  double x = 0;
  double centre = 0;
  double low = 0;
  double high = 0;
  std::size_t count = 0;
};

/// Every x of any curve once, ascending; if they are more than `most` (at least 2), every k-th of them and the last.
std::vector<double> gridOf(std::span<const Curve> members, std::size_t most);

/// The group at each x of `grid` (ascending): every member gives its value there by `between` and counts only where it
/// has one, so members may have different x, gaps and lengths. An x where nobody has a value is left out.
std::vector<GroupPoint> groupCurves(std::span<const Curve> members, std::span<const double> grid, Centre centre,
                                    Band band, Between between);

}  // namespace batchwise
