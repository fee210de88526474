// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace batchwise {

// Statistics of finite values. Pure functions.

/// Requires at least one value.
double meanOf(std::span<const double> values);
/// Requires at least one value. For an even number, returns the mean of the two middle ones.
double medianOf(std::vector<double> values);
/// Sample standard deviation (n - 1); NaN for fewer than two values.
double deviationOf(std::span<const double> values);

/// Returns t with P(|T| <= t) = 0.95 for Student's t distribution with `degrees` >= 1 degrees of freedom, to within
/// 1e-9. Source: Abramowitz and Stegun 1964, 26.7.1 and 26.5.8 (incomplete beta function).
double studentT95(int degrees);

}  // namespace batchwise
