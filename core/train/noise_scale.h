// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace batchwise {

/// Square of the norm of a gradient that is a mean over `samples` samples.
struct GradientSize {
  double normSquared = 0;
  double samples = 0;
};

/// The simple gradient noise scale, tr(covariance) / |gradient|^2, in samples: the batch size around which larger
/// batches begin to pay less. Measured from a small and a large batch of the same step; numerator and denominator are
/// smoothed on their own. Source: McCandlish et al. 2018, appendix A.1. A value.
struct NoiseEstimate {
  double gradient = 0;  ///< smoothed, of |gradient|^2 without noise
  double noise = 0;     ///< smoothed, of the trace of the covariance of one sample's gradient

  /// Takes in one step. Nothing happens unless the small batch is smaller and all values are finite.
  void add(const GradientSize& small, const GradientSize& large);
  /// Nothing until both parts are positive.
  std::optional<double> scale() const;
  bool operator==(const NoiseEstimate&) const = default;
};

}  // namespace batchwise
