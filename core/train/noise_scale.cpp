// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/noise_scale.h"

#include <cmath>

namespace batchwise {
namespace {

constexpr double kKept = 0.95;  // of the smoothed values at each step: about 20 steps count

}  // namespace

void NoiseEstimate::add(const GradientSize& small, const GradientSize& large) {
  const bool usable = small.samples > 0 && small.samples < large.samples && std::isfinite(small.normSquared) &&
                      std::isfinite(large.normSquared);
  if (!usable) return;
  const double gradientNow =
      (large.samples * large.normSquared - small.samples * small.normSquared) / (large.samples - small.samples);
  const double noiseNow = (small.normSquared - large.normSquared) / (1.0 / small.samples - 1.0 / large.samples);
  gradient = kKept * gradient + (1.0 - kKept) * gradientNow;
  noise = kKept * noise + (1.0 - kKept) * noiseNow;
}

std::optional<double> NoiseEstimate::scale() const {
  if (gradient <= 0 || noise <= 0) return std::nullopt;
  return noise / gradient;
}

}  // namespace batchwise
