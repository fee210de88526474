// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace batchwise {

/// This process's rank among the processes that a launcher started for one run, one per device.
struct LaunchedRank {
  std::string launcher;   ///< "mpirun", "srun", "torchrun"
  std::int64_t rank = 0;  ///< 0 <= rank < size, unless the variables contradict each other
  std::int64_t size = 1;
  std::int64_t localRank = 0;  ///< rank among the processes on this host
  bool operator==(const LaunchedRank&) const = default;
};

using Environment = std::function<const char*(const char* name)>;
Environment processEnvironment();

/// Detects the rank from the environment set by torchrun, Open MPI's mpirun or Slurm's srun. Returns nothing for a
/// process that was started on its own or is the only one of its launch, such as a Slurm batch script.
std::optional<LaunchedRank> launchedRank(const Environment& environment);
std::optional<LaunchedRank> launchedRank();

}  // namespace batchwise
