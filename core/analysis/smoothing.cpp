// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/smoothing.h"

#include <cassert>
#include <cmath>

namespace batchwise {
namespace {

/// `keep(before, point)`: what remains of the sums from one finite point to the next, in [0, 1].
template <typename Keep>
Curve averaged(std::span<const CurvePoint> curve, Keep keep) {
  Curve result(curve.begin(), curve.end());
  double sum = 0, weights = 0;
  const CurvePoint* before = nullptr;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (!std::isfinite(curve[i].y)) continue;
    const double kept = before == nullptr ? 0 : keep(*before, curve[i]);
    sum = kept * sum + curve[i].y;
    weights = kept * weights + 1;
    result[i].y = sum / weights;
    before = &curve[i];
  }
  return result;
}

}  // namespace

Curve smoothed(std::span<const CurvePoint> curve, double weight) {
  assert(weight >= 0 && weight < 1);
  return averaged(curve, [weight](const CurvePoint&, const CurvePoint&) { return weight; });
}

Curve smoothedOverX(std::span<const CurvePoint> curve, double halfLife) {
  assert(halfLife >= 0);
  return averaged(curve, [halfLife](const CurvePoint& before, const CurvePoint& point) {
    return halfLife > 0 ? std::exp2(-(point.x - before.x) / halfLife) : 0.0;
  });
}

}  // namespace batchwise
