// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace batchwise {

/// This process as one of several that a launcher started for the same run, one per device.
struct LaunchedRank {
  std::string launcher;   ///< "mpirun", "srun", "torchrun"
  std::int64_t rank = 0;  ///< 0 <= rank < size
  std::int64_t size = 1;
  std::int64_t localRank = 0;  ///< among those on this host
  bool operator==(const LaunchedRank&) const = default;
};

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;
/// That of this process.
Environment processEnvironment();

/// Read from what Open MPI's mpirun, Slurm's srun (not a batch script on its own) or torchrun put into the environment,
/// in this order. Nothing for a process that was started on its own or that is the only one of its launch.
std::optional<LaunchedRank> launchedRank(const Environment& environment);
std::optional<LaunchedRank> launchedRank();

}  // namespace batchwise
