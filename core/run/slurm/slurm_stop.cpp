// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_stop.h"

#include <algorithm>

namespace batchwise {
namespace {

// A suspended job handles the signal when it continues.
bool trains(const SlurmJob& job) {
  return job.state == "RUNNING" || job.state == "SUSPENDED";
}

// Waits for a release or a requeue: it takes no signal, and is not PENDING for Slurm.
bool isHeld(const SlurmJob& job) {
  return job.state == "REQUEUE_HOLD" || job.state == "SPECIAL_EXIT" || job.state == "REQUEUED";
}

// Returns the training job; nullptr if none.
const SlurmJob* trainingJob(const std::vector<SlurmJob>& jobs) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), trains);
  return found == jobs.end() ? nullptr : &*found;
}

}  // namespace

SlurmStop::Order SlurmStop::next(const std::vector<SlurmJob>& jobs, bool ranksReady) const {
  if (!asked() || jobs.empty()) return Order::Nothing;
  if (wanted_ == RunCommand::Abort) return Order::CancelAll;
  const auto waits = [](const SlurmJob& job) { return job.state == "PENDING"; };
  if (std::any_of(jobs.begin(), jobs.end(), waits)) return Order::CancelWaiting;
  if (std::all_of(jobs.begin(), jobs.end(), isHeld)) return Order::CancelAll;
  const SlurmJob* training = trainingJob(jobs);
  if (training == nullptr || training->id == signaled_ || !ranksReady) return Order::Nothing;
  return Order::Signal;
}

void SlurmStop::accepted(Order order, const std::vector<SlurmJob>& jobs) {
  if (order == Order::Signal) signaled_ = trainingJob(jobs)->id;
  if (order == Order::CancelAll) wanted_ = RunCommand::None;
}

}  // namespace batchwise
