// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/nan_guard.h"

#include <cmath>
#include <string>

#include "core/base/format.h"
#include "core/train/guards.h"
#include "core/train/train_loop.h"

namespace batchwise {

Result<void> NanGuard::afterStep(TrainLoop& loop, const StepResult& step) {
  if (step.finite()) return {};
  const std::string what = "the gradient of step " + std::to_string(step.after.step) + " is not finite (loss " +
                           formatValue(step.loss()) + ")";
  const std::int64_t row = loop.state().skippedInARow;
  const bool overflow = scalesLoss_ && std::isfinite(step.loss());
  loop.note(overflow ? NoteLevel::Info : NoteLevel::Warning,
            what + (overflow ? "; the step was skipped and the scale of the loss halved" : "; the step was skipped"));
  if (overflow && row < config_.nonFiniteLimit) return {};
  if (config_.nonFinite == "stop" && !overflow) {
    loop.stop({RunStatus::Failed, what + "; the weights are those before the step"}, StopKind::WithCheckpoint);
  } else if (row >= config_.nonFiniteLimit) {
    loop.stop({RunStatus::Failed, what + ", as in the " + std::to_string(row) + " steps up to it"},
              StopKind::WithCheckpoint);
  } else if (config_.nonFinite == "roll_back") {
    rollBackOrStop(loop, config_, what, step.after.step);
  } else if (config_.nonFinite == "pause") {
    loop.pause();
  }
  return {};
}

}  // namespace batchwise
