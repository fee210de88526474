// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace batchwise {

/// The losses that a spike is judged by. Saved with a checkpoint.
struct LossSpikeState {
  struct Entry {
    std::int64_t step = 0;  ///< optimiser steps done with it
    double loss = 0;        ///< nats per predicted token, finite
    bool operator==(const Entry&) const = default;
  };
  std::deque<Entry> recent;  ///< oldest first
  bool operator==(const LossSpikeState&) const = default;
};

/// Judges the loss of a step by those of the steps before it: above mean + sigma x standard deviation over the window
/// is a spike. Source: the rule of OLMo's SkipStepOptimizer (AI2 2024: 6 sigma over 128 steps), with losses that spiked
/// kept in the window, so that a new level is accepted in time. Pure.
class LossSpike {
 public:
  /// Steps whose losses are not looked at yet when a step is made: on a GPU they may still be on their way, and all
  /// devices and resumes must come to the same limit.
  static constexpr std::int64_t kLag = 2;

  /// sigma > 0, window >= 2 in steps.
  LossSpike(double sigma, std::int64_t window) : sigma_(sigma), window_(window) {}

  struct Limit {
    double mean = 0;
    double deviation = 0;  ///< at least 1/10,000 of the mean: equal losses are no reason to refuse the next
    double limit = 0;
  };
  /// For the step that will be number `step` (counted from 1). None before half of the window is known.
  std::optional<Limit> limitFor(const LossSpikeState& state, std::int64_t step) const;
  /// Remembers a loss; one that is not finite is passed over.
  void add(LossSpikeState& state, std::int64_t step, double loss) const;

 private:
  double sigma_;
  std::int64_t window_;
};

}  // namespace batchwise
