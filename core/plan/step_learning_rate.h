// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/config/time/time.h"
#include "core/config/train_config.h"
#include "core/plan/schedule/curves.h"
#include "core/plan/schedule/schedule.h"

namespace batchwise {

/// Sizes that can scale a step's rate.
struct StepSizes {
  std::int64_t units = 0;  ///< of the step: samples, or packs
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t plannedUnits = 0;  ///< of a full step of its stage, before the data or the run ended
  std::int64_t fullUnits = 0;     ///< of a global batch now, after growth
  std::int64_t baseUnits = 0;     ///< of a global batch at the start: G
};

/// The learning rate of every optimizer step; nothing else computes one:
///   rate = optimizer.lr x factor x scale
/// factor: the schedule's value at the start of the step's global batch, so that all its steps share it.
/// scale: 1 without `lr_scaling`; else size / reference (Goyal et al. 2017), its square root (Krizhevsky 2014) or
/// another power, see scaledRate() in core/plan/schedule. size: the step's samples or tokens, divided by the effect of
/// each cause of a difference that lr_scaling.applies_to does not name, as if the step were full in that respect: a
/// step with half of its stage's units counts double if `last` is not named. A value. Thread-safe.
class StepLearningRate {
 public:
  /// `schedule`: resolved. `reference`: lr_scaling.reference_batch_size, in samples or tokens, above 0. Fails like
  /// Schedule::make.
  static Result<StepLearningRate> make(const TrainConfig& config, const SchedulerConfig& schedule,
                                       const ScheduleScale& scale, double reference);

  /// The schedule is that of a run of which the clocks passed to factor() begin at `start`.
  void countFrom(const Timestamp& start) { start_ = start; }
  /// From `end` on, the factor keeps the value that it has at `clocks`: a run that was extended.
  void holdFrom(const Time& end, const Timestamp& clocks);

  /// Returns the schedule's factor for a global batch that starts at `at`; NaN if an expression has no value there.
  double factor(const Timestamp& at) const;
  /// Returns whether an expression gives the factor, which may then be invalid at some positions.
  bool usesExpression() const { return usesExpression_; }
  /// Returns the rate of a step of the global batch with this factor.
  double rate(double factor, const StepSizes& sizes) const;
  /// Returns the factor of the rate that follows from the sizes.
  double scale(const StepSizes& sizes) const;

 private:
  explicit StepLearningRate(Schedule schedule) : schedule_(std::move(schedule)) {}
  double countedSize(const StepSizes& sizes) const;

  struct Hold {
    Time end;
    Timestamp clocks;
  };

  Schedule schedule_;
  std::optional<Hold> hold_;
  Timestamp start_;
  bool usesExpression_ = false;
  double baseRate_ = 0.0;
  LrScalingConfig scaling_;
  double reference_ = 1.0;
  bool packs_ = false;
};

}  // namespace batchwise
