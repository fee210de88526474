// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/events/run_command.h"

#include <array>
#include <utility>

namespace batchwise {
namespace {

constexpr std::array<std::pair<RunCommand, std::string_view>, 7> kCommandNames = {{
    {RunCommand::None, "none"},
    {RunCommand::Pause, "pause"},
    {RunCommand::Continue, "continue"},
    {RunCommand::StopAfterBatch, "stop_after_batch"},
    {RunCommand::StopWithCheckpoint, "stop"},
    {RunCommand::Abort, "abort"},
    {RunCommand::SaveCheckpoint, "save_checkpoint"},
}};

/// Rank of a command: a stronger one replaces a weaker one; among equals the later one wins.
int strength(RunCommand command) {
  switch (command) {
    case RunCommand::None:
    case RunCommand::SaveCheckpoint: return 0;  // kept beside the others
    case RunCommand::Pause:
    case RunCommand::Continue: return 1;
    case RunCommand::StopAfterBatch: return 2;
    case RunCommand::StopWithCheckpoint: return 3;
    case RunCommand::Abort: return 4;
  }
  return 0;
}

}  // namespace

std::string_view runCommandName(RunCommand command) {
  for (const auto& [candidate, name] : kCommandNames)
    if (candidate == command) return name;
  return "none";
}

std::optional<RunCommand> runCommandFromName(std::string_view name) {
  for (const auto& [command, candidate] : kCommandNames)
    if (candidate == name) return command;
  return std::nullopt;
}

bool endsRun(RunCommand command) {
  return command == RunCommand::StopAfterBatch || command == RunCommand::StopWithCheckpoint ||
         command == RunCommand::Abort;
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
