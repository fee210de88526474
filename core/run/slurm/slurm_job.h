// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

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
