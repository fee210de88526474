// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

namespace batchwise {

/// Schedules polls of the cluster's controller, which all users share: every second for a while after the job changed,
/// else every 20 seconds. Pure; times in seconds of one clock.
class SlurmPollSchedule {
 public:
  /// Call when the job was submitted, commanded, has started, reported its end, or is gone.
  void jobChanged(double nowSec) { quickUntilSec_ = nowSec + kQuickForSec; }
  /// Returns whether to poll now; if so, counts it as done.
  bool due(double nowSec) {
    if (nowSec < lastSec_ + (nowSec < quickUntilSec_ ? kQuickSec : kCalmSec)) return false;
    lastSec_ = nowSec;
    return true;
  }

 private:
  static constexpr double kQuickSec = 1.0;
  static constexpr double kCalmSec = 20.0;
  static constexpr double kQuickForSec = 15.0;

  double quickUntilSec_ = 0;
  double lastSec_ = -std::numeric_limits<double>::infinity();
};

}  // namespace batchwise
