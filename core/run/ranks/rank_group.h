// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/process_setup.h"
#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"
#include "core/dist/store_line.h"
#include "core/train/devices.h"

namespace batchwise {

/// Returns where the ranks meet by the launcher's variables: MASTER_ADDR, else Slurm's first node, at MASTER_PORT,
/// which under srun is 15000 + SLURM_JOB_ID % 10000 if it is not set. Under torchrun its agent may serve the store
/// there. Fails with Unsupported if no host is given, Config if the port is none.
Result<MeetingPoint> meetingPoint(const LaunchedRank& launched, const Environment& environment);

/// The processes that a launcher started for one run, one per device. Rank 0 decides, the others follow; every rank
/// makes the same calls in the same order. Not thread-safe.
class RankGroup {
 public:
  /// Connects to the other ranks, waiting up to a minute for all: over MPI if the launcher offers it, else by its
  /// variables. Fails with Config if those contradict each other, and as meetingPoint(), openRankPort() and
  /// StoreLine::connect().
  static Result<std::unique_ptr<RankGroup>> connect(const LaunchedRank& launched);
  ~RankGroup();

  std::int64_t rank() const { return launched_.rank; }
  std::int64_t size() const { return launched_.size; }
  StoreLine& line() { return *line_; }

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
  std::shared_ptr<StoreLine> line_;
  std::unique_ptr<Communicator> ranks_;
};

}  // namespace batchwise
