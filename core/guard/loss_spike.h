// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace batchwise {

/// Recent losses to compare with. Saved with a checkpoint.
struct LossSpikeState {
  struct Entry {
    std::int64_t step = 0;  ///< optimizer steps done, this one included
    double loss = 0;        ///< nats per predicted token, finite
    bool operator==(const Entry&) const = default;
  };
  std::deque<Entry> recent;  ///< oldest first
  bool operator==(const LossSpikeState&) const = default;
};

/// Detects a loss above mean + sigma x standard deviation of the steps before it. Source: OLMo's SkipStepOptimizer (AI2
/// 2024: 6 sigma over 128 steps), except that spikes stay in the window, so that a new level is accepted in time. Pure.
class LossSpike {
 public:
  /// Number of latest losses that are ignored: on a GPU they may still be in flight, and all devices and resumes must
  /// compute the same limit.
  static constexpr std::int64_t kLag = 2;

  /// Requires sigma > 0, window >= 2 (steps).
  LossSpike(double sigma, std::int64_t window) : sigma_(sigma), window_(window) {}

  struct Limit {
    double mean = 0;
    double deviation = 0;  ///< at least 1/10,000 of the mean, so that a constant loss does not make any change a spike
    double limit = 0;
  };
  /// Returns the limit for step number `step` (from 1); nothing before half of the window is filled.
  std::optional<Limit> limitFor(const LossSpikeState& state, std::int64_t step) const;
  /// Records a loss; ignores one that is not finite.
  void add(LossSpikeState& state, std::int64_t step, double loss) const;

 private:
  double sigma_;
  std::int64_t window_;
};

}  // namespace batchwise
