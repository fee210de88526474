// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <string_view>

namespace batchwise {

/// What a guard does when it fires; named off, note, pause, stop, skip, roll_back in the configuration.
enum class GuardAction {
  Off,
  Note,      ///< reports it, as all of those below do
  Pause,     ///< pauses until the user continues
  Stop,      ///< ends the run, with a checkpoint
  Skip,      ///< skips the optimizer step
  RollBack,  ///< restores the last good checkpoint and skips the data since
};

/// Requires one of these names; any other gives Off.
GuardAction guardActionFromName(std::string_view name);

/// Upper limit of a metric for a step to be applied.
struct StepLimit {
  double limit = std::numeric_limits<double>::infinity();
  bool skips = false;  ///< the optimizer step is skipped above the limit

  bool exceededBy(double value) const { return value > limit; }
  bool operator==(const StepLimit&) const = default;
};

/// Limits for the next optimizer step. The same on all ranks.
struct StepLimits {
  StepLimit loss;  ///< nats per predicted token of the step
  StepLimit gradNorm;
  StepLimit attentionLogit;
  bool operator==(const StepLimits&) const = default;
};

}  // namespace batchwise
