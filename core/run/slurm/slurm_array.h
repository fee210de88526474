// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/run/slurm/slurm_client.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Trains runs of a workspace, such as the branches of a study, as the tasks of one job array.
struct SlurmArray {
  std::shared_ptr<Workspace> workspace;
  SlurmOptions options;
  SlurmClient slurm;
  std::stop_token stop;
  std::function<void(const std::string&)> say;  ///< what a person may want to know
  /// Called when the rows of the runs are in the workspace; returns those whose tasks are not needed any more.
  std::function<Result<std::vector<std::string>>()> unneeded = [] { return std::vector<std::string>(); };

  /// Submits those of `runs` (ids) that have not ended, unless some are on the cluster: new ones, forks and, from their
  /// checkpoints, those that were there before. Takes them out of the queue. Waits until no job of `runs` is left, and
  /// takes in what they record; those that have not ended then wait for the next call. Fails with Stopped if that was
  /// asked for: then the jobs go on, and the next call waits for them. Fails with Config if a submitted run gets no
  /// further, with Busy if one trains here, else as submitToSlurm() and the store.
  Result<void> train(const std::vector<std::string>& runs) const;

 private:
  Result<void> submit(const std::vector<std::string>& runs) const;
  Result<void> waitFor(const std::vector<std::string>& runs) const;
};

}  // namespace batchwise
