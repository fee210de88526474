// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/config/train_config.h"
#include "core/schedule/lr_scaling.h"

namespace batchwise {

/// The sizes that a step's rate may follow.
struct StepSizes {
  std::int64_t units = 0;  ///< what the step has: samples, or packs
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t plannedUnits = 0;  ///< of a step of its stage, before the data or the run ended
  std::int64_t fullUnits = 0;     ///< of a global batch now, after growth
  std::int64_t baseUnits = 0;     ///< of a global batch at the start: G
};

/// `lr_scaling`: the rate in use from the rate of the schedule. A value; any thread.
class StepScaling {
 public:
  StepScaling() = default;  ///< none
  /// `reference` in samples or tokens, above 0. Fails with Config for words that are not known.
  static Result<StepScaling> make(const LrScalingConfig& config, double reference, bool packs);

  /// The size that counts: what the step has, with each cause of a difference that applies_to does not name taken out,
  /// as if the step were full in this respect. A cause scales what the step has: half of a stage's units, with `last`
  /// not named, counts double.
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
