// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/events/run_command.h"

#include <utility>

namespace batchwise {
namespace {

/// A stronger command replaces a weaker one; among equals the later one counts.
int strength(RunCommand command) {
  switch (command) {
    case RunCommand::None: return 0;
    case RunCommand::SaveCheckpoint:
    case RunCommand::Pause:
    case RunCommand::Continue: return 1;
    case RunCommand::StopWithCheckpoint: return 2;
    case RunCommand::Abort: return 3;
  }
  return 0;
}

}  // namespace

std::string_view runCommandName(RunCommand command) {
  switch (command) {
    case RunCommand::None: return "none";
    case RunCommand::Pause: return "pause";
    case RunCommand::Continue: return "continue";
    case RunCommand::StopWithCheckpoint: return "stop";
    case RunCommand::Abort: return "abort";
    case RunCommand::SaveCheckpoint: return "save_checkpoint";
  }
  return "none";
}

void CommandMailbox::post(RunCommand command) {
  const std::scoped_lock lock(mutex_);
  if (strength(command) >= strength(waiting_)) waiting_ = command;
  if (command == RunCommand::Abort) aborted_ = true;
  posted_.notify_all();
}

RunCommand CommandMailbox::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(waiting_, RunCommand::None);
}

RunCommand CommandMailbox::wait() {
  std::unique_lock lock(mutex_);
  posted_.wait(lock, [this] { return waiting_ != RunCommand::None; });
  return std::exchange(waiting_, RunCommand::None);
}

RunCommand CommandMailbox::peek() const {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

bool CommandMailbox::endWanted() const {
  const std::scoped_lock lock(mutex_);
  return aborted_ || waiting_ == RunCommand::StopWithCheckpoint || waiting_ == RunCommand::Abort;
}

}  // namespace batchwise
