// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/median.h"

#include <algorithm>
#include <vector>

namespace batchwise {

double upperMedian(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace batchwise
