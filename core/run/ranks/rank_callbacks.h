// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/config/train_config.h"
#include "core/data/prepare_data.h"
#include "core/run/launch/run_intervals.h"
#include "core/train/checkpoint_every.h"
#include "core/train/metrics_log.h"
#include "core/train/step_stream.h"

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

/// Returns the training data of the loop: `samples` with the masking of `data`.
TrainingData trainingData(const TrainConfig& config, const PreparedData& data, const TokenDataset& samples);

/// Returns whether log.noise_scale or a batch growth function needs the gradient noise scale.
bool measuresNoise(const TrainConfig& config);

}  // namespace batchwise
