// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/smoothing.h"

#include <cassert>
#include <cmath>

namespace batchwise {

double Smoother::next(double y) {
  if (!std::isfinite(y)) return y;
  sum_ = weight_ * sum_ + y;
  weights_ = weight_ * weights_ + 1;
  return sum_ / weights_;
}

Curve smoothed(std::span<const CurvePoint> curve, double weight) {
  assert(weight >= 0 && weight < 1);
  Curve result(curve.begin(), curve.end());
  Smoother smoother(weight);
  for (CurvePoint& point : result) point.y = smoother.next(point.y);
  return result;
}

}  // namespace batchwise
