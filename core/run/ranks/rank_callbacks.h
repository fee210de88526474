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

/// What the callbacks of one rank are made from.
struct CallbackSources {
  const TrainConfig& config;
  const Plan& plan;
  const RunIntervals& intervals;
  const PreparedData& data;
  Timestamp batchStart;  ///< of the running global batch
  MetricsLog::MemorySource memory;
  std::unique_ptr<Callback> firstLoss;  ///< of rank 0, in the first segment of a resume; else null
  CheckpointSaver* saver = nullptr;     ///< of rank 0; else null
  CheckpointOrigin origin;              ///< used by rank 0 only
};

/// The callbacks of a rank, in their order: the same on every rank, as what one does with all ranks must happen on all.
Result<std::vector<std::unique_ptr<Callback>>> rankCallbacks(CallbackSources sources);

/// `samples` of `data` as the loop takes them.
TrainingData trainingData(const TrainConfig& config, const PreparedData& data, const TokenDataset& samples);

/// log.noise_scale, or a function that grows the batch and needs it.
bool measuresNoise(const TrainConfig& config);

}  // namespace batchwise
