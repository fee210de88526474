// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Tells when a run with a time limit has to stop so that its last checkpoint is on the disk before the limit. Seconds
/// on one monotonic clock; times measured so far set the reserve. Pure; one thread.
class TimeReserve {
 public:
  /// `startedSec`: when the time began to count. limitSec > 0.
  TimeReserve(double limitSec, double startedSec) : limitSec_(limitSec), endSec_(startedSec + limitSec) {}

  /// The training thread was busy for so long between two looks at the clock: a step, an evaluation.
  void tookBetweenLooks(double seconds);
  /// A checkpoint took so long from the request to the committed row.
  void tookForCheckpoint(double seconds);
  /// What is kept free: twice the longest checkpoint, one and a half of the longest stretch between two looks, and 10 s
  /// (of short limits a tenth).
  double reserveSec() const;
  bool mustStop(double nowSec) const { return nowSec + reserveSec() >= endSec_; }

 private:
  double limitSec_;
  double endSec_;
  double longestStretchSec_ = 0;
  double longestCheckpointSec_ = 0;
};

}  // namespace batchwise
