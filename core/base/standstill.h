// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Tells a thread that looks at regular intervals for how long it could not: its process was stopped (SIGSTOP, a job
/// that is suspended, a laptop's lid) or the machine too busy for anything. What waits for others must not hold that
/// time against them. Pure; times in seconds of one clock.
class Standstill {
 public:
  /// `betweenLooksSec`: how long the thread usually sleeps.
  Standstill(double betweenLooksSec, double nowSec) : betweenLooksSec_(betweenLooksSec), lookedSec_(nowSec) {}

  /// Woken to look: for how long that came too late; 0 for what a busy machine does to any thread.
  double woken(double nowSec) const {
    const double passed = nowSec - lookedSec_;
    return passed > kTooLongSec ? passed - betweenLooksSec_ : 0.0;
  }
  /// The look is done, and may have taken its time.
  void looked(double nowSec) { lookedSec_ = nowSec; }

 private:
  static constexpr double kTooLongSec = 5.0;

  const double betweenLooksSec_;
  double lookedSec_;
};

}  // namespace batchwise
