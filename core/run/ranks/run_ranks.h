// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/config/train_config.h"
#include "core/data/prepare_data.h"
#include "core/run/launch/resolved_values.h"
#include "core/train/checkpoint_every.h"
#include "core/train/evaluation.h"
#include "core/train/metrics_log.h"
#include "core/train/step_stream.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Dependencies of the callbacks of one rank.
struct CallbackDependencies {
  const TrainConfig& config;
  const Plan& plan;
  const RunIntervals& intervals;
  const PreparedData& data;
  Timestamp batchStart;  ///< start of the current global batch
  MetricsLog::MemorySource memory;
  std::unique_ptr<Callback> firstLoss;  ///< on rank 0, in the first segment of a resume; else null
  CheckpointSaver* saver = nullptr;     ///< on rank 0; else null
  CheckpointOrigin origin;              ///< used by rank 0 only
};

/// Creates the callbacks of a rank, in order; the same on every rank, because some of them use collectives.
Result<std::vector<std::unique_ptr<Callback>>> rankCallbacks(CallbackDependencies sources);

/// Returns the samples of training, masked by the seed of the run.
TrainingData trainingData(const TrainConfig& config, const PreparedData& data);
/// Returns the samples of evaluation, masked by eval.seed, whatever the seed and the masking probability of training.
/// Requires data.eval.
TrainingData evaluationData(const TrainConfig& config, const PreparedData& data);
/// Returns all sets of evaluation data, masked likewise: data.eval or the held-out share, then those of eval.sets.
/// Without eval.sets there is at most one, without a name.
std::vector<EvaluationSet> evaluationSets(const TrainConfig& config, const PreparedData& data);

/// Returns whether log.noise_scale or a batch growth function needs the gradient noise scale.
bool measuresNoise(const TrainConfig& config);

/// Dependencies of the ranks of one process.
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
  std::function<Message()> blockedReason = {};  ///< polled by rank 0 before each step: why it has to wait, or empty
  bool measureLogits = false;
  bool measureUpdates = false;
  HangMonitor* monitor = nullptr;      ///< updated by rank 0
  TimeReserve* timeReserve = nullptr;  ///< used by rank 0
  bool lastStage = true;               ///< of the run
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
RanksResult runRanks(const RanksSetup& setup);

}  // namespace batchwise
