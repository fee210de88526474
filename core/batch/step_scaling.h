// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/config/train_config.h"
#include "core/schedule/lr_scaling.h"

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

/// `lr_scaling`: computes the rate in use from the rate of the schedule. A value. Thread-safe.
class StepScaling {
 public:
  StepScaling() = default;  ///< none
  /// `reference` in samples or tokens, above 0. Fails with Config for unknown names.
  static Result<StepScaling> make(const LrScalingConfig& config, double reference, bool packs);

  /// Returns the size that determines the rate: the step's size, divided by the effect of each cause of a difference
  /// that applies_to does not name, as if the step were full in that respect. A step with half of its stage's units
  /// counts double if `last` is not named.
  double countedSize(const StepSizes& sizes) const;
  double rate(double scheduleRate, const StepSizes& sizes) const;
  bool active() const { return method_ != LrScalingMethod::None; }

 private:
  LrScalingMethod method_ = LrScalingMethod::None;
  double reference_ = 1.0;
  bool byTokens_ = false;
  bool packs_ = false;
  bool tokens_ = false;
  bool growth_ = false;
  bool rampup_ = false;
  bool last_ = false;
};

}  // namespace batchwise
