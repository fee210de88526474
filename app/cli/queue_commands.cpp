// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "app/cli/sweep_runs.h"
#include "core/config/sweep.h"
#include "core/run/launch/launch_check.h"
#include "core/run/run_queue.h"
#include "core/store/journal/journal.h"

namespace batchwise::cli {
namespace {

struct SweepArguments {
  ConfigArguments config;
  std::vector<std::string> over;
  bool list = false;
};

Result<std::shared_ptr<Workspace>> openWritable(const Globals& globals) {
  return Workspace::open(globals.workspace);
}

std::string countOf(std::size_t runs) {
  return std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

Json namesOf(const std::vector<LoadedConfig>& runs) {
  Json names = Json::array();
  for (const LoadedConfig& run : runs) names.push_back(run.config.name);
  return names;
}

/// Adds runs to the queue and prints what was added.
int addRuns(const std::vector<LoadedConfig>& runs, const Globals& globals) {
  const auto workspace = openWritable(globals);
  if (!workspace.ok()) return fail(workspace.error());
  RunQueue queue(*workspace);
  if (const Result<void> added = queue.add(runs); !added.ok()) return fail(added.error());
  if (globals.json) {
    printJson({{"schema", "batchwise.queue_added/1"}, {"runs", namesOf(runs)}});
  } else {
    std::cout << countOf(runs.size()) << " added to the queue; batchwise queue run trains them\n";
  }
  return kDone;
}

int sweep(const SweepArguments& arguments, const Globals& globals) {
  const auto runs = expandSweep(arguments.config, arguments.over);
  if (!runs.ok()) return fail(runs.error());
  if (!arguments.list) return addRuns(*runs, globals);
  if (globals.json) {
    printJson({{"schema", "batchwise.sweep/1"}, {"runs", namesOf(*runs)}});
    return kDone;
  }
  std::cout << countOf(runs->size()) << "\n";
  for (const LoadedConfig& run : *runs) std::cout << run.config.name << "\n";
  return kDone;
}

int add(const SweepArguments& arguments, const Globals& globals) {
  const auto runs = expandSweep(arguments.config, arguments.over);
  return runs.ok() ? addRuns(*runs, globals) : fail(runs.error());
}

std::string statusText(const QueueEntry& entry) {
  return entry.status == RunStatus::Created ? "waiting" : std::string(runStatusName(entry.status));
}

std::string joined(const std::string& reason, const std::string& next) {
  return reason + (reason.empty() || next.empty() ? "" : "; ") + next;
}

int list(const Globals& globals) {
  const auto workspace = openExisting(globals);
  if (!workspace.ok()) return fail(workspace.error());
  const auto content = RunQueue(*workspace).read();
  if (!content.ok()) return fail(content.error());
  if (globals.json) {
    Json entries = Json::array();
    for (const QueueEntry& entry : content->entries)
      entries.push_back({{"id", entry.id},
                         {"name", entry.name},
                         {"status", statusText(entry)},
                         {"run", entry.run},
                         {"reason", entry.reason.text()},
                         {"waits", entry.waits()},
                         {"not_resumed", entry.notResumed.text()}});
    printJson({{"schema", "batchwise.queue/1"},
               {"continue_on_error", content->continueOnError},
               {"held", content->held.text()},
               {"entries", entries}});
    return kDone;
  }
  using enum Table::Align;
  Table table({{"id", Left}, {"name", Left}, {"state", Left}, {"reason", Left}});
  for (const QueueEntry& entry : content->entries) {
    const std::string next = entry.resumes() ? "the queue resumes it" : entry.notResumed.text();
    table.add({entry.id, entry.name, statusText(entry), joined(entry.reason, next)});
  }
  table.print(std::cout);
  if (!content->held.empty()) std::cout << "held: " << content->held << "; batchwise queue run goes on\n";
  return kDone;
}

int change(const Globals& globals, const std::function<Result<void>(RunQueue&)>& work) {
  const auto workspace = openWritable(globals);
  if (!workspace.ok()) return fail(workspace.error());
  RunQueue queue(*workspace);
  const Result<void> done = work(queue);
  return done.ok() ? kDone : fail(done.error());
}

/// Returns advice on how to continue a run that was started from the queue and has not finished.
std::string nextStepText(const QueueEntry& entry) {
  if (entry.waits()) return "batchwise queue run goes on with it";
  if (entry.status == RunStatus::Running) return "it trains in another program";
  const bool noRun = entry.run.empty() || entry.runMissing;
  return noRun ? "batchwise queue add puts it in again, batchwise queue remove takes it out"
               : "batchwise resume " + entry.run + " goes on with it";
}

/// Prints what in the queue has not finished. Returns kDone if nothing is left, kStopped if a user stopped runs and
/// none failed, else kFailed.
int reportUnfinished(const QueueContent& content) {
  bool left = false, stopped = false, failed = false;
  for (const QueueEntry& entry : content.entries) {
    if (entry.status == RunStatus::Finished) continue;
    left = true;
    stopped = stopped || entry.status == RunStatus::Stopped;
    failed = failed || entry.status == RunStatus::Failed || entry.status == RunStatus::Interrupted;
    const std::string why = joined(entry.reason, entry.notResumed);
    std::cerr << "batchwise: left in the queue: run " << entry.name << ", " << statusText(entry)
              << (why.empty() ? "" : " (" + why + ")") << "; " << nextStepText(entry) << "\n";
  }
  if (!left) return kDone;
  return stopped && !failed ? kStopped : kFailed;
}

/// Trains the waiting runs one after another and resumes interrupted ones, until none is left or the queue is held.
int runQueue(const Globals& globals, bool continueOnError) {
  const auto workspace = openWritable(globals);
  if (!workspace.ok()) return fail(workspace.error());
  RunQueue queue(*workspace);
  if (const auto synced = syncJournals(**workspace); !synced.ok()) return fail(synced.error());
  if (const auto released = queue.release(); !released.ok()) return fail(released.error());
  if (continueOnError)
    if (const auto set = queue.setContinueOnError(true); !set.ok()) return fail(set.error());
  while (true) {
    const auto turn = queue.takeNext();
    if (!turn.ok()) return fail(turn.error());
    if (turn->busy)
      return fail(Error{ErrorCode::Busy, "a run of the queue is training already, in another program", {}});
    if (!turn->entry) break;
    const std::string id = turn->entry->id;
    const auto finished = trainToEnd(turn->entry->request, globals,
                                     [&queue, &id](const std::string& run) { std::ignore = queue.started(id, run); });
    const RunStatus status = finished.ok() ? finished->status : RunStatus::Failed;
    const Message reason = finished.ok() ? finished->reason : finished.error().full();
    if (!finished.ok()) fail(finished.error());
    if (const auto ended = queue.ended(id, status, reason); !ended.ok()) return fail(ended.error());
  }
  const auto left = queue.read();
  return left.ok() ? reportUnfinished(*left) : fail(left.error());
}

}  // namespace

void addQueueCommands(Commands& commands) {
  const auto grid = std::make_shared<SweepArguments>();
  CLI::App* sweep_ =
      commands.add(nullptr, "sweep", "Add a grid of runs to the queue: one for each combination of values",
                   "batchwise sweep run.yaml --over optimizer.lr=1e-4,5e-4 --over seed=1,2,3",
                   [&commands, grid] { return sweep(*grid, commands.globals()); });
  addConfigArguments(*sweep_, grid->config);
  sweep_
      ->add_option("--over", grid->over,
                   "A field and its values, as optimizer.lr=1e-4,5e-4; may be repeated. Lists in "
                   "the file count too")
      ->allow_extra_args(false);
  sweep_->add_flag("--list", grid->list, "Only show the runs");

  CLI::App* queue = commands.group("queue", "Runs that are trained one after the other");
  const auto added = std::make_shared<SweepArguments>();
  CLI::App* add_ = commands.add(queue, "add", "Add a run at the end", "batchwise queue add run.yaml --set seed=3",
                                [&commands, added] { return add(*added, commands.globals()); });
  addConfigArguments(*add_, added->config);
  commands.add(queue, "list", "The runs of the queue, in the order of their turns", "batchwise queue list --json",
               [&commands] { return list(commands.globals()); });
  const auto id = std::make_shared<std::string>();
  commands
      .add(queue, "remove", "Take a run out of the queue, or with 'ended' all that have had their turn",
           "batchwise queue remove 4f0k2m9x1c7d",
           [&commands, id] {
             return change(commands.globals(),
                           [&id](RunQueue& q) { return *id == "ended" ? q.removeEnded() : q.remove(*id); });
           })
      ->add_option("entry", *id, "Id of an entry, or ended")
      ->required();
  const auto place = std::make_shared<std::int64_t>(1);
  CLI::App* move =
      commands.add(queue, "move", "Give a waiting run another place among those that wait",
                   "batchwise queue move 4f0k2m9x1c7d 1", [&commands, id, place] {
                     return change(commands.globals(), [&](RunQueue& q) { return q.move(*id, *place - 1); });
                   });
  move->add_option("entry", *id, "Id of an entry")->required();
  move->add_option("place", *place, "Counted from 1")->required()->check(atLeast(1));
  const auto onError = std::make_shared<bool>(false);
  commands
      .add(queue, "run", "Train what waits, one run after the other", "batchwise queue run --continue-on-error",
           [&commands, onError] { return runQueue(commands.globals(), *onError); })
      ->add_flag("--continue-on-error", *onError, "Go on with the next run when one fails");
}

}  // namespace batchwise::cli
