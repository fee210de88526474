// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "core/base/mutex.h"
#include "core/events/run_event.h"
#include "core/store/run_recorder.h"

namespace batchwise {

/// Hands events to whoever listens and, once the run exists, to the store; one at a time, from the thread that trains
/// and from the one that watches it. Remembers the newest checkpoint and the newest clocks. After a RunFinished it
/// passes nothing on.
class RunSink final : public EventSink {
 public:
  explicit RunSink(EventSink& listener) : listener_(listener) {}

  void publish(const RunEvent& event) override;

  /// While it lives, what a sink is given goes to a recorder too.
  class Recording {
   public:
    Recording(RunSink& sink, RunRecorder& recorder) : sink_(sink) { sink_.writeTo(&recorder); }
    ~Recording() { sink_.writeTo(nullptr); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    RunSink& sink_;
  };
  /// Called at every event of the thread that trains; set before that thread begins.
  void onEvent(std::function<void()> told) { told_ = std::move(told); }
  /// To whoever listens, not to the store; also after the end.
  void tellListener(const RunNote& note);
  /// A note from the thread that watches.
  void remark(NoteLevel level, const std::string& text);
  /// Ends the run: `finished` goes to the store, `store` sees to it that it is there, then whoever listens hears of it;
  /// as a failure if `store` failed. The end that was told, which may be an earlier one.
  RunFinished finish(RunFinished finished, const std::function<Result<void>()>& store);
  /// Ends the run from the thread that watches: tells it, and tries to have it in the store. What it told.
  RunFinished end(RunStatus status, const std::string& reason);

  std::string lastCheckpoint() const;
  void setLastCheckpoint(std::string checkpoint);
  /// The end that was told, if one was.
  std::optional<RunFinished> ended() const;

 private:
  void pass(const RunEvent& event) REQUIRES(mutex_);
  void writeTo(RunRecorder* recorder);

  EventSink& listener_;
  std::function<void()> told_;
  mutable Mutex mutex_;
  RunRecorder* recorder_ GUARDED_BY(mutex_) = nullptr;
  Timestamp at_ GUARDED_BY(mutex_);
  std::string lastCheckpoint_ GUARDED_BY(mutex_);
  std::optional<RunFinished> ended_ GUARDED_BY(mutex_);
};

}  // namespace batchwise
