// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <iterator>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/base/result.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/run_store.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/run/trainer.h"
#include "core/store/records.h"

namespace batchwise::cli {
namespace {

struct TrainArguments {
  ConfigArguments config;
  std::string name;
  bool request = false;
};

struct ResumeArguments {
  std::string run;
  std::string name;
  std::string checkpoint;
  std::vector<std::string> assignments;
  bool fork = false;
  bool stretch = false;
};

/// Adds --name as an assignment. Fails with Config if the name is not valid for a run.
Result<void> addName(const std::string& name, std::vector<std::string>& assignments) {
  if (name.empty()) return {};
  if (const Result<void> fine = checkRunName(name); !fine.ok()) return fine.error().within("--name");
  assignments.push_back("name=" + Json(name).dump());
  return {};
}

/// Trains the request on stdin: a new run, or a resume. A repeated request, as of a requeued Slurm job, resumes the run
/// of its id.
int trainRequested(const Globals& globals) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  Result<LaunchRequest> request = requestFromText(text);
  if (!request.ok()) {
    fail(request.error());
    return kBadInput;
  }
  request = startOrResume(std::move(*request));
  if (!request.ok()) return fail(request.error());
  if (request->resumeRun.empty()) request->config = checkedForLaunch(std::move(request->config));
  return request->config.ok() ? trainAndReport(*request, globals) : fail(request->config);
}

Result<int> train(const TrainArguments& arguments, const Globals& globals) {
  if (isFollowerRank()) return trainAndReport({}, globals);
  if (arguments.request) return trainRequested(globals);
  if (arguments.config.config.empty())
    return Error::config("train needs a configuration: a file, or demo for the bundled one");
  std::vector<std::string> assignments = arguments.config.assignments;
  RETURN_IF_ERROR(addName(arguments.name, assignments));
  LaunchRequest request;
  request.workspace = globals.workspace;
  request.config = checkedForLaunch(loadConfig(arguments.config.config, assignments));
  if (!request.config.ok()) return fail(request.config, globals.json);
  return trainAndReport(request, globals);
}

Result<int> resume(const ResumeArguments& arguments, const Globals& globals) {
  if (isFollowerRank()) return trainAndReport({}, globals);
  if (!arguments.name.empty() && !arguments.fork)
    return Error::config(
        "--name names the new run of a --fork; a resumed run keeps its name; 'batchwise runs rename' changes it");
  std::vector<std::string> assignments = arguments.assignments;
  RETURN_IF_ERROR(addName(arguments.name, assignments));
  RETURN_IF_ERROR(checkWorkspaceExists(globals));
  LaunchRequest request;
  {
    const SystemClock clock;
    ASSIGN_OR_RETURN(const auto store, RunStore::open(globals.workspace, JournalUse::Auto, clock));
    ASSIGN_OR_RETURN(const auto history, store->history(arguments.run));
    const RunDetail& run = history.run;
    if (!arguments.fork) RETURN_IF_ERROR(checkNotOnSlurm(store->folder(), run.summary, SlurmClient()));
    request.resumeRun = run.summary.id;
    request.config = parseConfig(run.configYaml, runContextText(run.summary.name), {}, assignments);
  }
  if (!request.config.ok()) return fail(request.config, globals.json);
  request.workspace = globals.workspace;
  request.resumeCheckpoint = arguments.checkpoint;
  request.fork = arguments.fork;
  request.stretch = arguments.stretch;
  return trainAndReport(request, globals);
}

}  // namespace

void addTrainCommands(Commands& commands) {
  const auto training = std::make_shared<TrainArguments>();
  CLI::App* train_ = commands.add(nullptr, "train", "Train a model; Ctrl-C once stops with a checkpoint, twice without",
                                  "batchwise train run.yaml --set optimizer.lr=1e-3 --name first",
                                  [&commands, training] { return train(*training, commands.globals()); });
  addConfigArguments(*train_, training->config);
  train_->get_option("config")->required(false);
  train_->add_flag(
      "--request", training->request,
      "Read the whole request as a JSON object from stdin, as the window sends it to a run in its own process");
  train_->add_option("--name", training->name, "Name of the run, instead of that in the file");

  const auto going = std::make_shared<ResumeArguments>();
  CLI::App* resume_ = commands.add(nullptr, "resume", "Resume a run that was stopped or interrupted",
                                   "batchwise resume latest --set max_duration=4ep",
                                   [&commands, going] { return resume(*going, commands.globals()); });
  addRunArgument(*resume_, going->run);
  resume_->add_option("--checkpoint", going->checkpoint, "Checkpoint id (default: the newest good one)")
      ->check(nonEmptyName("a checkpoint"));
  resume_->add_option("--set", going->assignments, "Change one value, such as max_duration=4ep; may be repeated")
      ->allow_extra_args(false);
  resume_->add_option("--name", going->name, "With --fork: name of the new run");
  resume_->add_flag("--fork", going->fork, "Start a new run from the checkpoint; the old one does not change");
  resume_->add_flag("--stretch", going->stretch,
                    "Resolve the schedule again for a longer max_duration, instead of holding its last value");
}

}  // namespace batchwise::cli
