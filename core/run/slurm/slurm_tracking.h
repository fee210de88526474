// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/events/run_command.h"
#include "core/events/run_event.h"
#include "core/run/slurm/slurm_client.h"

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

/// A user's request to stop a queued or running job, until it is fulfilled: decides what to ask of the cluster, given
/// its queue. Training ranks are signaled once to save and end; pending jobs are canceled; only Abort kills training
/// jobs. Pure.
class SlurmStop {
 public:
  /// The order to send now.
  enum class Order { Nothing, Signal, CancelWaiting, CancelAll };

  /// Requests a stop. `command`: one with endsRun(); Abort overrides the others.
  void ask(RunCommand command) {
    if (wanted_ != RunCommand::Abort) wanted_ = command;
  }
  bool asked() const { return wanted_ != RunCommand::None; }

  /// Returns the next order. `jobs`: the run's jobs now in the queue. `ranksReady`: the ranks of the running job have
  /// published events; before that, a signal would be lost.
  Order next(const std::vector<SlurmJob>& jobs, bool ranksReady) const;
  /// Records that the cluster accepted the order of next() for `jobs`. An order that is not accepted is given again.
  void accepted(Order order, const std::vector<SlurmJob>& jobs);

 private:
  RunCommand wanted_ = RunCommand::None;
  std::string signaled_;  // id of the signaled job
};

/// Evidence about a run whose jobs are gone without reporting its end.
struct SlurmEvidence {
  std::string run;            ///< of the last job seen; may be empty
  std::string job;            ///< the last one that was seen; may be empty
  bool jobStarted = false;    ///< it was seen running, or left output
  bool runStarted = false;    ///< a journal exists
  bool stopAccepted = false;  ///< the cluster accepted the user's stop
  std::optional<SlurmJobEnd> end;
  std::deque<std::string> lastLines;  ///< of the job's output
};

/// Derives status and reason of such a run. Pure.
RunFinished slurmOutcome(const SlurmEvidence& evidence);

}  // namespace batchwise
