// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

namespace batchwise {

/// When to ask the controller of a cluster, which all its users share, how a job gets on: each second for a while after
/// something has happened to the job, else every 20 seconds. Pure; times in seconds of one clock.
class SlurmLooks {
 public:
  /// The job was submitted, commanded, has begun, told its end, or is gone.
  void somethingHappened(double nowSec) { quickUntilSec_ = nowSec + kQuickForSec; }
  /// Whether it is time to ask. If so, it counts as done.
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
