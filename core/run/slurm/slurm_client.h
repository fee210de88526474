// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

struct SlurmPartition {
  std::string name;
  bool isDefault = false;
  bool up = false;
  std::int64_t nodes = 0;
  std::optional<std::int64_t> limitMinutes;  ///< none: unlimited
  std::int64_t gpusPerNode = 0;              ///< of the first kind of node listed
  std::int64_t coresPerNode = 0;
};

/// A job in the queue.
struct SlurmJob {
  std::string id;      ///< "12", or "12_3" for a task of an array
  std::string state;   ///< "PENDING", "RUNNING", "COMPLETING", ...
  std::string reason;  ///< why it waits: "Resources", "Priority"
};

/// How a job ended, as far as Slurm still knows.
struct SlurmJobEnd {
  std::string state;   ///< "FAILED", "CANCELLED", "OUT_OF_MEMORY", "NODE_FAIL", "COMPLETED", ...
  std::string reason;  ///< "NonZeroExitCode", "JobLaunchFailure"; may be empty
  std::int64_t exitCode = 0;
  std::int64_t signal = 0;  ///< signal that ended it; above 64, and some below, are Slurm's own
  bool hadNodes = false;    ///< false: it ended while pending
};
/// Returns for example "FAILED (NonZeroExitCode), exit code 7".
std::string describe(const SlurmJobEnd& end);

/// Runs Slurm's commands (sbatch, squeue, scancel, sinfo, scontrol, sacct), found on PATH. Each call starts one and
/// waits up to 30 seconds. If a stop is requested meanwhile, the call fails with Stopped at once; a change may or may
/// not have been made then. Thread-safe.
class SlurmClient {
 public:
  explicit SlurmClient(std::stop_token stop = {}) : stop_(std::move(stop)) {}

  /// Returns whether this machine can submit jobs: sbatch is on PATH.
  static bool isAvailable();
  /// Fails with Unsupported if this machine has no Slurm, or with Io and Slurm's message if it does not answer.
  Result<std::vector<SlurmPartition>> partitions() const;
  /// Submits a batch script and returns the id of the job. Fails with Config and sbatch's message.
  Result<std::string> submit(const std::filesystem::path& script) const;
  /// Returns pending, running and completing jobs with this name; oldest first.
  Result<std::vector<SlurmJob>> jobs(const std::string& name) const;
  /// Returns the ids of this user's pending and running jobs with their names; each task of an array is one: "12_3".
  Result<std::vector<std::pair<std::string, std::string>>> ownJobs() const;
  /// Cancels a job, or a task of an array.
  Result<void> cancelTask(const std::string& id) const;
  /// Cancels jobs with this name.
  Result<void> cancel(const std::string& name) const { return scancel({}, name); }
  /// Cancels pending jobs with this name; running ones continue. Succeeds if there are none.
  Result<void> cancelWaiting(const std::string& name) const { return scancel({"--state", "PENDING"}, name); }
  /// Sends a signal, such as "TERM", to the ranks (not to the batch script).
  Result<void> signal(const std::string& name, const std::string& signal) const {
    return scancel({"--signal", signal}, name);
  }
  /// Returns how a job that left the queue ended: from the controller, which remembers it for some minutes, else from
  /// the accounting, if the cluster has one. Nothing if neither knows.
  std::optional<SlurmJobEnd> ended(const std::string& id) const;

 private:
  Result<void> scancel(std::vector<std::string> options, const std::string& name) const;

  std::stop_token stop_;
};

/// Options of a submission. They are not part of the configuration, so that the same run can train anywhere.
struct SlurmOptions {
  std::string partition;  ///< empty: the cluster's default
  std::string account;
  std::string qos;
  std::string constraint;
  std::int64_t nodes = 1;
  std::int64_t ranksPerNode = 1;  ///< processes per node, one device each
  std::int64_t gpusPerNode = 0;   ///< 0: the ranks train on CPUs
  std::int64_t coresPerRank = 0;  ///< 0: the cluster's default
  std::string memory;             ///< per node, in Slurm's format: "64G"
  std::int64_t limitMinutes = 0;  ///< per job; 0: the partition's limit
  std::int64_t chain = 10;        ///< maximum number of follow-up jobs when the time is up
  std::string mpi = "pmix";       ///< srun's MPI plug-in
  std::vector<std::string> more;  ///< further options of sbatch, such as "--exclusive"

  std::int64_t ranks() const { return nodes * ranksPerNode; }
};

/// Fails with Config, naming the option, if a value is invalid.
Result<void> checkSlurmOptions(const SlurmOptions& options);

/// Paths for the job: absolute, on a file system shared by the nodes.
struct SlurmPaths {
  std::filesystem::path program;
  std::filesystem::path workspace;
};

/// Returns the name of a run's jobs.
std::string slurmJobName(const std::string& run);

/// Returns the batch script for `runs` (ids; several become a job array), from packaging/slurm/run.sbatch. Pure.
std::string slurmScript(const SlurmOptions& options, const SlurmPaths& paths, const std::vector<std::string>& runs);

/// Returns how many seconds before the end of a job its ranks are warned: a tenth of the limit, clamped to 60 to 600 s,
/// at most half of the limit.
std::int64_t slurmWarningSec(std::int64_t limitMinutes);

/// Parses "1-02:30:00", "90", "1:30:00" into minutes, rounded up; nothing for "infinite" and for anything else.
std::optional<std::int64_t> slurmMinutes(const std::string& text);

}  // namespace batchwise
