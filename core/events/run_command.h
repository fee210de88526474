// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <optional>
#include <string_view>

#include "core/base/mutex.h"

namespace batchwise {

/// What a person may ask of a running run.
enum class RunCommand {
  None,
  Pause,               ///< wait between two steps
  Continue,            ///< end a pause
  StopAfterBatch,      ///< after the running global batch: checkpoint, then end as Stopped
  StopWithCheckpoint,  ///< after the running step (part): checkpoint, then end as Stopped
  Abort,               ///< after the running step: end as Stopped without a checkpoint
  SaveCheckpoint,  ///< after the running step: checkpoint, go on; a paused run makes one step, saves and pauses again
};
std::string_view runCommandName(RunCommand command);
/// Nothing for a text that names no command.
std::optional<RunCommand> runCommandFromName(std::string_view name);

/// True if the run ends by it, sooner or later.
bool endsRun(RunCommand command);

/// The command that waits to be obeyed. A stronger one replaces a weaker one (Abort over Stop over the rest); the wish
/// for a checkpoint waits beside it and is taken after it. Written by any thread, taken by the trainer at the step
/// boundary.
class CommandMailbox {
 public:
  void post(RunCommand command);
  /// The waiting command, which is taken out. None if there is none.
  RunCommand take();
  /// As take(), but waits for a command, `atMost` that long: how a paused run spends its time.
  RunCommand waitFor(std::chrono::milliseconds atMost);
  /// The waiting command, which stays.
  RunCommand peek() const;
  /// Forgets all that was asked for: another run begins.
  void clear();
  /// A stop of any kind has been asked for, be it obeyed already: nothing more is worth training for.
  bool endWanted() const;
  /// An abort has been asked for, be it obeyed already: what cannot be stored is not worth waiting for any more.
  bool abortWanted() const;

 private:
  RunCommand next() const REQUIRES(mutex_);
  RunCommand takeNext() REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::condition_variable_any posted_;
  RunCommand waiting_ GUARDED_BY(mutex_) = RunCommand::None;
  bool saveAsked_ GUARDED_BY(mutex_) = false;
  bool endAsked_ GUARDED_BY(mutex_) = false;
  bool abortAsked_ GUARDED_BY(mutex_) = false;
};

}  // namespace batchwise
