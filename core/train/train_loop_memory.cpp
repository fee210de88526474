// SPDX-License-Identifier: GPL-3.0-or-later
#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <string>

#include "core/train/train_loop.h"

// What a run does when a device has no memory left.

namespace batchwise {
namespace {

// Blocks of sizes that will not come again, in the cache of a GPU; the processor has no such cache.
void releaseUnusedMemory(c10::Device device) {
  if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace

bool TrainLoop::clearDevice() {
  bool cleared = false;
  for (const auto& callback : around_.callbacks) cleared = callback->clearDevice(*this) || cleared;
  releaseUnusedMemory(around_.replica.model.device());
  return cleared;
}

// Where a checkpoint on its way to the host was all that was in the way, the step is done again as it is. All ranks
// have come to the same step, so that all do the same here.
Result<void> TrainLoop::makeRoom(Gradients ownGradients) {
  watch_.stand();
  const bool cleared = ownGradients == Gradients::Complete || clearDevice();
  std::array<double, 1> stuck = {cleared ? 0.0 : 1.0};
  if (Result<void> summed = around_.ranks.sumValues(stuck); !summed.ok()) return summed;
  if (stuck[0] > 0) {
    if (Result<void> shrunk = shrinkMicrobatch(); !shrunk.ok()) return shrunk;
    releaseUnusedMemory(around_.replica.model.device());
  } else {
    note(NoteLevel::Info, "out of memory beside a checkpoint that was on its way to the host: the step is done again");
  }
  restartStream();
  watch_.go();
  return {};
}

Result<void> TrainLoop::shrinkMicrobatch() {
  if (step_->mostSequences <= 1)
    return Error{
        ErrorCode::OutOfMemory,
        "a single sequence does not fit into the memory of the device; a smaller model or data.max_seq_len would",
        {}};
  const std::int64_t old = plan_.microbatchUnits();
  if (old > 1) {
    plan_ = plan_.withMicrobatch((old + 1) / 2);
    state_.microbatchUnits = plan_.microbatchUnits();
    note(NoteLevel::Warning, "out of memory: the micro-batch goes from " + std::to_string(old) + " to " +
                                 std::to_string(plan_.microbatchUnits()) + ", the global batch stays as it is");
  } else {
    state_.passesPerPack *= 2;
    note(NoteLevel::Warning, "out of memory: a pack is computed in " + std::to_string(state_.passesPerPack) +
                                 " passes, the global batch stays as it is");
  }
  return {};
}

}  // namespace batchwise
