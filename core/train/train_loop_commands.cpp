// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/events/waiting.h"
#include "core/train/train_loop.h"

// What a run obeys, and what it tells: the part of the loop that does not compute.

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

}  // namespace

Result<void> TrainLoop::obey(const StepWord& word) {
  if (rollsBack()) handBack(word.command);
  if (planFinished() || rollsBack()) return {};  // there is nothing left to stop
  switch (word.command) {
    case RunCommand::StopWithCheckpoint:
      stop({RunStatus::Stopped, "stopped by the user"}, StopKind::WithCheckpoint);
      return {};
    case RunCommand::StopAfterBatch: stopAfterBatch_ = true; return {};
    case RunCommand::Abort:
      stop({RunStatus::Stopped, "stopped by the user, without a checkpoint"}, StopKind::WithoutCheckpoint);
      return {};
    case RunCommand::SaveCheckpoint:
      if (Result<void> settled = settle(); !settled.ok()) return settled;
      if (Result<void> saved = saveNow("asked for"); !saved.ok()) return saved;
      break;
    case RunCommand::Pause: pauseWanted_ = true; break;
    case RunCommand::None:
    case RunCommand::Continue: break;
  }
  if (word.timeIsUp) stop({RunStatus::Stopped, "the time limit is near"}, StopKind::WithCheckpoint);
  return {};
}

// The segment that follows obeys it.
void TrainLoop::handBack(RunCommand command) {
  if (command != RunCommand::None && around_.commands != nullptr && around_.ranks.rank() == 0)
    around_.commands->post(command);
}

// Of the step: without the time in which the whole process was stopped.
double TrainLoop::trainedSec() {
  const double seconds = watch_.lap();
  return seconds - std::min(seconds, standstillSince(seenByStepSec_));
}

double TrainLoop::standstillSince(double& seenSec) {
  if (around_.monitor == nullptr) return 0;
  const double all = around_.monitor->stoodStillInStepsSec();
  return all - std::exchange(seenSec, all);
}

bool TrainLoop::timeIsUp() {
  if (around_.timeReserve == nullptr) return false;
  const double now = around_.clock.monotonicSec();
  const double stood = standstillSince(seenByReserveSec_);
  if (lookedSec_) around_.timeReserve->tookBetweenLooks(std::max(0.0, now - *lookedSec_ - stood));
  lookedSec_ = now;
  return around_.timeReserve->mustStop(now);
}

Result<void> TrainLoop::saveNow(const std::string& reason) {
  for (const auto& callback : around_.callbacks)
    if (Result<void> saved = callback->saveNow(*this, reason); !saved.ok()) return saved;
  return {};
}

void TrainLoop::stop(const LoopEnd& end, StopKind kind) {
  if (end_) return;
  end_ = end;
  endKind_ = kind;
}

void TrainLoop::rollBack(const std::string& reason, std::int64_t badStep) {
  stop({RunStatus::Failed, reason, badStep}, StopKind::WithoutCheckpoint);
}

Result<void> TrainLoop::tellEvaluation(const EvalResult& result) {
  for (const auto& callback : around_.callbacks)
    if (Result<void> done = callback->afterEvaluation(*this, result); !done.ok()) return done;
  return {};
}

void TrainLoop::pauseIfAsked() {
  const bool byGuard = std::exchange(pauseWanted_, false);
  if (around_.commands == nullptr) return;
  const bool byPerson = around_.commands->peek() == RunCommand::Pause;
  if (!byGuard && !byPerson) return;
  watch_.stand();
  rest();
  publish(RunNote{NoteLevel::Info, "paused", state_.now, true});
  // What is still to be obeyed counts beside what is asked for now, by its strength.
  if (pausedCommand_ != RunCommand::None) around_.commands->post(std::exchange(pausedCommand_, RunCommand::None));
  RunCommand command = byPerson ? around_.commands->take() : RunCommand::Pause;
  while (command == RunCommand::Pause || command == RunCommand::None) {
    command = around_.commands->waitFor(kBetweenLooks);
    for (const auto& callback : around_.callbacks) callback->whilePaused(*this);
    if (command == RunCommand::None && timeIsUp()) command = RunCommand::Continue;  // the step stops the run
  }
  if (command != RunCommand::Continue) pausedCommand_ = command;
  pauseWanted_ = command == RunCommand::SaveCheckpoint;
  publish(RunNote{NoteLevel::Info, "going on", state_.now, false});
  lookedSec_.reset();
  watch_.go();
}

// Nothing is trained that could not be kept or told: a full disk holds the run up, it does not end it.
void TrainLoop::restIfNeeded() {
  if (!around_.mustRest) return;
  const std::string reason = around_.mustRest();
  const auto wantsEnd = [this] { return around_.commands != nullptr && around_.commands->endWanted(); };
  if (reason.empty() || wantsEnd()) return;
  watch_.stand();
  rest();
  note(NoteLevel::Error, std::string(kTrainingWaits) + reason);
  while (!around_.mustRest().empty() && !wantsEnd() && !timeIsUp()) std::this_thread::sleep_for(kBetweenLooks);
  lookedSec_.reset();
  if (around_.mustRest().empty()) note(NoteLevel::Info, std::string(kGoesOnAgain));
  watch_.go();
}

void TrainLoop::rest() {
  lookedSec_.reset();  // no step takes as long
  if (around_.monitor != nullptr) around_.monitor->rest();
}

void TrainLoop::enter(RunSection section) {
  around_.ranks.enter(runSectionName(section));
  if (around_.monitor != nullptr) around_.monitor->enter(section);
}

void TrainLoop::note(NoteLevel level, const std::string& text) {
  publish(RunNote{level, text, state_.now});
}

}  // namespace batchwise
