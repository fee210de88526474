// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>

namespace batchwise {

/// The upper one of two in the middle. Requires at least one value.
double upperMedian(const std::deque<double>& values);

}  // namespace batchwise
