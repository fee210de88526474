// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"

namespace batchwise {

/// Measures seconds of training: runs during steps, stopped during evaluation, checkpoints and pauses. Not thread-safe.
class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock) {}

  void start() { since_ = clock_.monotonicSec(); }
  void stop() {
    elapsed_ += clock_.monotonicSec() - since_;
    since_ = clock_.monotonicSec();
  }
  /// Returns the seconds since the last lap; keeps running.
  double lap() {
    stop();
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
