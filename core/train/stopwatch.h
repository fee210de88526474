// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"

namespace batchwise {

/// Seconds of training: runs while steps are made, stands still for evaluation, checkpoints and pauses. One thread.
class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock) {}

  void go() { since_ = clock_.monotonicSec(); }
  void stand() {
    elapsed_ += clock_.monotonicSec() - since_;
    since_ = clock_.monotonicSec();
  }
  /// Seconds gone since the last lap; keeps running.
  double lap() {
    stand();
    const double seconds = elapsed_;
    elapsed_ = 0;
    return seconds;
  }

 private:
  const Clock& clock_;
  double since_ = 0;
  double elapsed_ = 0;
};

}  // namespace batchwise
