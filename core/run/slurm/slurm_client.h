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

/// A job as the queue shows it.
struct SlurmJob {
  std::string id;      ///< "12", of an array "12_3"
  std::string state;   ///< "PENDING", "RUNNING", "COMPLETING", ...
  std::string reason;  ///< why it waits: "Resources", "Priority"
};

/// How a job ended, as far as the cluster still knows.
struct SlurmJobEnd {
  std::string state;   ///< "FAILED", "CANCELLED", "OUT_OF_MEMORY", "NODE_FAIL", "COMPLETED", ...
  std::string reason;  ///< "NonZeroExitCode", "JobLaunchFailure"; may be empty
  std::int64_t exitCode = 0;
  std::int64_t signal = 0;  ///< that ended it; numbers above 64 and some below are Slurm's own
  bool hadNodes = false;    ///< false: it ended while it waited
};
/// "FAILED (NonZeroExitCode), exit code 7".
std::string describe(const SlurmJobEnd& end);

/// Slurm by its own commands (sbatch, squeue, scancel, sinfo, scontrol, sacct), found on PATH. Each call starts one and
/// waits for it, at most half a minute. Any thread. Where a stop is asked for meanwhile, a call fails with Stopped at
/// once; of what was to be changed it is then not known whether it has been.
class SlurmClient {
 public:
  explicit SlurmClient(std::stop_token stop = {}) : stop_(std::move(stop)) {}

  /// This machine can submit jobs: sbatch is on PATH.
  static bool isHere();
  /// Fails with Unsupported if this machine has no Slurm, or with Io if it does not answer, in its own words.
  Result<std::vector<SlurmPartition>> partitions() const;
  /// The id of the job. Fails with Config in sbatch's words.
  Result<std::string> submit(const std::filesystem::path& script) const;
  /// Jobs with this name that wait, run or are just ending; oldest first.
  Result<std::vector<SlurmJob>> jobs(const std::string& name) const;
  /// Names of this user's jobs that wait or run.
  Result<std::vector<std::string>> names() const;
  /// Ends jobs with this name.
  Result<void> cancel(const std::string& name) const;
  /// Takes jobs with this name out of the queue; those that run go on. Fine if none waits.
  Result<void> cancelWaiting(const std::string& name) const;
  /// Sends the ranks (not the batch script) a signal, as "TERM".
  Result<void> signal(const std::string& name, const std::string& signal) const;
  /// How the job with this id, which is no longer in the queue, ended: by the controller, which remembers it for some
  /// minutes, else by the accounting, where a cluster has one. Nothing if neither knows.
  std::optional<SlurmJobEnd> ended(const std::string& id) const;

 private:
  std::stop_token stop_;
};

}  // namespace batchwise
