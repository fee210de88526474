// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/train_config.h"
#include "core/train/callback.h"

namespace batchwise {

/// Says that a step's gradient was not finite (the optimiser has passed it over already), and does what
/// guard.non_finite says; after guard.non_finite_limit such steps in a row the run ends with a checkpoint in any case.
class NanGuard final : public Callback {
 public:
  /// `scalesLoss`: a finite loss with a gradient that is not is nothing unusual, the scale of the loss gets smaller.
  explicit NanGuard(GuardConfig config, bool scalesLoss = false)
      : config_(std::move(config)), scalesLoss_(scalesLoss) {}
  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;

 private:
  const GuardConfig config_;
  const bool scalesLoss_;
};

}  // namespace batchwise
