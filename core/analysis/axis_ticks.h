// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace batchwise {

/// The part of an axis to label, and how.
struct TickRequest {
  double low = 0, high = 1;
  int wanted = 5;            ///< number of ticks that fit
  bool logarithmic = false;  ///< requires low > 0
  double unit = 1;           ///< ticks are round multiples of it, e.g. 60 for seconds shown as minutes, 2^30 for GiB
  int fewest = 0;            ///< up to 7 ticks are tried where fewer come out
};

/// Returns about `wanted` ascending positions in [low, high], spaced by 1, 2 or 5 times a power of ten. On a
/// logarithmic axis of at least a decade: powers of ten, and 2 and 5 times them where there is room. Empty unless low <
/// high, both finite. Pure.
std::vector<double> axisTicks(const TickRequest& request);

/// Returns the unit in which durations up to `seconds` are labeled: 1, 60 or 3600.
double durationTickUnit(double seconds);

}  // namespace batchwise
