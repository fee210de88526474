// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/events/run_command.h"
#include "core/run/slurm/slurm_client.h"

namespace batchwise {

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

}  // namespace batchwise
