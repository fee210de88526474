// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/train_config.h"
#include "core/train/callback.h"

namespace batchwise {

/// Says that a step's gradient was not finite (the optimiser has passed it over already), and does what
/// guard.non_finite says; after guard.non_finite_limit such steps in a row the run ends with a checkpoint in any case.
class NanGuard final : public Callback {
 public:
  explicit NanGuard(GuardConfig config) : config_(std::move(config)) {}
  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;

 private:
  const GuardConfig config_;
};

}  // namespace batchwise
