// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_submission.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/config/default_values.h"
#include "core/run/own_program.h"
#include "core/run/torch_library.h"
#include "core/run/trainer.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/records.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMinLimitMinutes = 2;  // minutes
constexpr std::int64_t kReserveSec = 20;
constexpr std::int64_t kLongestScript = 1 << 20;
constexpr std::int64_t kLongestRequest = 16 << 20;

Result<SlurmPartition> partitionFor(const SlurmOptions& options, const std::vector<SlurmPartition>& partitions) {
  std::string names;
  for (const SlurmPartition& one : partitions) {
    if (options.partition.empty() ? one.isDefault : one.name == options.partition) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  if (options.partition.empty())
    return Error::config(formatText("this cluster has no default partition; name one (--partition): {}", names));
  return Error::config(formatText("there is no partition '{}'; the cluster has {}", options.partition, names));
}

Result<void> checkAgainst(const SlurmPartition& partition, const SlurmOptions& options) {
  const auto tooMuch = [&partition](std::string option, std::int64_t wanted, const std::string& there) {
    return Error::config(formatText("{} is {}, but partition {} has {}", option, wanted, partition.name, there));
  };
  if (!partition.up)
    return Error::config(
        formatText("partition {} does not run jobs now (it is not up); choose another (--partition), or submit later",
                   partition.name));
  if (options.nodes > partition.nodes)
    return tooMuch("the number of machines (--nodes)", options.nodes, formatText("{} nodes", partition.nodes));
  if (options.gpusPerNode > partition.gpusPerNode)
    return tooMuch("the number of GPUs on each machine (--gpus-per-node)", options.gpusPerNode,
                   formatText("{} GPUs per node", partition.gpusPerNode));
  const std::int64_t cores = options.ranksPerNode * std::max<std::int64_t>(1, options.coresPerRank);
  if (partition.coresPerNode > 0 && cores > partition.coresPerNode)
    return tooMuch("the number of cores of all processes on a machine (--ranks-per-node x --cores-per-rank)", cores,
                   formatText("{} cores per node", partition.coresPerNode));
  if (partition.limitMinutes && options.limitMinutes > *partition.limitMinutes)
    return tooMuch("the time limit of a job in minutes (--time)", options.limitMinutes,
                   formatText("a limit of {} minutes", *partition.limitMinutes));
  return {};
}

// Checks the configured devices against those of the job.
Result<void> checkDevices(const LoadedConfig& config, const SlurmOptions& options) {
  const std::string& use = config.config.devices.use;
  const bool cuda = use.starts_with("cuda");
  if (options.gpusPerNode > 0 && use.starts_with("cpu"))
    return Error::config(formatText(
        "devices is '{}', but the job requests GPUs; use auto or cuda, or request none (--gpus-per-node)", use));
  if (options.gpusPerNode == 0 && cuda)
    return Error::config(
        formatText("devices is '{}', but the job requests no GPUs; request some (--gpus-per-node), or use cpu", use));
  if (use.starts_with("cpu:") && namedDeviceCount(use) != options.ranks() && options.ranks() > 1)
    return Error::config(
        formatText("devices is '{}', but the job has {} ranks with one device each; use cpu", use, options.ranks()));
  return {};
}

// Adds a note if several nodes may not see `path`, judged by its file system.
void noteIfLocal(const fs::path& path, const std::string& what, const SlurmPartition& partition,
                 std::vector<std::string>& notes) {
  if (partition.nodes > 1 && !networkFileSystemOf(path))
    notes.push_back(
        formatText("{} {} is not on a network file system: every node must find the same files at this path", what,
                   path.string()));
}

Result<void> checkFiles(const SlurmPaths& paths, const SlurmPartition& partition, std::vector<std::string>& notes) {
  if (::access(paths.program.c_str(), X_OK) != 0)
    return Error::notFound(
        formatText("the program {} is not there; build it, or name it in BATCHWISE_PROGRAM", paths.program.string()));
  const fs::path trainer = paths.program.parent_path() / "libbatchwise_trainer.so";
  if (::access(trainer.c_str(), R_OK) != 0)
    return Error::notFound(
        formatText("the trainer {} is not there; build it: ./packaging/run doctor", trainer.string()));
  ASSIGN_OR_RETURN(const auto torch, findTorch(processEnvironment(), paths.program, defaultWorkspacePath()));
  if (!torch && comesWithoutTorch(paths.program)) return noTorchError(processEnvironment());
  const fs::path libraries = torch.value_or(BATCHWISE_BUILT_WITH_DEPS);
  std::error_code ignored;
  if (!fs::is_directory(libraries, ignored))
    return Error::notFound(formatText(
        "the libraries in {}, which the trainer was built with, are not there; set BATCHWISE_DEPS and build again",
        libraries.string()));
  noteIfLocal(paths.program.parent_path(), "the program in", partition, notes);
  noteIfLocal(libraries, "the libraries that the trainer needs, in", partition, notes);
  noteIfLocal(paths.workspace, "the workspace", partition, notes);
  return {};
}

// Returns the configuration with the settings that a job needs.
Result<LoadedConfig> configForJob(const LoadedConfig& config, const SlurmOptions& options) {
  if (!config.ok()) return Error::config(config.errorText());
  LoadedConfig changed = parseConfig(config.yaml, "configuration", config.baseFolder, {"launch.journal=always"});
  if (!changed.ok()) return Error::config(changed.errorText());
  changed.assigned.insert(config.assigned.begin(), config.assigned.end());
  RETURN_IF_ERROR(checkDevices(changed, options));
  return changed;
}

Result<void> checkResumable(const LaunchRequest& request, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(journalFile(request.workspace, request.resumeRun), ignored))
    return Error::config(formatText(
        "run {} has no journal: only a run that was submitted before can be submitted again", request.resumeRun));
  if (request.config.yaml.empty() && !fs::exists(file, ignored))
    return Error::config(
        formatText("run {} was not submitted to Slurm by Batchwise; resume it where it was started, or fork it",
                   request.resumeRun));
  if (request.fork || !request.resumeCheckpoint.empty())
    return Error::config(
        "in a Slurm job a run resumes from its newest checkpoint, and a fork names its own; go on from another one on "
        "this machine");
  return {};
}

// Clears the name of the newest checkpoint, because each job of the chain finds the newest one itself.
Result<void> clearNewestCheckpoint(LaunchRequest& request) {
  if (request.resumeCheckpoint.empty()) return {};
  ASSIGN_OR_RETURN(const auto journal, readJournalRun(journalFile(request.workspace, request.resumeRun)));
  const std::vector<CheckpointRecord> order = resumeOrder(journal.run.segments, journal.checkpoints);
  if (!order.empty() && order.front().id == request.resumeCheckpoint) request.resumeCheckpoint.clear();
  return {};
}

// Writes what a fork needs to know of its parent, which the job cannot look up in the database.
Result<void> describeParent(const LaunchRequest& request) {
  std::error_code ignored;
  if (fs::exists(journalFile(request.workspace, request.resumeRun), ignored)) return {};
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(request.workspace));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(request.resumeRun));
  ASSIGN_OR_RETURN(const auto checkpoints, workspace->checkpoints(request.resumeRun));
  return writeForkOrigin(workspace->folder(), run, checkpoints);
}

// Makes only the first job of the chain stretch, though all send the same request; see LaunchRequest::firstSegment.
Result<LaunchRequest> stretchedOnce(LaunchRequest request) {
  if (!request.stretch || request.fork) return request;  // a fork that goes on is no fork: see startOrResume()
  ASSIGN_OR_RETURN(const auto journal, readJournalRun(journalFile(request.workspace, request.resumeRun)));
  request.firstSegment = static_cast<std::int64_t>(journal.run.segments.size());
  return request;
}

Result<LaunchRequest> requestForJobs(LaunchRequest request, const SlurmOptions& options) {
  ASSIGN_OR_RETURN(request.config, configForJob(request.config, options));
  return stretchedOnce(std::move(request));
}

// Returns the earlier request of a run, for a resume without changes except perhaps a stretch.
Result<LaunchRequest> previousRequest(LaunchRequest request, const fs::path& file, const SlurmOptions& options) {
  ASSIGN_OR_RETURN(const auto text, readFile(file, kLongestRequest));
  Result<LaunchRequest> before = requestFromText(text);
  if (!before.ok()) return before.error().within(file.string());
  if (!before->config.ok()) return Error::config(before->config.errorText());
  RETURN_IF_ERROR(checkDevices(before->config, options));
  if (!request.stretch) return before;
  request.config = std::move(before->config);
  return stretchedOnce(std::move(request));
}

// Not part of the configuration, because the next submission may have another limit.
std::optional<double> timeLimitSec(const SlurmOptions& options) {
  if (options.limitMinutes < kMinLimitMinutes) return std::nullopt;
  return static_cast<double>(options.limitMinutes * 60 - kReserveSec);
}

// Writes the request that the jobs of one run read; returns the run's id.
Result<std::string> writeRequest(LaunchRequest& request, const SlurmOptions& options, const fs::path& folder) {
  const bool isFork = request.fork && !request.resumeCheckpoint.empty();  // a new run
  const bool isResume = !request.resumeRun.empty() && !isFork;
  if (isFork) RETURN_IF_ERROR(describeParent(request));
  if (!isResume && request.runId.empty()) request.runId = newRecordId();
  const std::string run = isResume ? request.resumeRun : request.runId;
  const fs::path file = slurmRequestFile(folder.parent_path(), run);
  if (isResume) {
    RETURN_IF_ERROR(clearNewestCheckpoint(request));
    RETURN_IF_ERROR(checkResumable(request, file));
  }
  const bool asBefore = isResume && request.config.yaml.empty();
  ASSIGN_OR_RETURN(request, asBefore ? previousRequest(std::move(request), file, options)
                                     : requestForJobs(std::move(request), options));
  request.timeLimitSec = timeLimitSec(options);
  RETURN_IF_ERROR(writeFileAtomically(file, requestToText(request)));
  std::error_code ignored;
  fs::remove(slurmStopFile(folder.parent_path(), run), ignored);
  return run;
}

// Fails with Busy if a run that is resumed is in the queue, or other tasks of the array that the first one began: these
// are known by its script, which is written anew.
Result<void> checkNotQueued(const std::vector<LaunchRequest>& requests, const fs::path& workspace,
                            const SlurmClient& slurm) {
  const auto resumes = [](const LaunchRequest& request) { return !request.resumeRun.empty() && !request.fork; };
  if (std::ranges::none_of(requests, resumes)) return {};
  ASSIGN_OR_RETURN(const auto jobs, jobsOfRuns(workspace, slurm));
  for (const LaunchRequest& request : requests)
    if (const auto job = jobs.find(request.resumeRun); resumes(request) && job != jobs.end())
      return Error{
          ErrorCode::Busy, formatText("run {} is already in the queue, as job {}", request.resumeRun, job->second), {}};
  if (!resumes(requests.front())) return {};
  const std::string& first = requests.front().resumeRun;
  ASSIGN_OR_RETURN(const auto others, slurm.jobs(slurmJobName(first)));
  if (others.empty()) return {};
  return Error{ErrorCode::Busy,
               formatText("run {} was submitted with others, of which job {} is in the queue; wait for it, or cancel "
                          "it (scancel)",
                          first, others.front().id),
               {}};
}

}  // namespace

Result<SlurmPartition> choosePartition(const SlurmOptions& options, const std::vector<SlurmPartition>& partitions) {
  RETURN_IF_ERROR(checkSlurmOptions(options));
  Result<SlurmPartition> partition = partitionFor(options, partitions);
  if (!partition.ok()) return partition;
  RETURN_IF_ERROR(checkAgainst(*partition, options));
  return partition;
}

Result<SlurmSubmission> submitToSlurm(std::vector<LaunchRequest> requests, const SlurmOptions& options,
                                      const SlurmClient& slurm) {
  ASSIGN_OR_RETURN(const auto partitions, slurm.partitions());
  ASSIGN_OR_RETURN(const auto partition, choosePartition(options, partitions));
  SlurmSubmission submission;
  const SlurmPaths paths{trainingProgram(), fs::absolute(requests.front().workspace).lexically_normal()};
  const fs::path folder = paths.workspace / "runs";
  RETURN_IF_ERROR(makeFolders(folder));
  RETURN_IF_ERROR(checkFiles(paths, partition, submission.notes));
  RETURN_IF_ERROR(checkNotQueued(requests, paths.workspace, slurm));
  for (LaunchRequest& request : requests) {
    ASSIGN_OR_RETURN(submission.runs.emplace_back(), writeRequest(request, options, folder));
  }
  const fs::path script = folder / (submission.runs.front() + ".sbatch");
  RETURN_IF_ERROR(writeFileAtomically(script, slurmScript(options, paths, submission.runs)));
  ASSIGN_OR_RETURN(submission.job, slurm.submit(script));
  submission.jobName = slurmJobName(submission.runs.front());
  return submission;
}

Result<std::map<std::string, std::string>> jobsOfRuns(const fs::path& workspace, const SlurmClient& slurm) {
  ASSIGN_OR_RETURN(const auto jobs, slurm.ownJobs());
  const std::string prefix = slurmJobName(""), list = "\nruns=(";
  std::map<std::string, std::string> found;
  for (const auto& [id, name] : jobs) {
    const std::string first = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
    if (first.empty() || first.find('/') != std::string::npos) continue;  // no job of ours has such a name
    const auto script = readFile(workspace / "runs" / (first + ".sbatch"), kLongestScript);
    const std::size_t at = script.ok() ? script->find(list) : std::string::npos;
    if (at == std::string::npos) continue;
    const std::size_t begin = at + list.size();
    const auto runs = partsOf(script->substr(begin, script->find(')', begin) - begin), ' ');
    const std::size_t mark = id.find('_');
    const auto task =
        mark == std::string::npos ? 0 : numberFrom<std::size_t>(id.substr(mark + 1)).value_or(runs.size());
    if (task < runs.size()) found[runs[task]] = id;
  }
  return found;
}

Result<bool> anyOnSlurm(const fs::path& workspace, std::map<std::string, RunStatus> runs, const SlurmClient& slurm) {
  std::erase_if(runs, [&](const auto& run) { return !fileIdOf(slurmRequestFile(workspace, run.first)); });
  if (runs.empty()) return false;
  if (std::ranges::any_of(runs, [](const auto& run) { return run.second == RunStatus::Created; })) return true;
  const auto jobs = jobsOfRuns(workspace, slurm);
  if (!jobs.ok() && jobs.error().code == ErrorCode::Unsupported) return false;
  const std::string& first = runs.begin()->first;
  if (!jobs.ok())
    return jobs.error().within(formatText("whether run {} has a job on the cluster (without '{}' it has none)", first,
                                          slurmRequestFile(workspace, first).native()));
  return std::ranges::any_of(runs, [&](const auto& run) { return jobs->contains(run.first); });
}

Result<void> checkNotOnSlurm(const fs::path& workspace, const RunSummary& run, const SlurmClient& slurm) {
  if (run.status == RunStatus::Created) return {};  // it has no checkpoint
  ASSIGN_OR_RETURN(const bool isThere, anyOnSlurm(workspace, {{run.id, run.status}}, slurm));
  if (!isThere) return {};
  return Error{
      ErrorCode::Busy,
      formatText("run {} is on a Slurm cluster; `batchwise runs sync` takes in what it does there. Cancel its job to "
                 "resume it here (scancel; squeue --me lists the jobs)",
                 run.name),
      {}};
}

fs::path slurmStopFile(const fs::path& workspace, const std::string& run) {
  return workspace / "runs" / (run + ".stop");
}

}  // namespace batchwise
