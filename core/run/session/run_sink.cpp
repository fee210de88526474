// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_sink.h"

#include <chrono>
#include <utility>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kStoreTimeout{2};  // that the monitoring thread waits for a store that takes no events

}  // namespace

void RunSink::publish(const RunEvent& event) {
  if (onEvent_) onEvent_();
  const std::scoped_lock storing(storeMutex_);
  {
    const MutexLock lock(mutex_);
    if (!notify(event)) return;
  }
  if (recorder_ != nullptr) recorder_->publish(event);
  if (!write_) return;
  if (const auto written = write_(event); !written.ok())
    notifyListener(
        {NoteLevel::Warning, formatText("no more is logged for TensorBoard: {}", written.error().text()), {}});
}

bool RunSink::notify(const RunEvent& event) {
  if (ended_) return false;
  if (const auto* saved = std::get_if<CheckpointSaved>(&event)) lastCheckpoint_ = saved->id;
  if (const auto* row = std::get_if<MetricsRow>(&event)) at_ = row->at;
  if (const auto* started = std::get_if<RunStarted>(&event)) at_ = started->from;
  if (const auto* finished = std::get_if<RunFinished>(&event)) ended_ = *finished;
  listener_.publish(event);
  return true;
}

void RunSink::setRecorder(RunRecorder* recorder) {
  const std::scoped_lock storing(storeMutex_);
  recorder_ = recorder;
}

void RunSink::publishNote(NoteLevel level, const std::string& text, NoteKind kind) {
  const std::unique_lock storing(storeMutex_, kStoreTimeout);
  RunNote note{level, text, {}, {}, kind};
  {
    const MutexLock lock(mutex_);
    note.at = at_;
    if (!notify(note)) return;
  }
  if (storing && recorder_ != nullptr) recorder_->publish(note);
}

RunFinished RunSink::finishFromTraining(RunFinished finished, const std::function<Result<void>()>& store) {
  bool endedBefore = false;
  RunFinished end;
  {
    const std::scoped_lock storing(storeMutex_);
    {
      const MutexLock lock(mutex_);
      endedBefore = ended_.has_value();
      if (!endedBefore) ended_ = finished;
      end = *ended_;
    }
    if (recorder_ != nullptr && !std::exchange(endPublished_, true)) recorder_->publish(end);
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

RunFinished RunSink::endFromMonitor(RunStatus status, const std::string& reason, FailureCause cause) {
  const std::unique_lock storing(storeMutex_, kStoreTimeout);
  RunFinished finished{status, reason, {}, {}, cause};
  {
    const MutexLock lock(mutex_);
    if (ended_) return *ended_;
    finished.at = at_;
    finished.lastCheckpoint = lastCheckpoint_;
    notify(finished);
  }
  if (storing && recorder_ == nullptr) return finished;
  Result<void> stored = Error{ErrorCode::Busy, "it takes no events", {}};
  if (storing) {
    endPublished_ = true;
    recorder_->publish(finished);
    stored = recorder_->flush();
  }
  if (!stored.ok())
    notifyListener({NoteLevel::Error, formatText("the end of the run is not in the store: {}", stored.error().text()),
                    finished.at});
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

std::optional<RunFinished> RunSink::outcome() const {
  const MutexLock lock(mutex_);
  return ended_;
}

}  // namespace batchwise
