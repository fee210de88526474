// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_submission.h"

namespace batchwise::cli {
namespace {

struct SubmitArguments {
  ConfigArguments config;
  std::string resume;
  std::string name;
  std::string time;
  std::vector<std::string> over;
  bool wait = false;
  SlurmOptions slurm;
};

/// Returns one request per combination of values, or the request to resume a run.
Result<std::vector<LaunchRequest>> requestsOf(const SubmitArguments& arguments, const Globals& globals) {
  std::vector<LaunchRequest> requests;
  LaunchRequest request;
  request.workspace = globals.workspace;
  if (!arguments.resume.empty()) {
    ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
    ASSIGN_OR_RETURN(const auto run, workspace->findRun(arguments.resume));
    request.resumeRun = run.summary.id;
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

Result<int> submit(SubmitArguments arguments, const Globals& globals) {
  if (arguments.config.config.empty() == arguments.resume.empty())
    return Error::config("submit takes a configuration (a file, or demo), or --resume RUN");
  if (!arguments.resume.empty() && changesConfig(arguments))
    return Error::config(
        "submit --resume resumes a run as it was submitted; leave out --set, --name and --over, or resume the run in "
        "the window to change it");
  if (!arguments.time.empty()) {
    const auto minutes = slurmMinutes(arguments.time);
    if (!minutes || *minutes < 1)
      return Error::config(formatText("--time is '{}'; it takes minutes, h:mm:ss or d-hh:mm:ss", arguments.time));
    arguments.slurm.limitMinutes = *minutes;
  }
  if (arguments.slurm.gpusPerNode > 0 && arguments.slurm.ranksPerNode == 1)
    arguments.slurm.ranksPerNode = arguments.slurm.gpusPerNode;
  ASSIGN_OR_RETURN(const auto requests, requestsOf(arguments, globals));
  if (arguments.wait && requests.size() > 1) return Error::config("--wait follows one run; leave it out with --over");
  if (arguments.wait) return submitAndWait(requests.front(), arguments.slurm, globals.json);
  ASSIGN_OR_RETURN(const auto submitted, submitToSlurm(requests, arguments.slurm, SlurmClient()));
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
  SlurmOptions& slurm = given->slurm;
  submit_->add_option("--partition,-p", slurm.partition, "Partition (default: that of the cluster)");
  submit_->add_option("--nodes,-N", slurm.nodes, "Machines")->check(atLeast(1));
  submit_->add_option("--ranks-per-node", slurm.ranksPerNode, "Processes on each, one device each")->check(atLeast(1));
  submit_->add_option("--gpus-per-node", slurm.gpusPerNode, "GPUs on each, which sets --ranks-per-node")
      ->check(atLeast(0));
  submit_->add_option("--cores-per-rank", slurm.coresPerRank, "Processor cores of each rank")->check(atLeast(1));
  submit_->add_option("--memory", slurm.memory, "Memory on each machine, such as 64G");
  submit_->add_option("--time,-t", given->time, "Limit of each job: minutes, h:mm:ss or d-hh:mm:ss");
  submit_->add_option("--chain", slurm.chain, "Further jobs that may follow when the time is up")->check(atLeast(0));
  submit_->add_option("--account", slurm.account, "Account to charge");
  submit_->add_option("--qos", slurm.qos, "Quality of service");
  submit_->add_option("--constraint", slurm.constraint, "Features that the machines must have");
  submit_->add_option("--mpi", slurm.mpi, "srun's MPI plug-in");
  submit_->add_option("--sbatch", slurm.more, "Another option of sbatch, such as --sbatch=--exclusive; may be repeated")
      ->allow_extra_args(false);
}

}  // namespace batchwise::cli
