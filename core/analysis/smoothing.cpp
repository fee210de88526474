// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/smoothing.h"

#include <cassert>
#include <cmath>

namespace batchwise {
double Smoother::next(double y, double kept) {
  if (!std::isfinite(y)) return y;
  sum_ = kept * sum_ + y;
  weights_ = kept * weights_ + 1;
  return sum_ / weights_;
}

Curve smoothed(std::span<const CurvePoint> curve, double weight) {
  assert(weight >= 0 && weight < 1);
  Curve result(curve.begin(), curve.end());
  Smoother smoother(weight);
  for (CurvePoint& point : result) point.y = smoother.next(point.y);
  return result;
}

Curve smoothedOverX(std::span<const CurvePoint> curve, double halfLife) {
  assert(halfLife >= 0);
  Curve result(curve.begin(), curve.end());
  Smoother smoother(0);
  const CurvePoint* before = nullptr;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (!std::isfinite(curve[i].y)) continue;
    const bool ages = before != nullptr && halfLife > 0;
    result[i].y = smoother.next(curve[i].y, ages ? std::exp2(-(curve[i].x - before->x) / halfLife) : 0.0);
    before = &curve[i];
  }
  return result;
}

}  // namespace batchwise
