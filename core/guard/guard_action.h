// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <string_view>

namespace batchwise {

/// What a guard does when it fires; the names in the configuration are off, note, pause, stop, skip, roll_back.
enum class GuardAction {
  Off,
  Note,      ///< says so, as all of those below do
  Pause,     ///< waits for a person
  Stop,      ///< ends the run, with a checkpoint
  Skip,      ///< the optimiser passes over the step
  RollBack,  ///< to the last good checkpoint, and on behind the data since
};

/// Requires one of the names; any other is Off.
GuardAction guardActionFromName(std::string_view name);

/// The largest value of a figure that lets a step pass.
struct StepLimit {
  double limit = std::numeric_limits<double>::infinity();
  bool skips = false;  ///< the optimiser does nothing where the figure is above the limit

  bool exceededBy(double value) const { return value > limit; }
  bool operator==(const StepLimit&) const = default;
};

/// What the optimiser step that is about to be made is held to. The same on all ranks.
struct StepLimits {
  StepLimit loss;  ///< nats per predicted token of the step
  StepLimit gradNorm;
  StepLimit attentionLogit;
  bool operator==(const StepLimits&) const = default;
};

}  // namespace batchwise
