// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// What a person asks of Slurm. The configuration of the run knows nothing of it: the same run goes anywhere.
struct SlurmOptions {
  std::string partition;  ///< empty: the cluster's default
  std::string account;
  std::string qos;
  std::string constraint;
  std::int64_t nodes = 1;
  std::int64_t ranksPerNode = 1;  ///< processes, one device each
  std::int64_t gpusPerNode = 0;   ///< 0: the ranks train on processors
  std::int64_t coresPerRank = 0;  ///< 0: the cluster's default
  std::string memory;             ///< per node, as Slurm writes it: "64G"
  std::int64_t limitMinutes = 0;  ///< of each job; 0: the partition's
  std::int64_t chain = 10;        ///< how many further jobs may follow when the time is up
  std::string mpi = "pmix";       ///< srun's plug-in
  std::vector<std::string> more;  ///< further lines for sbatch, as "--exclusive"

  std::int64_t ranks() const { return nodes * ranksPerNode; }
};

/// Fails with Config, naming the option, if they cannot be meant.
Result<void> checkSlurmOptions(const SlurmOptions& options);

/// Where the job finds things on the nodes: all paths absolute, on a file system that they share.
struct SlurmPaths {
  std::filesystem::path program;
  std::filesystem::path workspace;
};

/// Name of the jobs of a run.
std::string slurmJobName(const std::string& run);

/// The batch script for `runs` (ids; several make an array of jobs), from packaging/slurm/run.sbatch. Pure.
std::string slurmScript(const SlurmOptions& options, const SlurmPaths& paths, const std::vector<std::string>& runs);

/// Seconds before the end of a job at which its ranks are warned: a tenth of the limit, 60 to 600 s, at most half of
/// it.
std::int64_t slurmWarningSec(std::int64_t limitMinutes);

/// "1-02:30:00", "90", "1:30:00", "infinite" as minutes, rounded up; nothing for what is unlimited or no time.
std::optional<std::int64_t> slurmMinutes(const std::string& text);

}  // namespace batchwise
