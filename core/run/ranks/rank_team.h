// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/launched_rank.h"
#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"
#include "core/dist/rank_line.h"
#include "core/train/devices.h"

namespace batchwise {

/// The processes that a launcher started for one run, one per device. Rank 0 decides, the others follow; every rank
/// makes the same calls in the same order. One thread.
class RankTeam {
 public:
  /// Finds the others: over MPI where the launcher offers it, else at the address that its variables name. Waits for
  /// them, for a minute. Fails with Device or Unsupported.
  static Result<std::unique_ptr<RankTeam>> connect(const LaunchedRank& launched);
  ~RankTeam();

  std::int64_t rank() const { return launched_.rank; }
  std::int64_t size() const { return launched_.size; }
  RankLine& line() { return *line_; }

  /// What rank 0 says; the others give nothing and get it. Fails once the team is broken, as everything here.
  Result<std::string> fromFirst(const std::string& text);
  /// The smallest of the ranks' numbers.
  Result<std::int64_t> smallest(std::int64_t own);
  /// Where this process stands; asks all which cores they may use.
  Result<ProcessShare> share();
  /// Opens what carries tensors between the devices of the ranks. Fails with Unsupported if nothing can.
  Result<void> open(const c10::Device& device);
  /// After open().
  Communicator& ranks() { return *ranks_; }

 private:
  explicit RankTeam(LaunchedRank launched) : launched_(std::move(launched)) {}

  const LaunchedRank launched_;
  std::shared_ptr<MpiWorld> mpi_;  // null where the launcher offers none
  std::shared_ptr<RankLine> line_;
  std::unique_ptr<Communicator> ranks_;
};

}  // namespace batchwise
