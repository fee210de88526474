// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/train/train_loop.h"

namespace batchwise {

/// What the ranks of one process share or are made from.
struct RanksSetup {
  std::vector<Replica>& replicas;  ///< one per rank
  Plan plan;
  TrainingData data;
  LoopState state;
  std::function<std::vector<std::unique_ptr<Callback>>(std::int64_t rank)> callbacks;
  EventSink& events;         ///< of rank 0
  CommandMailbox& commands;  ///< read by rank 0
  const Clock& clock;
  bool measureNoise = false;
  std::function<std::string()> mustRest = {};  ///< asked by rank 0 before each step: why it has to wait, or nothing
  bool measureLogits = false;
  bool measureUpdates = false;
  HangMonitor* monitor = nullptr;      ///< told by rank 0
  TimeReserve* timeReserve = nullptr;  ///< asked by rank 0
  /// Set: this process has one rank of several, and one replica; null: all ranks are in this process.
  Communicator* ranks = nullptr;
};

/// How the ranks ended, and the state of the run then.
struct RanksEnd {
  Result<LoopEnd> end;
  LoopState state;  ///< of the first rank here
};

/// Runs the training loop on every rank of this process: the first in this thread, others in one thread each. If a rank
/// fails, all end with its error.
RanksEnd runRanks(const RanksSetup& setup);

}  // namespace batchwise
