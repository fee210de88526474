// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_array.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/run/launch/run_store.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/journal/journal.h"
#include "core/store/run_queue.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kFirstLook{500}, kLongestPause{20'000};
constexpr int kLooksWithoutJob = 3;  // a job that is queued again is briefly absent

bool hasEnded(const RunSummary& run) {
  return run.status == RunStatus::Finished || run.status == RunStatus::Failed;
}

/// Returns false if a stop was asked for meanwhile.
bool pause(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any asleep;
  asleep.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

Result<void> SlurmArray::train(const std::vector<std::string>& runs) const {
  const auto progress = [&]() -> Result<std::map<std::string, std::int64_t>> {
    std::map<std::string, std::int64_t> steps;  // of the runs that are to go on
    RETURN_IF_ERROR(syncJournals(*workspace));
    for (const std::string& run : runs) {
      ASSIGN_OR_RETURN(const auto detail, workspace->findRun(run));
      if (!hasEnded(detail.summary)) steps[run] = detail.summary.at.step;
    }
    return steps;
  };
  ASSIGN_OR_RETURN(const auto before, progress());
  ASSIGN_OR_RETURN(const auto tasks, jobsOfRuns(workspace->folder(), slurm));
  std::vector<std::string> open, there;
  for (const std::string& run : runs)
    if (before.contains(run)) (tasks.contains(run) ? there : open).push_back(run);
  RETURN_IF_ERROR(RunQueue(workspace).handOver(there));
  // Else the next call does: a script by which tasks are known would be written anew.
  const bool submits = std::ranges::none_of(runs, [&](const std::string& run) { return tasks.contains(run); });
  if (submits && !open.empty()) RETURN_IF_ERROR(submit(open));
  RETURN_IF_ERROR(waitFor(runs));
  ASSIGN_OR_RETURN(const auto after, progress());
  ASSIGN_OR_RETURN(const auto left, unneeded());
  for (const std::string& run : runs) {
    const auto was = before.find(run), is = after.find(run);
    if (was == before.end() || is == after.end() || is->second > was->second) continue;
    ASSIGN_OR_RETURN(const auto detail, workspace->findRun(run));
    if (std::ranges::find(left, run) != left.end()) {
      if (detail.segments.empty()) RETURN_IF_ERROR(workspace->deleteRun(run));  // canceled before it began
      continue;
    }
    if (!submits) continue;
    return Error::config(formatText(
        "the job of run {} has ended before it got any further ({}); its output is in {}, and the same command goes on "
        "once that is mended",
        detail.summary.name, detail.summary.reason.empty() ? "it has not begun" : detail.summary.reason,
        (workspace->folder() / "runs").native()));
  }
  return {};
}

Result<void> SlurmArray::submit(const std::vector<std::string>& runs) const {
  RunQueue queue(workspace);
  ASSIGN_OR_RETURN(const auto before, queue.read());
  std::vector<LaunchRequest> requests;
  for (const std::string& run : runs) {
    QueueTurn turn;
    ASSIGN_OR_RETURN(turn.run, workspace->findRun(run));
    const auto entry = std::ranges::find(before.entries, run, &QueueEntry::id);
    const bool isTaken = entry != before.entries.end() && entry->status == RunStatus::Running;
    const bool hasJournal = fileIdOf(journalFile(workspace->folder(), run)).has_value();
    if (isTaken || (turn.run->summary.status == RunStatus::Running && !hasJournal))
      return Error{ErrorCode::Busy, formatText("run {} is training in another program", turn.run->summary.name), {}};
    ASSIGN_OR_RETURN(const auto checkpoints, workspace->checkpoints(run));
    turn.resumes = !resumeOrder(turn.run->segments, checkpoints).empty();
    requests.push_back(requestOf(turn, workspace->folder()));
  }
  RETURN_IF_ERROR(queue.handOver(runs));  // first, so that no other program takes them
  const auto submitted = submitToSlurm(std::move(requests), options, slurm);
  if (!submitted.ok()) {
    if (submitted.error().code == ErrorCode::Stopped) return submitted.error();  // sbatch may do its work yet
    const auto jobs = jobsOfRuns(workspace->folder(), slurm);
    if (jobs.ok() && jobs->contains(runs.front())) {
      say(formatText("the runs are on the cluster, though: {}", submitted.error().text()));
      return {};
    }
    // Nobody knows: they stay handed over, and the next call looks for them.
    if (!jobs.ok() && jobs.error().code != ErrorCode::Unsupported) return submitted.error();
    std::vector<RunQueue::Further> back;
    for (const QueueEntry& entry : before.entries)
      if (entry.waits() && std::ranges::find(runs, entry.id) != runs.end())
        if (const auto detail = workspace->findRun(entry.id); detail.ok())
          back.push_back({entry.id, detail->configYaml});
    RETURN_IF_ERROR(queue.requeue(back));
    return submitted.error();
  }
  for (const std::string& note : submitted->notes) say(note);
  say(formatText("Slurm job {} trains {}; if this command is stopped it goes on, and the same command waits for it",
                 submitted->job, countText(std::ssize(runs), "run")));
  return {};
}

Result<void> SlurmArray::waitFor(const std::vector<std::string>& runs) const {
  std::set<std::string> canceled, said;
  const auto sayOnce = [&](const std::string& text) {
    if (said.insert(text).second) say(text);
  };
  auto interval = kFirstLook;
  for (int without = 0; without < kLooksWithoutJob; interval = std::min(interval * 3 / 2, kLongestPause)) {
    if (!pause(without > 0 ? kFirstLook : interval, stop))
      return Error{ErrorCode::Stopped, "the jobs go on in the cluster; the same command waits for them", {}};
    RETURN_IF_ERROR(syncJournals(*workspace));
    const auto tasks = jobsOfRuns(workspace->folder(), slurm);
    if (!tasks.ok()) {  // the controller is busy: looked at again
      sayOnce(tasks.error().text());
      continue;
    }
    ASSIGN_OR_RETURN(const auto left, unneeded());
    for (const std::string& run : left) {
      const auto task = tasks->find(run);
      if (task == tasks->end() || canceled.contains(run)) continue;
      if (const auto done = slurm.cancelTask(task->second); done.ok())
        canceled.insert(run);
      else
        sayOnce(
            formatText("Slurm job {} is not needed any more and could not be canceled; this is tried again, and "
                       "`scancel {}` does it too: {}",
                       task->second, task->second, done.error().text()));
    }
    const bool isThere = std::ranges::any_of(runs, [&](const std::string& run) { return tasks->contains(run); });
    without = isThere ? 0 : without + 1;
    bool allEnded = !isThere;
    for (const std::string& run : runs) {
      if (!allEnded) break;
      ASSIGN_OR_RETURN(const auto detail, workspace->findRun(run));
      allEnded = hasEnded(detail.summary);
    }
    if (allEnded) break;
  }
  return {};
}

}  // namespace batchwise
