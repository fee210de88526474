// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace batchwise {

/// Squared norm of a gradient that is the mean over `samples` samples.
struct GradientSize {
  double normSquared = 0;
  double samples = 0;
};

/// The simple gradient noise scale, tr(covariance) / |gradient|^2, in samples: the batch size above which larger
/// batches pay less. Estimated from a small and a large batch of the same step; numerator and denominator are smoothed
/// separately. Source: McCandlish et al. 2018, appendix A.1.
struct NoiseEstimate {
  double gradient = 0;  ///< smoothed |gradient|^2 without noise
  double noise = 0;     ///< smoothed trace of the covariance of one sample's gradient

  /// Adds one step. Does nothing unless the small batch is smaller and all values are finite.
  void add(const GradientSize& small, const GradientSize& large);
  /// Returns nullopt until both parts are positive.
  std::optional<double> scale() const;
  bool operator==(const NoiseEstimate&) const = default;
};

}  // namespace batchwise
