// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace batchwise {

/// What an optimizer step says of the noise of its gradient. The step is the mean over its parts: micro-batches of all
/// devices, or single samples. Sequences weigh by their predicted tokens w, so n of them are worth (sum w)^2 / sum w^2.
struct StepNoise {
  double partNormSquared = 0;  ///< mean of |gradient|^2 over the parts, by their share of the predicted tokens
  double partInverse = 0;      ///< mean, by the same shares, of 1 / what the sequences of a part are worth
  double normSquared = 0;      ///< |gradient|^2 of the step
  double inverse = 0;          ///< 1 / what its sequences are worth
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
};

/// tr(covariance of a sample's gradient) / |gradient|^2: a batch of this size has as much noise as signal.
struct NoiseScale {
  double samples = 0;
  double low = 0, high = 0;  ///< its 95 % interval, in samples
  double tokens = 0;
};

/// The simple noise scale of a stretch of training (McCandlish et al. 2018, appendix A.1). Both parts are estimated
/// without bias in each step and averaged apart, by tokens, with a half-life; their spread over blocks of tokens gives
/// the interval. A value, saved with the run.
struct NoiseEstimator {
  /// Averages of the steps of about 1 / kBlocks of a half-life.
  struct Block {
    double tokens = 0, samples = 0;
    double trace = 0, gradientSquared = 0;  ///< means, by tokens
    bool operator==(const Block&) const = default;
  };
  static constexpr double kBlocks = 8;  ///< in a half-life

  double halfLife = 0;        ///< in tokens; 0: not chosen yet; infinite: steps count alike, each is a block
  std::vector<Block> blocks;  ///< the oldest first; the last may not be complete

  /// Forgets everything if it is another half-life.
  void setHalfLife(double tokens);
  /// Does nothing for a step that is not finite or has a single part.
  void add(const StepNoise& step);

  /// Trace of the covariance of one sample's gradient; nothing before it is clear that it is above 0.
  std::optional<double> trace() const;
  /// |gradient|^2 without noise; nothing while the lower bound of its 95 % interval is not above 0.
  std::optional<double> gradientSquared() const;
  /// Nothing until both are known. The interval is Fieller's (1954, J. R. Stat. Soc. B 16), which is the delta method's
  /// as soon as the gradient is known well.
  std::optional<NoiseScale> scale() const;
  bool operator==(const NoiseEstimator&) const = default;

 private:
  struct Means;
  Means means() const;
  bool lastIsComplete() const;
};

}  // namespace batchwise
