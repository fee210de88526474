// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "core/base/mutex.h"
#include "core/config/events/run_event.h"
#include "core/store/records.h"

namespace batchwise {

/// Passes events to the listener and, once the run exists, to the store, one at a time, from the training and the
/// monitoring thread. Stores the newest checkpoint and clocks. Drops events after RunFinished. While the store takes no
/// events, the training thread waits; what the monitoring thread has to say then reaches the listener alone.
class RunSink final : public EventSink {
 public:
  explicit RunSink(EventSink& listener) : listener_(listener) {}

  void publish(const RunEvent& event) override;

  /// Passes the events of a sink to a recorder during its lifetime.
  class Recording {
   public:
    Recording(RunSink& sink, RunRecorder& recorder) : sink_(sink) { sink_.setRecorder(&recorder); }
    ~Recording() { sink_.setRecorder(nullptr); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    RunSink& sink_;
  };
  /// Sets a function called at every event of the training thread; call before that thread starts.
  void onEvent(std::function<void()> called) { onEvent_ = std::move(called); }
  /// Sets a function that writes the events of the training thread elsewhere; it may block as the store may. A note
  /// tells the first error that it returns.
  void alsoWrite(std::function<Result<void>(const RunEvent&)> write) { write_ = std::move(write); }
  /// Passes a note to the listener, not to the store; also after the end.
  void notifyListener(const RunNote& note);
  /// Publishes a note of the monitoring thread.
  void publishNote(NoteLevel level, const std::string& text, NoteKind kind = NoteKind::Other);
  /// Ends the run: passes `finished` to the store, calls `store` to ensure that it is written, then notifies the
  /// listener; as Failed if `store` failed. Returns the reported end, which may be an earlier one; that is stored
  /// instead if the store took no events then.
  RunFinished finishFromTraining(RunFinished finished, const std::function<Result<void>()>& store);
  /// Ends the run from the monitoring thread: notifies the listener and tries to store the end. Returns the reported
  /// end.
  RunFinished endFromMonitor(RunStatus status, const std::string& reason, FailureCause cause = FailureCause::Unknown);

  std::string lastCheckpoint() const;
  void setLastCheckpoint(std::string checkpoint);
  /// Returns the reported end, if any.
  std::optional<RunFinished> outcome() const;

 private:
  /// Returns whether the event was passed to the listener: the run has not ended.
  bool notify(const RunEvent& event) REQUIRES(mutex_);
  void setRecorder(RunRecorder* recorder);

  EventSink& listener_;
  std::function<void()> onEvent_;
  std::function<Result<void>(const RunEvent&)> write_;
  std::timed_mutex storeMutex_;      // locked before mutex_; held while the store takes an event, which may block
  RunRecorder* recorder_ = nullptr;  // guarded by storeMutex_
  bool endPublished_ = false;        // to the recorder; guarded by storeMutex_
  mutable Mutex mutex_;
  Timestamp at_ GUARDED_BY(mutex_);
  std::string lastCheckpoint_ GUARDED_BY(mutex_);
  std::optional<RunFinished> ended_ GUARDED_BY(mutex_);
};

}  // namespace batchwise
