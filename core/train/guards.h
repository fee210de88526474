// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/config/train_config.h"
#include "core/guard/early_stop.h"
#include "core/guard/guard_action.h"
#include "core/guard/loss_spike.h"
#include "core/guard/plateau.h"
#include "core/train/callback.h"

namespace batchwise {

/// Watches what a run reports (config group `guard`, non-finite gradients aside) and does what is asked where a
/// detector of core/guard fires; it says so with step, value and limit. A guard that fires again and again without
/// ending anything is told 8 times in a segment, then at every doubling, and at the end in one sum. Its memory is
/// LoopState::guards. All ranks see the same figures at the same step, so they decide alike.
class Guards final : public Callback {
 public:
  explicit Guards(GuardConfig config);

  void beforeUpdate(const TrainLoop& loop, StepLimits& limits) override;
  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;
  Result<void> afterRow(TrainLoop& loop, const MetricsRow& row) override;
  Result<void> afterEvaluation(TrainLoop& loop, const EvalResult& result) override;
  Result<void> atEnd(TrainLoop& loop) override;

 private:
  struct Firing;
  void act(TrainLoop& loop, const Firing& firing);
  void tell(TrainLoop& loop, const Firing& firing);
  void checkLimit(TrainLoop& loop, const StepResult& step, const char* guard, const LimitGuardConfig& config,
                  const char* figure, double value);

  const GuardConfig config_;
  const LossSpike spike_;
  const Plateau plateau_;
  const EarlyStop earlyStop_;
  // How often each guard has fired in this segment: only what is told of it depends on that.
  struct Fired {
    std::int64_t times = 0, told = 0, firstStep = 0, lastStep = 0;
  };
  std::map<std::string, Fired> fired_;
};

/// Takes the run back to before `badStep`, or ends it with a checkpoint if guards have done so guard.roll_back_limit
/// times already.
void rollBackOrStop(TrainLoop& loop, const GuardConfig& config, const std::string& what, std::int64_t badStep);

/// Whether a guard may take the run back, for which there must be a checkpoint.
bool mayRollBack(const GuardConfig& config);

/// What the guards need measured beside loss and gradient norm.
bool measuresLogits(const GuardConfig& config);
bool measuresUpdates(const GuardConfig& config);

}  // namespace batchwise
