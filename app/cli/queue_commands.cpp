// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "app/cli/slurm_options.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/sweep.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/run_store.h"
#include "core/run/launch/study.h"
#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/store/journal/journal.h"

namespace batchwise::cli {
namespace {

/// Turns "optimizer.lr=1e-4,5e-4" into an assignment of a list.
Result<std::string> listAssignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  const Field* field = equals == std::string::npos ? nullptr : findField(text.substr(0, equals));
  if (field == nullptr)
    return Error::config(formatText("'{}' is not of the form field=a,b,c with a field of the configuration", text));
  if (field->path == "name")
    return Error::config(
        "--over name: runs that differ by their names alone are equal; vary another field, such as seed, and each run "
        "is named for its values");
  const auto values = sweepValues(*field, text.substr(equals + 1));
  if (!values.ok()) return Error::config(field->path, values.error().message);
  return field->path + "=[" + joined(*values) + "]";
}

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
  return jsonList(runs, [](const LoadedConfig& run) -> Json { return runName(run.config); });
}

/// Adds runs to the queue and prints what was added.
Result<int> addRuns(const std::vector<LoadedConfig>& runs, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, openWritable(globals));
  RunQueue queue(workspace);
  RETURN_IF_ERROR(queue.add(runs));
  if (globals.json) return printJson({{"schema", "batchwise.queue_added/1"}, {"runs", namesOf(runs)}});
  std::cout << countOf(runs.size()) << " added to the queue; batchwise queue run trains them\n";
  return kDone;
}

Result<int> sweep(const SweepArguments& arguments, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto runs, expandSweep(arguments.config, arguments.over, globals));
  if (!arguments.list) return addRuns(runs, globals);
  if (globals.json) return printJson({{"schema", "batchwise.sweep/1"}, {"runs", namesOf(runs)}});
  std::cout << countOf(runs.size()) << "\n";
  for (const LoadedConfig& run : runs) std::cout << runName(run.config) << "\n";
  return kDone;
}

Result<int> add(const SweepArguments& arguments, const Globals& globals) {
  ASSIGN_OR_RETURN(const auto runs, expandSweep(arguments.config, arguments.over, globals));
  return addRuns(runs, globals);
}

std::string statusText(const QueueEntry& entry) {
  return entry.status == RunStatus::Queued ? "waiting" : std::string(choiceName(entry.status));
}

Json queueJson(const QueueContent& content) {
  const Json entries = jsonList(content.entries, [](const QueueEntry& entry) -> Json {
    return {{"id", entry.id},
            {"name", entry.name},
            {"status", statusText(entry)},
            {"reason", entry.reason},
            {"waits", entry.waits()}};
  });
  return {{"schema", "batchwise.queue/1"},
          {"continue_on_error", content.continueOnError},
          {"held", content.held},
          {"entries", entries}};
}

Result<int> list(const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto content, RunQueue(workspace).read());
  if (globals.json) return printJson(queueJson(content));
  using enum Table::Align;
  Table table({{"id", Left}, {"name", Left}, {"state", Left}, {"reason", Left}});
  for (const QueueEntry& entry : content.entries) table.add({entry.id, entry.name, statusText(entry), entry.reason});
  table.print(std::cout);
  if (!content.held.empty()) std::cout << "held: " << content.held << "; batchwise queue run continues\n";
  return kDone;
}

/// Changes the queue. With --json, prints it as it is then.
Result<int> change(const Globals& globals, const std::function<Result<void>(RunQueue&)>& work) {
  RETURN_IF_ERROR(checkWorkspaceExists(globals));
  ASSIGN_OR_RETURN(const auto workspace, openWritable(globals));
  RunQueue queue(workspace);
  RETURN_IF_ERROR(work(queue));
  if (!globals.json) return kDone;
  ASSIGN_OR_RETURN(const auto content, queue.read());
  return printJson(queueJson(content));
}

/// Returns advice on how to continue a run that was started from the queue and has not finished.
std::string nextStepText(const QueueEntry& entry) {
  if (entry.waits()) return "batchwise queue run continues it";
  if (entry.status == RunStatus::Running) return "it trains in another program";
  return "batchwise resume " + entry.id + " continues it, batchwise queue remove removes it";
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
    std::cerr << "batchwise: left in the queue: run " << entry.name << ", " << statusText(entry)
              << (entry.reason.empty() ? "" : " (" + entry.reason + ")") << "; " << nextStepText(entry) << "\n";
  }
  if (!left) return kDone;
  return stopped && !failed ? kStopped : kFailed;
}

/// Stops a branch of a study once it is not needed any more.
class QueueObserver final : public RunObserver {
 public:
  QueueObserver(std::shared_ptr<Workspace> workspace, std::string run)
      : RunObserver(kUsualStopMessages, JsonEvents::Shown), workspace_(std::move(workspace)), run_(std::move(run)) {}

  void observe(const RunEvent& event, RunController& controller) override {
    const auto* found = std::get_if<EvalResult>(&event);
    if (found != nullptr && !isStillNeeded(workspace_, run_, *found)) controller.command(RunCommand::StopUnneeded);
  }

 private:
  const std::shared_ptr<Workspace> workspace_;
  const std::string run_;
};

/// Trains the waiting runs one after another and resumes interrupted ones, until none is left or the queue is held.
/// Returns the exit code: of a run that was stopped before its first checkpoint that of `train`.
Result<int> runQueue(const Globals& globals, bool continueOnError) {
  RETURN_IF_ERROR(checkWorkspaceExists(globals));
  ASSIGN_OR_RETURN(const auto workspace, openWritable(globals));
  RunQueue queue(workspace);
  RETURN_IF_ERROR(syncJournals(*workspace));
  RETURN_IF_ERROR(queue.release());
  if (continueOnError) RETURN_IF_ERROR(queue.setContinueOnError(true));
  bool unsaved = false;  // a run was stopped without a checkpoint
  while (true) {
    ASSIGN_OR_RETURN(const auto turn, retryWhileTransient([&] { return queue.takeNext(); }, reportWaitOnce()));
    if (turn.busy) return Error{ErrorCode::Busy, "another program already trains a run of the queue", {}};
    if (!turn.run) break;
    const std::string& id = turn.run->summary.id;
    QueueObserver observer(workspace, id);
    const bool isFork = !turn.run->summary.parent.empty();
    const auto finished = trainToEnd(requestOf(turn, workspace->folder()), globals, isFork ? &observer : nullptr);
    const auto recordEnd = [&](RunStatus status, const std::string& reason, RunQueue::AfterFailure after) {
      return retryWhileTransient([&] { return queue.ended(id, status, reason, after); }, reportWaitOnce());
    };
    using enum RunQueue::AfterFailure;
    if (finished.ok() && finished->cause == FailureCause::Unneeded) {
      RETURN_IF_ERROR(recordEnd(finished->status, finished->reason, GoOn));
      if (const auto removed = queue.remove(id); !removed.ok()) fail(removed.error());  // it stays, and holds nobody
      continue;
    }
    unsaved = unsaved || (finished.ok() && finished->status == RunStatus::Stopped && exitCodeOf(*finished) != kStopped);
    const RunStatus status = finished.ok() ? finished->status : RunStatus::Failed;
    const std::string reason = finished.ok() ? finished->reason : finished.error().text();
    if (!finished.ok()) fail(finished.error());
    RETURN_IF_ERROR(recordEnd(status, reason, Default));
  }
  ASSIGN_OR_RETURN(const auto left, queue.read());
  if (left.entries.empty()) std::cerr << "batchwise: the queue is empty; batchwise queue add adds a run\n";
  const int code = reportUnfinished(left);
  return unsaved && code == kStopped ? kFailed : code;
}

}  // namespace

Result<std::vector<LoadedConfig>> checkedRuns(const ConfigArguments& arguments,
                                              const std::function<LoadedConfig(LoadedConfig)>& check) {
  const SweepConfig sweep = loadSweep(arguments.config, arguments.assignments);
  if (!sweep.first.ok()) return std::vector<LoadedConfig>{check(sweep.first)};  // all of its errors at once
  ASSIGN_OR_RETURN(auto runs, sweepRuns(sweep.first, sweep.axes));
  for (LoadedConfig& run : runs) run = check(std::move(run));
  return runs;
}

Result<std::vector<LoadedConfig>> expandSweep(const ConfigArguments& arguments, const std::vector<std::string>& over,
                                              const Globals& globals) {
  ConfigArguments all = arguments;
  std::set<std::string> fields;
  for (const std::string& one : over) {
    ASSIGN_OR_RETURN(const auto list, listAssignment(one));
    const std::string field = list.substr(0, list.find('='));
    if (!fields.insert(field).second)
      return Error::config(formatText("--over names {0} twice; give all its values at once, such as {0}=a,b,c", field));
    all.assignments.push_back(list);
  }
  ASSIGN_OR_RETURN(auto runs, checkedRuns(all, [&](LoadedConfig run) {
                     return withLaunchNotes(checkedForLaunch(std::move(run)), globals.workspace);
                   }));
  std::vector<RunNotes> notes;
  for (const LoadedConfig& run : runs) {
    if (!run.ok()) return runs.size() == 1 ? Error::config(run.errorText()) : errorOfRun(run);
    notes.push_back(runNotes(run));
  }
  showRunNotes(notes);
  return runs;
}

void addQueueCommands(Commands& commands) {
  const auto grid = std::make_shared<SweepArguments>();
  CLI::App* sweep_ =
      commands.add(nullptr, "sweep", "Add a grid of runs to the queue: one for each combination of values",
                   "batchwise sweep run.yaml --over optimizer.lr=1e-4,5e-4 --over seed=1,2,3",
                   [&commands, grid] { return sweep(*grid, commands.globals()); });
  addConfigArguments(*sweep_, grid->config);
  sweep_
      ->add_option(
          "--over", grid->over,
          "A field and its values, such as optimizer.lr=1e-4,5e-4; may be repeated. Lists in the file count too")
      ->allow_extra_args(false);
  sweep_->add_flag("--list", grid->list, "Only show the runs");

  CLI::App* queue = commands.group("queue", "Runs that train one after the other");
  const auto added = std::make_shared<SweepArguments>();
  CLI::App* add_ = commands.add(queue, "add", "Add a run at the end", "batchwise queue add run.yaml --set seed=3",
                                [&commands, added] { return add(*added, commands.globals()); });
  addConfigArguments(*add_, added->config);
  commands.add(queue, "list", "The runs of the queue, in order", "batchwise queue list --json",
               [&commands] { return list(commands.globals()); });
  const auto id = std::make_shared<std::string>();
  commands
      .add(queue, "remove", "Remove a run from the queue, or with 'ended' all ended ones",
           "batchwise queue remove 4f0k2m9x1c7d",
           [&commands, id] {
             return change(commands.globals(),
                           [&id](RunQueue& q) { return *id == "ended" ? q.removeEnded() : q.remove(*id); });
           })
      ->add_option("entry", *id, "Id of a run, or ended")
      ->required();
  const auto place = std::make_shared<std::int64_t>(1);
  CLI::App* move =
      commands.add(queue, "move", "Move a waiting run to another position in the queue",
                   "batchwise queue move 4f0k2m9x1c7d 1", [&commands, id, place] {
                     return change(commands.globals(), [&](RunQueue& q) { return q.move(*id, *place - 1); });
                   });
  move->add_option("entry", *id, "Id of a run")->required();
  move->add_option("place", *place, "Counted from 1")->required()->check(atLeast(1));
  const auto onError = std::make_shared<bool>(false);
  commands
      .add(queue, "run", "Train the waiting runs, one after the other", "batchwise queue run --continue-on-error",
           [&commands, onError] { return runQueue(commands.globals(), *onError); })
      ->add_flag("--continue-on-error", *onError, "Continue with the next run when one fails");
}

namespace {

struct SubmitArguments {
  ConfigArguments config;
  std::string resume;
  std::string name;
  std::vector<std::string> over;
  bool wait = false;
  SlurmArguments slurm;
};

/// Returns one request per combination of values, or the request to resume a run.
Result<std::vector<LaunchRequest>> requestsOf(const SubmitArguments& arguments, const Globals& globals) {
  std::vector<LaunchRequest> requests;
  LaunchRequest request;
  request.workspace = globals.workspace;
  if (!arguments.resume.empty()) {
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
    ASSIGN_OR_RETURN(const auto run, workspace->findRun(arguments.resume));
    ASSIGN_OR_RETURN(const auto queue, RunQueue(workspace).read());
    request.resumeRun = run.summary.id;
    if (std::ranges::find(queue.entries, request.resumeRun, &QueueEntry::id) != queue.entries.end())
      return Error{ErrorCode::Busy,
                   formatText("run {} is in the queue of this machine; take it out first (batchwise queue remove {})",
                              run.summary.name, request.resumeRun),
                   {}};
    return std::vector{request};
  }
  ConfigArguments named = arguments.config;
  if (!arguments.name.empty()) named.assignments.push_back("name=" + Json(arguments.name).dump());
  ASSIGN_OR_RETURN(auto runs, expandSweep(named, arguments.over, globals));
  for (LoadedConfig& run : runs) {
    request.config = std::move(run);
    requests.push_back(request);
  }
  return requests;
}

int submitAndWait(const LaunchRequest& request, const SlurmOptions& options, bool json) {
  const SystemClock clock;
  EventDisplay display(displayModeFor(json, STDOUT_FILENO), STDOUT_FILENO, clock);
  const std::unique_ptr<RunController> controller = makeSlurmRunController(display, options);
  const Result<RunFinished> finished =
      runInForeground(request, display, *controller, {"stopping the job, with a checkpoint", "stopping the job"});
  return finished.ok() ? exitCodeOf(*finished) : fail(finished.error());
}

int show(const SlurmSubmission& submission, bool json) {
  if (json) {
    return printJson({{"schema", "batchwise.submit/1"},
                      {"job", submission.job},
                      {"job_name", submission.jobName},
                      {"runs", submission.runs},
                      {"notes", submission.notes}});
  }
  showNotes(submission.notes);
  std::cout << "job " << submission.job << " is in the queue; its run" << (submission.runs.size() > 1 ? "s:" : ":");
  for (const std::string& run : submission.runs) std::cout << " " << run;
  std::cout << "\n`batchwise runs sync` brings what it has done into the workspace\n";
  return kDone;
}

/// Returns whether the arguments change the configuration.
bool changesConfig(const SubmitArguments& arguments) {
  return !arguments.config.assignments.empty() || !arguments.name.empty() || !arguments.over.empty();
}

Result<int> submit(const SubmitArguments& arguments, const Globals& globals) {
  if (arguments.config.config.empty() == arguments.resume.empty())
    return Error::config("submit takes a configuration (a file, or demo), or --resume RUN");
  if (!arguments.resume.empty() && changesConfig(arguments))
    return Error::config(
        "submit --resume resumes a run as it was submitted; leave out --set, --name and --over, or resume the run in "
        "the window to change it");
  ASSIGN_OR_RETURN(const auto slurm, slurmOptionsOf(arguments.slurm));
  ASSIGN_OR_RETURN(const auto requests, requestsOf(arguments, globals));
  if (arguments.wait && requests.size() > 1) return Error::config("--wait follows one run; leave it out with --over");
  if (arguments.wait) return submitAndWait(requests.front(), slurm, globals.json);
  ASSIGN_OR_RETURN(const auto submitted, submitToSlurm(requests, slurm, SlurmClient()));
  return show(submitted, globals.json);
}

}  // namespace

void addSubmitCommand(Commands& commands) {
  const auto given = std::make_shared<SubmitArguments>();
  CLI::App* submit_ =
      commands.add(nullptr, "submit", "Train on a Slurm cluster: one job, or an array of them for a sweep",
                   "batchwise submit run.yaml --partition gpu --nodes 2 --gpus-per-node 8 --time 4:00:00",
                   [&commands, given] { return submit(*given, commands.globals()); });
  addConfigArguments(*submit_, given->config);
  submit_->get_option("config")->required(false);
  submit_
      ->add_option("--resume", given->resume, "Resume a run that was submitted before, instead of starting a new one")
      ->check(nonEmptyName("a run"));
  submit_->add_option("--name", given->name, "Name of the run, instead of that in the file");
  submit_
      ->add_option("--over", given->over,
                   "A field and its values, such as optimizer.lr=1e-4,5e-4: one run for each combination")
      ->allow_extra_args(false);
  submit_->add_flag("--wait", given->wait, "Follow the run to its end; Ctrl-C asks it to stop with a checkpoint");
  addSlurmOptions(*submit_, given->slurm, SlurmUse::Always);
}

}  // namespace batchwise::cli
