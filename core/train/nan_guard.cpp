// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/nan_guard.h"

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
  loop.note(NoteLevel::Warning, what + "; the step was skipped");
  if (config_.nonFinite == "stop") {
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
