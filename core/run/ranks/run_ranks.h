// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/config/train_config.h"
#include "core/run/launch/resolved_values.h"
#include "core/text/prepare_data.h"
#include "core/train/checkpoint_every.h"
#include "core/train/evaluation.h"
#include "core/train/metrics_log.h"
#include "core/train/step_stream.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Returns the samples of training, masked by the seed of the run.
TrainingData trainingData(const TrainConfig& config, const PreparedData& data);
/// Returns the sets of evaluation data, masked by eval.seed, whatever the seed and the masking probability of training:
/// data.eval or the held-out share, then those of eval.sets. Without eval.sets there is at most one, without a name.
std::vector<EvaluationSet> evaluationSets(const TrainConfig& config, const PreparedData& data);

/// Dependencies of the ranks of one process and of their callbacks.
struct RanksSetup {
  const TrainConfig& config;       ///< of the run
  std::vector<Replica>& replicas;  ///< one per rank
  Plan plan;
  TrainingData data;
  const PreparedData& runData;                                ///< with the evaluation sets
  const std::vector<std::shared_ptr<const TaskData>>& tasks;  ///< of rank 0, else empty
  const RunIntervals& intervals;
  LoopState state;
  EventSink& events;         ///< of rank 0
  CommandMailbox& commands;  ///< read by rank 0
  const Clock& clock;
  MetricsLog::MemorySource memory;                ///< called by the first rank of each process
  AlertDetector* alerts = nullptr;                ///< of rank 0
  std::unique_ptr<Callback> firstLoss = nullptr;  ///< of rank 0, in the first segment of a resume
  CheckpointSaver* saver = nullptr;               ///< of rank 0, as its origin
  CheckpointOrigin origin = {};
  std::function<std::string()> blockedReason = {};  ///< polled by rank 0 before each step: why it has to wait, or empty
  HangMonitor* monitor = nullptr;                   ///< updated by rank 0
  TimeReserve* timeReserve = nullptr;               ///< used by rank 0
  bool lastStage = true;                            ///< of the run
  IntervalSet stopAt = {};                          ///< set by runRanks()
  /// Set: this process has one rank of several, and one replica. Null: all ranks are in this process.
  Communicator* ranks = nullptr;
};

/// Outcome of the ranks, and the final state of the run.
struct RanksResult {
  Result<LoopEnd> end;
  LoopState state;  ///< of the first rank of this process
};

/// Runs the training loop on every rank of this process: the first on this thread, the others on one thread each. If a
/// rank fails, all end with its error.
RanksResult runRanks(RanksSetup setup);

}  // namespace batchwise
