// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/thread_bridge.h"

#include <algorithm>
#include <utility>

namespace batchwise {

void RunBridge::publish(const RunEvent& event) {
  const MutexLock lock(mutex_);
  pending_.push_back(event);
  if (!std::exchange(wakeQueued_, true)) QMetaObject::invokeMethod(this, &RunBridge::deliver, Qt::QueuedConnection);
}

void RunBridge::deliver() {
  std::vector<RunEvent> events;
  {
    const MutexLock lock(mutex_);
    events.swap(pending_);
    wakeQueued_ = false;
  }
  if (!events.empty()) Q_EMIT arrived(events);
}

TaskQueue::TaskQueue(QObject* parent) : QObject(parent), thread_([this](const std::stop_token& stop) { run(stop); }) {}

TaskQueue::~TaskQueue() {
  thread_.request_stop();
  thread_.join();
}

bool TaskQueue::finish(std::chrono::milliseconds limit) {
  thread_.request_stop();
  return finished_.try_acquire_for(limit);
}

void TaskQueue::push(Task task) {
  const MutexLock lock(mutex_);
  tasks_.push_back(std::move(task));
  wake_.notify_one();
}

/// Waits for a task. Returns none once a stop was requested and no task is left that must run. Those that are dropped
/// stay, to be destroyed by the thread that destroys the queue.
std::optional<TaskQueue::Task> TaskQueue::next(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  wake_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !tasks_.empty(); });
  const auto chosen = stop.stop_requested() ? std::ranges::find(tasks_, AtEnd::Run, &Task::atEnd) : tasks_.begin();
  if (chosen == tasks_.end()) return std::nullopt;
  Task task = std::move(*chosen);
  tasks_.erase(chosen);
  return task;
}

void TaskQueue::run(const std::stop_token& stop) {
  while (auto task = next(stop)) task->work(stop);
  finished_.release();
}

}  // namespace batchwise
