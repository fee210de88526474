// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_submission.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/config/device_names.h"
#include "core/run/controllers/training_program.h"
#include "core/run/launch_request_text.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "core/store/file_system.h"
#include "core/store/journal/journal_run.h"
#include "core/store/records.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kShortestLimitToReserveOf = 2;  // minutes
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
    return Error::config("this cluster has no default partition; name one with --partition: " + names);
  return Error::config("there is no partition '" + options.partition + "'; the cluster has " + names);
}

Result<void> checkAgainst(const SlurmPartition& partition, const SlurmOptions& options) {
  const auto tooMuch = [&partition](const char* option, std::int64_t wanted, const std::string& there) {
    return Error::config(std::string(option) + " is " + std::to_string(wanted) + ", but partition " + partition.name +
                         " has " + there);
  };
  if (!partition.up) return Error::config("partition " + partition.name + " is not up");
  if (options.nodes > partition.nodes)
    return tooMuch("--nodes", options.nodes, std::to_string(partition.nodes) + " nodes");
  if (options.gpusPerNode > partition.gpusPerNode)
    return tooMuch("--gpus-per-node", options.gpusPerNode, std::to_string(partition.gpusPerNode) + " GPUs a node");
  const std::int64_t cores = options.ranksPerNode * std::max<std::int64_t>(1, options.coresPerRank);
  if (partition.coresPerNode > 0 && cores > partition.coresPerNode)
    return tooMuch("--ranks-per-node x --cores-per-rank", cores,
                   std::to_string(partition.coresPerNode) + " cores a node");
  if (partition.limitMinutes && options.limitMinutes > *partition.limitMinutes)
    return tooMuch("--time", options.limitMinutes,
                   "a limit of " + std::to_string(*partition.limitMinutes) + " minutes");
  return {};
}

// The devices of the configuration against those of the job.
Result<void> checkDevices(const LoadedConfig& config, const SlurmOptions& options) {
  const std::string& use = config.config.devices.use;
  const bool cuda = use.starts_with("cuda");
  if (options.gpusPerNode > 0 && use.starts_with("cpu"))
    return Error::config("devices is '" + use +
                         "', but the job asks for GPUs; take auto or cuda, or leave --gpus-per-node out");
  if (options.gpusPerNode == 0 && cuda)
    return Error::config("devices is '" + use + "', but the job asks for no GPUs; give --gpus-per-node, or take cpu");
  if (use.starts_with("cpu:") && namedDeviceCount(use) != options.ranks() && options.ranks() > 1)
    return Error::config("devices is '" + use + "', but the job has " + std::to_string(options.ranks()) +
                         " ranks, one device each; take cpu");
  return {};
}

// Whether the nodes will find `path`: shown by its file system, unless there is one node only.
void noteIfLocal(const fs::path& path, const char* what, const SlurmPartition& partition,
                 std::vector<std::string>& notes) {
  if (partition.nodes > 1 && !networkFileSystemOf(path))
    notes.push_back(std::string(what) + " " + path.string() +
                    " does not lie on a network file system: every node must have the same at this path");
}

Result<void> checkFiles(const SlurmPaths& paths, const SlurmPartition& partition, std::vector<std::string>& notes) {
  if (::access(paths.program.c_str(), X_OK) != 0)
    return Error::notFound("the program " + paths.program.string() +
                           " is not there; build it, or name it in BATCHWISE_PROGRAM");
  const fs::path trainer = paths.program.parent_path() / "libbatchwise_trainer.so";
  if (::access(trainer.c_str(), R_OK) != 0)
    return Error::notFound("the trainer " + trainer.string() + " is not there; build it: ./packaging/run doctor");
  const fs::path deps = BATCHWISE_BUILT_WITH_DEPS;
  std::error_code ignored;
  if (!fs::is_directory(deps, ignored))
    return Error::notFound("the libraries in " + deps.string() +
                           ", which the trainer was built with, are not there; set BATCHWISE_DEPS and build again");
  noteIfLocal(paths.program.parent_path(), "the program in", partition, notes);
  noteIfLocal(deps, "what the trainer was built with, in", partition, notes);
  noteIfLocal(paths.workspace, "the workspace", partition, notes);
  return {};
}

// The configuration with what running in a job asks for.
Result<LoadedConfig> configForJob(const LoadedConfig& config, const SlurmOptions& options) {
  if (!config.ok()) return Error::config(config.errorText());
  LoadedConfig changed = parseConfigWith(config.yaml, "configuration", config.baseFolder, {"launch.journal=always"});
  if (!changed.ok()) return Error::config(changed.errorText());
  if (Result<void> fits = checkDevices(changed, options); !fits.ok()) return fits.error();
  return changed;
}

Result<void> checkMayGoOn(const LaunchRequest& request, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(journalFile(request.workspace, request.resumeRun), ignored))
    return Error::config("run " + request.resumeRun +
                         " has no journal: only a run that was submitted before can be submitted again");
  if (request.config.yaml.empty() && !fs::exists(file, ignored))
    return Error::config("run " + request.resumeRun +
                         " was not submitted by `batchwise submit`; resume it where it was begun, or fork it");
  if (request.fork || !request.resumeCheckpoint.empty())
    return Error::config(
        "in a Slurm job a run goes on from its newest checkpoint; fork it, or name another one, on this "
        "machine");
  return {};
}

// Each job of the chain finds the newest checkpoint for itself, so it is not named to them.
Result<void> forgetNewestCheckpoint(LaunchRequest& request) {
  if (request.resumeCheckpoint.empty()) return {};
  const Result<JournalRun> journal = readJournalRun(journalFile(request.workspace, request.resumeRun));
  if (!journal.ok()) return journal.error();
  const std::vector<CheckpointRecord> order = resumeOrder(journal->run.segments, journal->checkpoints);
  if (!order.empty() && order.front().id == request.resumeCheckpoint) request.resumeCheckpoint.clear();
  return {};
}

// Each job of the chain makes the same request: the first one alone is to stretch; see LaunchRequest::firstSegment.
Result<LaunchRequest> stretchedOnce(LaunchRequest request) {
  if (!request.stretch) return request;
  const Result<JournalRun> journal = readJournalRun(journalFile(request.workspace, request.resumeRun));
  if (!journal.ok()) return journal.error();
  request.firstSegment = static_cast<std::int64_t>(journal->run.segments.size());
  return request;
}

Result<LaunchRequest> requestForJobs(LaunchRequest request, const SlurmOptions& options) {
  Result<LoadedConfig> config = configForJob(request.config, options);
  if (!config.ok()) return config.error();
  request.config = std::move(*config);
  return stretchedOnce(std::move(request));
}

// What a run was submitted with before, for one that goes on without changes but perhaps stretched.
Result<LaunchRequest> requestAsBefore(LaunchRequest request, const fs::path& file, const SlurmOptions& options) {
  const Result<std::string> text = readFile(file, kLongestRequest);
  if (!text.ok()) return text.error();
  Result<LaunchRequest> before = requestFromText(*text);
  if (!before.ok()) return before.error().within(file.string());
  if (!before->config.ok()) return Error::config(before->config.errorText());
  if (Result<void> fits = checkDevices(before->config, options); !fits.ok()) return fits.error();
  if (!request.stretch) return before;
  request.config = std::move(before->config);
  return stretchedOnce(std::move(request));
}

// What the cluster gives each job is no part of the configuration: the next submission may ask for another limit.
std::optional<double> timeLimitSec(const SlurmOptions& options) {
  if (options.limitMinutes < kShortestLimitToReserveOf) return std::nullopt;
  return static_cast<double>(options.limitMinutes * 60 - kReserveSec);
}

// What the jobs read for one run; its id.
Result<std::string> writeRequest(LaunchRequest& request, const SlurmOptions& options, const fs::path& folder) {
  const bool goesOn = !request.resumeRun.empty();
  if (!goesOn && request.runId.empty()) request.runId = newRecordId();
  const std::string run = goesOn ? request.resumeRun : request.runId;
  const fs::path file = folder / (run + ".request.json");
  if (goesOn) {
    if (Result<void> read = forgetNewestCheckpoint(request); !read.ok()) return read.error();
    if (Result<void> may = checkMayGoOn(request, file); !may.ok()) return may.error();
  }
  const bool asBefore = goesOn && request.config.yaml.empty();
  Result<LaunchRequest> forJobs =
      asBefore ? requestAsBefore(std::move(request), file, options) : requestForJobs(std::move(request), options);
  if (!forJobs.ok()) return forJobs.error();
  request = std::move(*forJobs);
  request.timeLimitSec = timeLimitSec(options);
  if (auto written = writeFileAtomically(file, requestToText(request)); !written.ok()) return written.error();
  std::error_code ignored;
  fs::remove(slurmStopMark(folder.parent_path(), run), ignored);
  return run;
}

// A run that is in the queue is not put there again.
Result<void> checkNotQueued(const LaunchRequest& request, const SlurmClient& slurm) {
  if (request.resumeRun.empty()) return {};
  const auto jobs = slurm.jobs(slurmJobName(request.resumeRun));
  if (!jobs.ok()) return jobs.error();
  if (jobs->empty()) return {};
  return Error{
      ErrorCode::Busy, "run " + request.resumeRun + " is in the queue already, as job " + jobs->front().id, {}};
}

}  // namespace

Result<SlurmPartition> fittingPartition(const SlurmOptions& options, const std::vector<SlurmPartition>& partitions) {
  if (Result<void> fine = checkSlurmOptions(options); !fine.ok()) return fine.error();
  Result<SlurmPartition> partition = partitionFor(options, partitions);
  if (!partition.ok()) return partition;
  if (Result<void> fits = checkAgainst(*partition, options); !fits.ok()) return fits.error();
  return partition;
}

Result<SlurmSubmission> submitToSlurm(std::vector<LaunchRequest> requests, const SlurmOptions& options,
                                      const SlurmClient& slurm) {
  const Result<std::vector<SlurmPartition>> partitions = slurm.partitions();
  if (!partitions.ok()) return partitions.error();
  const Result<SlurmPartition> partition = fittingPartition(options, *partitions);
  if (!partition.ok()) return partition.error();
  SlurmSubmission submission;
  const SlurmPaths paths{trainingProgram(), fs::absolute(requests.front().workspace).lexically_normal()};
  const fs::path folder = paths.workspace / "runs";
  if (auto made = makeFolders(folder); !made.ok()) return made.error();
  if (Result<void> there = checkFiles(paths, *partition, submission.notes); !there.ok()) return there.error();
  for (LaunchRequest& request : requests) {
    if (Result<void> free = checkNotQueued(request, slurm); !free.ok()) return free.error();
    Result<std::string> run = writeRequest(request, options, folder);
    if (!run.ok()) return run.error();
    submission.runs.push_back(std::move(*run));
  }
  const fs::path script = folder / (submission.runs.front() + ".sbatch");
  if (auto written = writeFileAtomically(script, slurmScript(options, paths, submission.runs)); !written.ok())
    return written.error();
  Result<std::string> job = slurm.submit(script);
  if (!job.ok()) return job.error();
  submission.job = std::move(*job);
  submission.jobName = slurmJobName(submission.runs.front());
  return submission;
}

Result<std::vector<std::string>> runsInSlurmQueue(const fs::path& workspace, const SlurmClient& slurm) {
  const auto names = slurm.names();
  if (!names.ok()) return names.error();
  const std::string prefix = slurmJobName("");
  std::set<std::string> runs;
  for (const std::string& name : *names) {
    if (!name.starts_with(prefix)) continue;
    const std::string run = name.substr(prefix.size());
    if (run.find('/') != std::string::npos) continue;  // a job of somebody who named it so
    const Result<std::string> script = readFile(workspace / "runs" / (run + ".sbatch"), kLongestScript);
    if (script.ok() && script->find("\n#SBATCH --array=") == std::string::npos) runs.insert(run);
  }
  return std::vector<std::string>(runs.begin(), runs.end());
}

fs::path slurmStopMark(const fs::path& workspace, const std::string& run) {
  return workspace / "runs" / (run + ".stop");
}

}  // namespace batchwise
