// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/analysis/curve.h"

namespace batchwise {

/// Exponential moving average with bias correction: s_i = sum_j w^(i-j) y_j / sum_j w^(i-j) over the finite y_j up to
/// i. `weight` in [0, 1); 0 returns the points unchanged. Non-finite points are kept and do not affect others. Source:
/// bias correction as in Kingma and Ba 2015, section 3.
Curve smoothed(std::span<const CurvePoint> curve, double weight);

/// Incremental smoothed(), for growing curves.
class Smoother {
 public:
  explicit Smoother(double weight) : weight_(weight) {}
  /// Adds a value and returns the average; returns non-finite values unchanged.
  double next(double y);

 private:
  double weight_;
  double sum_ = 0, weights_ = 0;
};

}  // namespace batchwise
