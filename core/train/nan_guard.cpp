// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/nan_guard.h"

#include <cmath>
#include <string>

#include "core/base/format.h"
#include "core/train/guards.h"
#include "core/train/messages.h"
#include "core/train/train_loop.h"

namespace batchwise {

Result<void> NanGuard::afterStep(TrainLoop& loop, const StepResult& step) {
  if (step.finite()) return {};
  const Message what = messages::gradientNotFinite(step.after.step, step.loss());
  const std::int64_t row = loop.state().skippedInARow;
  const bool overflow = scalesLoss_ && std::isfinite(step.loss());
  loop.note(overflow ? NoteLevel::Info : NoteLevel::Warning,
            overflow ? messages::stepSkippedScaleHalved(what) : messages::stepSkipped(what));
  if (overflow && row < config_.nonFiniteLimit) return {};
  if (config_.nonFinite == "stop" && !overflow) {
    loop.stop({RunStatus::Failed, messages::weightsPrecedeFailedStep(what)}, StopKind::WithCheckpoint);
  } else if (row >= config_.nonFiniteLimit) {
    loop.stop({RunStatus::Failed, messages::gradientRepeatedlyNotFinite(what, row)}, StopKind::WithCheckpoint);
  } else if (config_.nonFinite == "roll_back") {
    rollBackOrStop(loop, config_, what, step.after.step);
  } else if (config_.nonFinite == "pause") {
    loop.pause();
  }
  return {};
}

}  // namespace batchwise
