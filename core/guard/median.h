// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>

namespace batchwise {

/// Returns the median, the upper one of two middle values. Requires at least one value.
double upperMedian(const std::deque<double>& values);

}  // namespace batchwise
