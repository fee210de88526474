// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>

#include "core/base/choice.h"
#include "core/base/mutex.h"

namespace batchwise {

/// Commands to a running run.
enum class RunCommand {
  None,
  Pause,               ///< pause between two steps
  Continue,            ///< end a pause
  StopUnneeded,        ///< after the current step: end as Stopped without a checkpoint, as no study needs the rest
  StopAfterBatch,      ///< after the current global batch: checkpoint, then end as Stopped
  StopWithCheckpoint,  ///< after the current step: checkpoint, then end as Stopped
  Abort,               ///< after the current step: end as Stopped without a checkpoint
  SaveCheckpoint,      ///< after the current step: checkpoint; a paused run makes one step first and pauses again
};
template <>
inline constexpr auto kChoiceNames<RunCommand> = namesInFiles("none", "pause", "continue", "stop_unneeded",
                                                              "stop_after_batch", "stop", "abort", "save_checkpoint");

/// Returns whether the command ends the run.
bool endsRun(RunCommand command);

/// Holds the pending command. A stronger command replaces a weaker one (Abort over Stop over the rest); a requested
/// checkpoint is kept beside it and returned after it. Thread-safe: any thread posts, the trainer takes at the step
/// boundary.
class CommandMailbox {
 public:
  void post(RunCommand command);
  /// Removes and returns the pending command; None if there is none.
  RunCommand take();
  /// Like take(), but waits up to `atMost` for a command. Used by a paused run.
  RunCommand waitFor(std::chrono::milliseconds atMost);
  /// Returns the pending command without removing it.
  RunCommand peek() const;
  /// Discards all requests, for the next run.
  void clear();
  /// Returns whether any stop was requested, also if already taken: further training is pointless.
  bool stopRequested() const;
  /// Returns whether an abort was requested, also if already taken: do not wait for storage.
  bool abortRequested() const;

 private:
  RunCommand next() const REQUIRES(mutex_);
  RunCommand takeNext() REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::condition_variable_any posted_;
  RunCommand waiting_ GUARDED_BY(mutex_) = RunCommand::None;
  bool saveRequested_ GUARDED_BY(mutex_) = false;
  bool stopRequested_ GUARDED_BY(mutex_) = false;
  bool abortRequested_ GUARDED_BY(mutex_) = false;
};

}  // namespace batchwise
