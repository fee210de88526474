// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/analysis/curve.h"

namespace batchwise {

/// Exponential moving average, corrected for the start: s_i = sum_j w^(i-j) y_j / sum_j w^(i-j) over the finite y_j up
/// to i, so a constant stays constant and the first value is the first value. `weight` in [0, 1); 0 gives the points
/// back. A point that is not finite keeps its value, so that it is still seen, and neither counts nor ages the others.
/// Source: debiasing as in Kingma and Ba 2015, section 3.
Curve smoothed(std::span<const CurvePoint> curve, double weight);

/// The same point by point, for a curve that grows.
class Smoother {
 public:
  explicit Smoother(double weight) : weight_(weight) {}
  /// The average after one more point; what is not finite comes back as it is.
  double next(double y);

 private:
  double weight_;
  double sum_ = 0, weights_ = 0;
};

}  // namespace batchwise
