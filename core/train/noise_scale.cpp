// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/noise_scale.h"

#include <cmath>

namespace batchwise {
namespace {

constexpr double kSmoothing = 0.95;  // weight of the previous value: averages over about 20 steps

}  // namespace

void NoiseEstimate::add(const GradientSize& small, const GradientSize& large) {
  const bool usable = small.samples > 0 && small.samples < large.samples && std::isfinite(small.normSquared) &&
                      std::isfinite(large.normSquared);
  if (!usable) return;
  const double gradientNow =
      (large.samples * large.normSquared - small.samples * small.normSquared) / (large.samples - small.samples);
  const double noiseNow = (small.normSquared - large.normSquared) / (1.0 / small.samples - 1.0 / large.samples);
  gradient = kSmoothing * gradient + (1.0 - kSmoothing) * gradientNow;
  noise = kSmoothing * noise + (1.0 - kSmoothing) * noiseNow;
}

std::optional<double> NoiseEstimate::scale() const {
  if (gradient <= 0 || noise <= 0) return std::nullopt;
  return noise / gradient;
}

}  // namespace batchwise
