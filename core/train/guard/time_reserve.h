// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

namespace batchwise {

/// Decides when a run with a time limit must stop so that its last checkpoint is written before the limit. The reserve
/// follows from measured durations. Seconds on one monotonic clock. Pure. Not thread-safe.
class TimeReserve {
 public:
  /// `startedSec`: start of the limit. Requires limitSec > 0.
  TimeReserve(double limitSec, double startedSec) : limitSec_(limitSec), endSec_(startedSec + limitSec) {}

  /// Records how long the training thread did not check the clock: a step, an evaluation.
  void recordPollGap(double seconds) { longestPollGapSec_ = std::max(longestPollGapSec_, seconds); }
  /// Records the duration of a checkpoint, from the request to the committed row.
  void recordCheckpoint(double seconds) { longestCheckpointSec_ = std::max(longestCheckpointSec_, seconds); }
  /// Returns the reserve: twice the longest checkpoint, 1.5 times the longest time between two checks, and 10 s (a
  /// tenth of a short limit).
  double reserveSec() const {
    return 2.0 * longestCheckpointSec_ + 1.5 * longestPollGapSec_ + std::min(10.0, 0.1 * limitSec_);
  }
  bool mustStop(double nowSec) const { return nowSec + reserveSec() >= endSec_; }

 private:
  double limitSec_;
  double endSec_;
  double longestPollGapSec_ = 0;
  double longestCheckpointSec_ = 0;
};

}  // namespace batchwise
