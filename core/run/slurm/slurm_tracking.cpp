// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_tracking.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/base/plain_text.h"
#include "core/run/failure_cause.h"

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

std::string howItEnded(const SlurmEvidence& evidence) {
  return evidence.end ? describe(*evidence.end) : "the cluster no longer knows how";
}

/// Returns how the job ended, with the end of its output.
std::string endWithOutput(const SlurmEvidence& evidence) {
  const std::string end = howItEnded(evidence);
  if (evidence.lastLines.empty()) return formatText("{}; it left no output", end);
  std::string quoted;
  for (const std::string& line : evidence.lastLines)
    quoted += (quoted.empty() ? "'" : " / '") + escapedForTerminal(line) + "'";
  return formatText("{}; its output ends with {}; see runs/{}.log in the workspace", end, quoted, evidence.run);
}

RunFinished ended(RunStatus status, std::string reason) {
  return {status, std::move(reason), {}, {}};
}

RunFinished outcomeWithoutCause(const SlurmEvidence& evidence) {
  const bool jobStarted = evidence.jobStarted || (evidence.end && evidence.end->hadNodes);
  const bool cancelled = evidence.end && evidence.end->state == "CANCELLED";
  const std::string job = formatText("its Slurm job {}", evidence.job.empty() ? "?" : evidence.job);
  if (evidence.stopAccepted && !jobStarted)
    return ended(RunStatus::Stopped, "removed from the queue before its Slurm job started");
  if (evidence.stopAccepted && !evidence.runStarted)
    return ended(RunStatus::Stopped, "its Slurm job was stopped before the run started");
  if (!jobStarted && evidence.end)
    return ended(RunStatus::Interrupted, formatText("{} never started: {}", job, howItEnded(evidence)));
  if (!jobStarted)
    return ended(RunStatus::Interrupted, formatText("{} disappeared from the queue without a report: it was canceled "
                                                    "or rejected before it started, or failed at once",
                                                    job));
  if (!evidence.runStarted)
    return ended(cancelled ? RunStatus::Interrupted : RunStatus::Failed,
                 formatText("{} ended before the run started: {}", job, endWithOutput(evidence)));
  return ended(RunStatus::Interrupted, formatText("{} ended before the run did: {}", job, endWithOutput(evidence)));
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

RunFinished slurmOutcome(const SlurmEvidence& evidence) {
  RunFinished outcome = outcomeWithoutCause(evidence);
  if (evidence.end && evidence.end->state == "OUT_OF_MEMORY") outcome.cause = FailureCause::OutOfMemory;
  return outcome;
}

}  // namespace batchwise
