// SPDX-License-Identifier: GPL-3.0-or-later
#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <string>

#include "core/base/return_if_error.h"
#include "core/train/messages.h"
#include "core/train/train_loop.h"

// What the training loop does when a device is out of memory

namespace batchwise {
namespace {

// Frees cached blocks of a GPU, whose sizes may not recur; the CPU has no such cache.
void releaseUnusedMemory(c10::Device device) {
  if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace

bool TrainLoop::freeDeviceMemory() {
  bool cleared = false;
  for (const auto& callback : deps_.callbacks) cleared = callback->freeDeviceMemory(*this) || cleared;
  releaseUnusedMemory(deps_.replica.model.device());
  return cleared;
}

// Repeats the step unchanged if only a checkpoint copy was in the way, else with a smaller micro-batch. All ranks are
// at the same step and decide alike.
Result<void> TrainLoop::handleOutOfMemory(Gradients ownGradients) {
  stopwatch_.stop();
  const bool cleared = ownGradients == Gradients::Complete || freeDeviceMemory();
  std::array<double, 1> stuck = {cleared ? 0.0 : 1.0};
  RETURN_IF_ERROR(deps_.ranks.allReduceValues(stuck));
  if (stuck[0] > 0) {
    RETURN_IF_ERROR(shrinkMicrobatch());
    releaseUnusedMemory(deps_.replica.model.device());
  } else {
    note(NoteLevel::Info, messages::stepRepeatedOutOfMemory());
  }
  restartStream();
  stopwatch_.start();
  return {};
}

Result<void> TrainLoop::shrinkMicrobatch() {
  if (step_->mostSequences <= 1) return Error{ErrorCode::OutOfMemory, messages::sequenceExceedsDeviceMemory(), {}};
  const std::int64_t old = plan_.microbatchUnits();
  if (old > 1) {
    plan_ = plan_.withMicrobatch((old + 1) / 2);
    state_.microbatchUnits = plan_.microbatchUnits();
    note(NoteLevel::Warning, messages::microbatchReducedOutOfMemory(old, plan_.microbatchUnits()));
  } else {
    state_.passesPerPack *= 2;
    note(NoteLevel::Warning, messages::packSplitOutOfMemory(state_.passesPerPack));
  }
  return {};
}

}  // namespace batchwise
