// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/events/run_command.h"

namespace batchwise {
namespace {

/// Rank of a command: a stronger one replaces a weaker one; among equals the later one wins.
int strength(RunCommand command) {
  switch (command) {
    case RunCommand::None:
    case RunCommand::SaveCheckpoint: return 0;  // kept beside the others
    case RunCommand::Pause:
    case RunCommand::Continue: return 1;
    case RunCommand::StopUnneeded: return 2;
    case RunCommand::StopAfterBatch: return 3;
    case RunCommand::StopWithCheckpoint: return 4;
    case RunCommand::Abort: return 5;
  }
  return 0;
}

}  // namespace

bool endsRun(RunCommand command) {
  return strength(command) >= strength(RunCommand::StopUnneeded);
}

void CommandMailbox::post(RunCommand command) {
  const MutexLock lock(mutex_);
  if (command == RunCommand::SaveCheckpoint)
    saveRequested_ = true;
  else if (strength(command) >= strength(waiting_))
    waiting_ = command;
  stopRequested_ = stopRequested_ || endsRun(command);
  abortRequested_ = abortRequested_ || command == RunCommand::Abort;
  posted_.notify_all();
}

RunCommand CommandMailbox::next() const {
  return waiting_ == RunCommand::None && saveRequested_ ? RunCommand::SaveCheckpoint : waiting_;
}

RunCommand CommandMailbox::takeNext() {
  const RunCommand command = next();
  if (command == RunCommand::SaveCheckpoint)
    saveRequested_ = false;
  else
    waiting_ = RunCommand::None;
  return command;
}

RunCommand CommandMailbox::take() {
  const MutexLock lock(mutex_);
  return takeNext();
}

RunCommand CommandMailbox::waitFor(std::chrono::milliseconds atMost) {
  MutexLock lock(mutex_);
  posted_.wait_for(lock, atMost, [this]() REQUIRES(mutex_) { return next() != RunCommand::None; });
  return takeNext();
}

RunCommand CommandMailbox::peek() const {
  const MutexLock lock(mutex_);
  return next();
}

void CommandMailbox::clear() {
  const MutexLock lock(mutex_);
  waiting_ = RunCommand::None;
  saveRequested_ = false;
  stopRequested_ = false;
  abortRequested_ = false;
}

bool CommandMailbox::stopRequested() const {
  const MutexLock lock(mutex_);
  return stopRequested_;
}

bool CommandMailbox::abortRequested() const {
  const MutexLock lock(mutex_);
  return abortRequested_;
}

}  // namespace batchwise
