// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/launched_rank.h"
#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"
#include "core/dist/rank_channel.h"
#include "core/train/devices.h"

namespace batchwise {

/// Connects to the other ranks on the host in the launcher's variables (MASTER_ADDR, or Slurm's node list), waiting up
/// to a minute for all. Rank 0 writes a secret and its port to a file below ~/.cache/batchwise, readable by this user
/// only and removed once all are connected. BATCHWISE_RANK_SECRET, if set for all ranks (as the Slurm script does),
/// makes the file needless. The port is BATCHWISE_RANK_PORT if set; else any free one, or without the file one that
/// follows from the name of the launch. Fails with Unsupported if no host is given, Config if the port is none, Io if
/// it is in use, else with Device, naming missing ranks.
Result<std::shared_ptr<RankChannel>> rendezvousByEnvironment(const LaunchedRank& launched,
                                                             const Environment& environment);

/// The processes that a launcher started for one run, one per device. Rank 0 decides, the others follow; every rank
/// makes the same calls in the same order. Not thread-safe.
class RankGroup {
 public:
  /// Connects to the other ranks: over MPI if the launcher offers it, else by its variables. Fails with Device or
  /// Unsupported.
  static Result<std::unique_ptr<RankGroup>> connect(const LaunchedRank& launched);
  ~RankGroup();

  std::int64_t rank() const { return launched_.rank; }
  std::int64_t size() const { return launched_.size; }
  RankChannel& channel() { return *channel_; }

  /// Broadcasts the text of rank 0; other ranks pass an empty one. All functions fail once a rank has failed.
  Result<std::string> broadcastFromFirst(const std::string& text);
  /// Returns the minimum of the ranks' numbers; 0 is that of a rank without a limit, and of all only if none has one.
  Result<std::int64_t> smallest(std::int64_t own);
  /// Returns this process's share of its machine, from the CPU affinity of all ranks.
  Result<ProcessShare> share();
  /// Opens the communicator for tensors on `device`. Fails with Unsupported if there is none, or if a rank has a device
  /// of another kind.
  Result<void> open(const c10::Device& device);
  /// Requires open().
  Communicator& ranks() { return *ranks_; }

 private:
  explicit RankGroup(LaunchedRank launched) : launched_(std::move(launched)) {}

  const LaunchedRank launched_;
  std::shared_ptr<MpiWorld> mpi_;  // null if the launcher offers none
  std::shared_ptr<RankChannel> channel_;
  std::unique_ptr<Communicator> ranks_;
};

}  // namespace batchwise
