// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_outcome.h"

#include "core/base/plain_text.h"
#include "core/run/failure_cause.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

Message howItEnded(const SlurmEvidence& evidence) {
  return evidence.end ? describe(*evidence.end) : messages::slurmExitUnknown();
}

/// Returns how the job ended, with the end of its output.
Message endWithOutput(const SlurmEvidence& evidence) {
  const Message end = howItEnded(evidence);
  if (evidence.lastLines.empty()) return messages::slurmLeftNoOutput(end);
  std::string quoted;
  for (const std::string& line : evidence.lastLines)
    quoted += (quoted.empty() ? "'" : " / '") + escapedForTerminal(line) + "'";
  return messages::slurmOutputEndsWith(end, quoted, evidence.run);
}

RunFinished ended(RunStatus status, Message reason) {
  const FailureCause cause = failureCause(reason);
  return {status, std::move(reason), {}, {}, cause};
}

}  // namespace

RunFinished slurmOutcome(const SlurmEvidence& evidence) {
  const bool jobStarted = evidence.jobStarted || (evidence.end && evidence.end->hadNodes);
  const bool cancelled = evidence.end && evidence.end->state == "CANCELLED";
  const Message job = messages::slurmJobName(evidence.job.empty() ? "?" : evidence.job);
  if (evidence.stopAccepted && !jobStarted) return ended(RunStatus::Stopped, messages::slurmJobDequeuedBeforeStart());
  if (evidence.stopAccepted && !evidence.runStarted)
    return ended(RunStatus::Stopped, messages::slurmJobStoppedBeforeRun());
  if (!jobStarted && evidence.end)
    return ended(RunStatus::Interrupted, messages::slurmJobNeverStarted(job, howItEnded(evidence)));
  if (!jobStarted) return ended(RunStatus::Interrupted, messages::slurmJobVanished(job));
  if (!evidence.runStarted)
    return ended(cancelled ? RunStatus::Interrupted : RunStatus::Failed,
                 messages::slurmJobEndedBeforeRun(job, endWithOutput(evidence)));
  return ended(RunStatus::Interrupted, messages::slurmJobEndedDuringRun(job, endWithOutput(evidence)));
}

}  // namespace batchwise
