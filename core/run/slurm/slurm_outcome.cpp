// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_outcome.h"

#include "core/base/plain_text.h"

namespace batchwise {
namespace {

std::string howItEnded(const SlurmSigns& signs) {
  return signs.end ? describe(*signs.end) : std::string("the cluster no longer knows how");
}

std::string lastWords(const SlurmSigns& signs) {
  if (signs.lastLines.empty()) return "; it left no output";
  std::string quoted;
  for (const std::string& line : signs.lastLines) quoted += (quoted.empty() ? "'" : " / '") + shownSafely(line) + "'";
  return "; its output ends with " + quoted + "; see runs/" + signs.run + ".log in the workspace";
}

RunFinished ended(RunStatus status, std::string reason) {
  return {status, std::move(reason), {}, {}};
}

}  // namespace

RunFinished slurmOutcome(const SlurmSigns& signs) {
  const bool jobBegan = signs.jobBegan || (signs.end && signs.end->hadNodes);
  const bool cancelled = signs.end && signs.end->state == "CANCELLED";
  const std::string job = "its Slurm job " + (signs.job.empty() ? "?" : signs.job);
  if (signs.stopTaken && !jobBegan)
    return ended(RunStatus::Stopped, "taken out of the queue before its Slurm job began");
  if (signs.stopTaken && !signs.runBegan)
    return ended(RunStatus::Stopped, "its Slurm job was stopped before the run began");
  if (!jobBegan && signs.end) return ended(RunStatus::Interrupted, job + " never began: " + howItEnded(signs));
  if (!jobBegan)
    return ended(RunStatus::Interrupted, job +
                                             " is gone from the queue without a word: it was cancelled or refused "
                                             "before it began, or died at once");
  if (!signs.runBegan)
    return ended(cancelled ? RunStatus::Interrupted : RunStatus::Failed,
                 job + " ended before the run began: " + howItEnded(signs) + lastWords(signs));
  return ended(RunStatus::Interrupted, job + " ended before the run did: " + howItEnded(signs) + lastWords(signs));
}

}  // namespace batchwise
