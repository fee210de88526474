// SPDX-License-Identifier: GPL-3.0-or-later
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/train/texts.h"
#include "core/train/train_loop.h"

// What happens between the steps of the training loop: commands, pauses, stops, lack of memory.

namespace batchwise {
namespace {

// Frees cached blocks of a GPU, whose sizes may not recur; the CPU has no such cache.
void releaseUnusedMemory(c10::Device device) {
  if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace

Result<void> TrainLoop::executeCommand(const StepConsensus& consensus) {
  if (isRollingBack()) requeueCommand(consensus.command);
  if (runFinished() || isRollingBack()) return {};  // there is nothing left to stop
  switch (consensus.command) {
    case RunCommand::StopWithCheckpoint:
      stop({RunStatus::Stopped, "stopped by the user"}, StopKind::WithCheckpoint);
      return {};
    case RunCommand::StopAfterBatch: stopAfterBatch_ = true; return {};
    case RunCommand::Abort:
      stop({RunStatus::Stopped, "stopped by the user, without a checkpoint"}, StopKind::WithoutCheckpoint);
      return {};
    case RunCommand::SaveCheckpoint:
      RETURN_IF_ERROR(flushReadback());
      RETURN_IF_ERROR(saveNow(kRequestedCheckpoint));
      break;
    case RunCommand::Pause: pauseRequested_ = true; break;
    case RunCommand::None:
    case RunCommand::Continue: break;
  }
  if (consensus.timeIsUp) stop({RunStatus::Stopped, "the time limit is near"}, StopKind::WithCheckpoint);
  return {};
}

// The next segment, or the next stage, executes it.
void TrainLoop::requeueCommand(RunCommand command) {
  if (command != RunCommand::None && deps_.commands != nullptr && deps_.ranks.rank() == 0)
    deps_.commands->post(command);
}

// Seconds of the step, without the time in which the whole process was stopped.
double TrainLoop::trainedSec() {
  const double seconds = stopwatch_.lap();
  const double stalled = deps_.monitor != nullptr ? deps_.monitor->stalledInStepsSec() : 0.0;
  return seconds - std::min(seconds, stalled - std::exchange(stallSeenSec_, stalled));
}

bool TrainLoop::timeIsUp() {
  if (deps_.timeReserve == nullptr) return false;
  const double now = deps_.clock.monotonicSec();
  const double stalled = deps_.monitor != nullptr ? deps_.monitor->stalledSec() : 0.0;
  if (lastPoll_)
    deps_.timeReserve->recordPollGap(std::max(0.0, now - lastPoll_->sec - (stalled - lastPoll_->stalledSec)));
  lastPoll_ = {now, stalled};
  return deps_.timeReserve->mustStop(now);
}

Result<void> TrainLoop::saveNow(const std::string& reason) {
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->saveNow(*this, reason));
  return {};
}

void TrainLoop::stop(const LoopEnd& end, StopKind kind) {
  if (end_) return;
  end_ = end;
  endKind_ = kind;
}

void TrainLoop::rollBack(const std::string& reason, FailureCause cause, std::int64_t badStep) {
  stop({RunStatus::Failed, reason, cause, badStep}, StopKind::WithoutCheckpoint);
}

Result<void> TrainLoop::notifyEvaluation(const EvalResult& result) {
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->afterEvaluation(*this, result));
  return {};
}

void TrainLoop::pauseIfRequested() {
  const bool byGuard = std::exchange(pauseRequested_, false);
  if (deps_.commands == nullptr) return;
  const bool byPerson = deps_.commands->peek() == RunCommand::Pause;
  if (!byGuard && !byPerson) return;
  stopwatch_.stop();
  suspend();
  publish(RunNote{NoteLevel::Info, "paused", state_.now, true});
  // A pending command competes with new ones; the mailbox keeps the strongest.
  if (pausedCommand_ != RunCommand::None) deps_.commands->post(std::exchange(pausedCommand_, RunCommand::None));
  RunCommand command = byPerson ? deps_.commands->take() : RunCommand::Pause;
  while (command == RunCommand::Pause || command == RunCommand::None) {
    command = deps_.commands->waitFor(kPollInterval);
    for (const auto& callback : deps_.callbacks) callback->whilePaused(*this);
    if (command == RunCommand::None && timeIsUp()) command = RunCommand::Continue;  // the next step stops the run
  }
  if (command != RunCommand::Continue) pausedCommand_ = command;
  pauseRequested_ = command == RunCommand::SaveCheckpoint;
  publish(RunNote{NoteLevel::Info, "training resumed", state_.now, false});
  lastPoll_.reset();
  stopwatch_.start();
}

// Waits while events cannot be stored or published: a full disk delays the run, it does not end it.
void TrainLoop::waitForStorage() {
  if (!deps_.blockedReason) return;
  const std::string reason = deps_.blockedReason();
  const auto stopRequested = [this] { return deps_.commands != nullptr && deps_.commands->stopRequested(); };
  if (reason.empty() || stopRequested()) return;
  stopwatch_.stop();
  suspend();
  note(NoteLevel::Error, formatText("training waits and resumes by itself: {}", reason), NoteKind::Waiting);
  while (!deps_.blockedReason().empty() && !stopRequested() && !timeIsUp()) std::this_thread::sleep_for(kPollInterval);
  lastPoll_.reset();
  if (deps_.blockedReason().empty()) note(NoteLevel::Info, "training resumes", NoteKind::Resumed);
  stopwatch_.start();
}

void TrainLoop::suspend() {
  lastPoll_.reset();  // the time until now is no step interval
  if (deps_.monitor != nullptr) deps_.monitor->suspend();
}

void TrainLoop::enter(RunSection section) {
  deps_.ranks.enter(runSectionText(section));
  if (deps_.monitor != nullptr) deps_.monitor->enter(section);
}

void TrainLoop::note(NoteLevel level, const std::string& text, NoteKind kind, std::optional<double> value,
                     std::optional<double> reference) {
  publish(RunNote{level, text, state_.now, {}, kind, value, reference});
}

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
    note(NoteLevel::Info, "out of memory while a checkpoint was being copied to the host: the step is repeated");
  }
  restartStream();
  stopwatch_.start();
  return {};
}

Result<void> TrainLoop::shrinkMicrobatch() {
  if (step_->mostSequences <= 1) return Error{ErrorCode::OutOfMemory, kSequenceExceedsDeviceMemory, {}};
  const std::int64_t old = plan_.microbatchUnits();
  if (old > 1) {
    plan_ = plan_.withMicrobatch((old + 1) / 2);
    state_.microbatchUnits = plan_.microbatchUnits();
    note(NoteLevel::Warning,
         formatText("out of memory: the micro-batch goes from {} to {}, the global batch does not change", old,
                    plan_.microbatchUnits()));
  } else {
    state_.passesPerPack *= 2;
    note(NoteLevel::Warning,
         formatText("out of memory: a pack is computed in {} passes, the global batch does not change",
                    state_.passesPerPack));
  }
  return {};
}

}  // namespace batchwise
