// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/config/train_config.h"
#include "core/time/interval.h"
#include "core/train/callback.h"
#include "core/train/evaluation.h"

namespace batchwise {

/// Evaluates at the end of a global batch when `eval.interval` is due, and at the end of the run. Comes before
/// CheckpointEvery, so that a checkpoint of the same global batch contains the result.
class EvaluateEvery final : public Callback {
 public:
  EvaluateEvery(IntervalSet interval, TrainingData data, const TrainConfig& config);
  Result<void> afterBatch(TrainLoop& loop, const Timestamp& before) override;

 private:
  const IntervalSet interval_;
  Evaluation evaluation_;
  const std::string bestMetric_;
};

}  // namespace batchwise
