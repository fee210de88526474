// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/slurm_options.h"

#include <iostream>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/foreground_run.h"
#include "core/base/format.h"

namespace batchwise::cli {

void addSlurmOptions(CLI::App& command, SlurmArguments& arguments, SlurmUse use) {
  SlurmOptions& slurm = arguments.options;
  const bool always = use == SlurmUse::Always;
  CLI::Option* const flag =
      always ? nullptr : command.add_flag("--slurm", arguments.wanted, "Train on a Slurm cluster, as job arrays");
  const auto needsFlag = [flag](CLI::Option* option) { return flag == nullptr ? option : option->needs(flag); };
  needsFlag(command.add_option("--partition,-p", slurm.partition, "Partition (default: that of the cluster)"));
  needsFlag(command.add_option("--nodes,-N", slurm.nodes, "Machines"))->check(atLeast(1));
  needsFlag(command.add_option("--ranks-per-node", slurm.ranksPerNode, "Processes on each, one device each"))
      ->check(atLeast(1));
  needsFlag(command.add_option("--gpus-per-node", slurm.gpusPerNode, "GPUs on each, which sets --ranks-per-node"))
      ->check(atLeast(0));
  needsFlag(command.add_option("--cores-per-rank", slurm.coresPerRank, "Processor cores of each rank"))
      ->check(atLeast(1));
  needsFlag(command.add_option("--memory", slurm.memory, "Memory on each machine, such as 64G"));
  needsFlag(command.add_option("--time,-t", arguments.time, "Limit of each job: minutes, h:mm:ss or d-hh:mm:ss"));
  if (always)  // the tasks of an array follow by the next array
    command.add_option("--chain", slurm.chain, "Further jobs that may follow when the time is up")->check(atLeast(0));
  needsFlag(command.add_option("--account", slurm.account, "Account to charge"));
  needsFlag(command.add_option("--qos", slurm.qos, "Quality of service"));
  needsFlag(command.add_option("--constraint", slurm.constraint, "Features that the machines must have"));
  needsFlag(command.add_option("--mpi", slurm.mpi, "srun's MPI plug-in"));
  needsFlag(command.add_option("--sbatch", slurm.more,
                               "Another option of sbatch, such as --sbatch=--exclusive; may be repeated"))
      ->allow_extra_args(false);
}

Result<SlurmOptions> slurmOptionsOf(const SlurmArguments& arguments) {
  SlurmOptions options = arguments.options;
  if (!arguments.time.empty()) {
    const auto minutes = slurmMinutes(arguments.time);
    if (!minutes || *minutes < 1)
      return Error::config(formatText("--time is '{}'; it takes minutes, h:mm:ss or d-hh:mm:ss", arguments.time));
    options.limitMinutes = *minutes;
  }
  if (options.gpusPerNode > 0 && options.ranksPerNode == 1) options.ranksPerNode = options.gpusPerNode;
  return options;
}

Result<bool> trainOnSlurm(const std::shared_ptr<Workspace>& workspace, const SlurmArguments& arguments,
                          const std::vector<std::string>& runs,
                          std::function<Result<std::vector<std::string>>()> unneeded) {
  SlurmArray array;
  array.workspace = workspace;
  ASSIGN_OR_RETURN(array.options, slurmOptionsOf(arguments));
  std::stop_source stop;
  array.stop = stop.get_token();
  array.slurm = SlurmClient(array.stop);
  array.say = [](const std::string& text) { std::cerr << "batchwise: " << text << "\n"; };
  if (unneeded) array.unneeded = std::move(unneeded);
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  const auto trained = array.train(runs);
  if (trained.ok()) return true;
  if (trained.error().code != ErrorCode::Stopped) return trained.error();
  array.say("the jobs go on; the same command waits for them and goes on");
  return false;
}

}  // namespace batchwise::cli
