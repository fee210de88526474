// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace batchwise {

// Over finite values. Pure functions.

/// Requires at least one value.
double meanOf(std::span<const double> values);
/// The middle one, or the mean of the two in the middle. Requires at least one value.
double medianOf(std::vector<double> values);
/// Standard deviation of a sample: divided by n - 1. NaN for fewer than two values.
double deviationOf(std::span<const double> values);

/// t with P(|T| <= t) = 0.95 for Student's distribution with `degrees` of freedom, at least 1; within 1e-9 of it.
/// Source: the distribution as an incomplete beta function (Abramowitz and Stegun 1964, 26.7.1 and 26.5.8).
double studentT95(int degrees);

}  // namespace batchwise
