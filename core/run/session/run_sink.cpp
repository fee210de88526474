// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_sink.h"

#include <utility>

#include "core/base/format.h"
#include "core/base/texts.h"
#include "core/run/failure_cause.h"

namespace batchwise {

void RunSink::publish(const RunEvent& event) {
  if (onEvent_) onEvent_();
  const MutexLock lock(mutex_);
  forward(event);
}

void RunSink::forward(const RunEvent& event) {
  if (ended_) return;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) lastCheckpoint_ = saved->id;
  if (const auto* row = std::get_if<MetricsRow>(&event)) at_ = row->at;
  if (const auto* started = std::get_if<RunStarted>(&event)) at_ = started->from;
  if (const auto* finished = std::get_if<RunFinished>(&event)) ended_ = *finished;
  if (recorder_ != nullptr) recorder_->publish(event);
  listener_.publish(event);
}

void RunSink::setRecorder(RunRecorder* recorder) {
  const MutexLock lock(mutex_);
  recorder_ = recorder;
}

void RunSink::publishNote(NoteLevel level, const std::string& text, NoteKind kind) {
  const MutexLock lock(mutex_);
  forward(RunNote{level, text, at_, {}, kind});
}

RunFinished RunSink::finish(RunFinished finished, const std::function<Result<void>()>& store) {
  bool endedBefore = false;
  {
    const MutexLock lock(mutex_);
    endedBefore = ended_.has_value();
    if (!endedBefore) ended_ = finished;
    if (!endedBefore && recorder_ != nullptr) recorder_->publish(finished);
  }
  const Result<void> stored = store();
  const MutexLock lock(mutex_);
  if (endedBefore) {
    if (!stored.ok()) listener_.publish(RunNote{NoteLevel::Error, stored.error().text(), ended_->at});
    return *ended_;
  }
  if (!stored.ok()) {
    finished.status = RunStatus::Failed;
    finished.reason = followedByText(finished.reason, stored.error().text());
    ended_ = finished;
  }
  listener_.publish(finished);
  return finished;
}

RunFinished RunSink::end(RunStatus status, const std::string& reason, FailureCause cause) {
  const MutexLock lock(mutex_);
  if (ended_) return *ended_;
  const RunFinished finished{status, reason, at_, lastCheckpoint_, cause};
  forward(finished);
  if (recorder_ == nullptr) return finished;
  if (Result<void> flushed = recorder_->flush(); !flushed.ok())
    listener_.publish(RunNote{NoteLevel::Error,
                              formatText("the end of the run is not in the store: {}", flushed.error().text()), at_});
  return finished;
}

void RunSink::notifyListener(const RunNote& note) {
  const MutexLock lock(mutex_);
  listener_.publish(note);
}

std::string RunSink::lastCheckpoint() const {
  const MutexLock lock(mutex_);
  return lastCheckpoint_;
}

void RunSink::setLastCheckpoint(std::string checkpoint) {
  const MutexLock lock(mutex_);
  lastCheckpoint_ = std::move(checkpoint);
}

std::optional<RunFinished> RunSink::ended() const {
  const MutexLock lock(mutex_);
  return ended_;
}

}  // namespace batchwise
