// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/config/train_config.h"
#include "core/train/callback.h"
#include "core/train/guard/detectors.h"

namespace batchwise {

/// Checks the reported figures against the detectors of core/train/guard (config group `guard`; NanGuard handles
/// non-finite gradients) and performs the configured action, with a note of step, value and limit. A guard that fires
/// repeatedly without ending the run is reported 8 times per segment, then at each doubling, and once in sum at the
/// end. Its state is LoopState::guards. All ranks see the same figures at the same step and decide alike.
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
  void report(TrainLoop& loop, const Firing& firing);
  void checkLimit(TrainLoop& loop, const StepResult& step, const char* guard, const LimitGuardConfig& config,
                  const std::string& figure, double value);

  const GuardConfig config_;
  const SpikeLimit spike_;
  const Plateau plateau_;
  const EarlyStop earlyStop_;
  // Firings of each guard in this segment; affects only the notes.
  struct Fired {
    std::int64_t times = 0, reported = 0, firstStep = 0, lastStep = 0;
  };
  std::map<std::string, Fired> fired_;
};

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
  bool alerted_ = false;  // of the steps since the last finite one
};

/// Rolls the run back to before `badStep`, or stops it with a checkpoint if guards have rolled it back
/// guard.roll_back_limit times.
void rollBackOrStop(TrainLoop& loop, const GuardConfig& config, const std::string& what, FailureCause cause,
                    std::int64_t badStep);

/// Returns whether a guard may roll back, which requires a checkpoint.
bool mayRollBack(const GuardConfig& config);

}  // namespace batchwise
