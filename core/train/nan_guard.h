// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/train_config.h"
#include "core/train/callback.h"

namespace batchwise {

/// Reports a non-finite gradient, whose step the optimizer has skipped, and performs guard.non_finite; after
/// guard.non_finite_limit such steps in a row the run ends with a checkpoint in any case.
class NanGuard final : public Callback {
 public:
  /// `scalesLoss`: with loss scaling, a finite loss with a non-finite gradient is normal; the scale is then reduced.
  explicit NanGuard(GuardConfig config, bool scalesLoss = false)
      : config_(std::move(config)), scalesLoss_(scalesLoss) {}
  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;

 private:
  const GuardConfig config_;
  const bool scalesLoss_;
};

}  // namespace batchwise
