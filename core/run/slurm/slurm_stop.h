// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/events/run_command.h"
#include "core/run/slurm/slurm_client.h"

namespace batchwise {

/// A person's wish that a run in the queue of a cluster ends, until it has come true: what to ask the cluster for, by
/// what its queue shows. Ranks that train are asked to save and end, once; what waits is taken out of the queue; only
/// an Abort ends jobs that train by force. Pure.
class SlurmStop {
 public:
  /// What to send now; at most one of them.
  enum class Order { Nothing, Signal, CancelWaiting, CancelAll };

  /// `command` ends the run (endsRun()); the strongest counts.
  void ask(RunCommand command) {
    if (wanted_ != RunCommand::Abort) wanted_ = command;
  }
  bool asked() const { return wanted_ != RunCommand::None; }

  /// `jobs`: of the run, as the queue shows them now. `ranksListen`: the ranks of the job that runs have said
  /// something; before, a signal would reach nobody.
  Order next(const std::vector<SlurmJob>& jobs, bool ranksListen) const;
  /// The cluster took the order that next() gave for `jobs`. What was not taken is given again.
  void taken(Order order, const std::vector<SlurmJob>& jobs);

 private:
  RunCommand wanted_ = RunCommand::None;
  std::string signalled_;  // the job that was
};

}  // namespace batchwise
