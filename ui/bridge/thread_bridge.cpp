// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/thread_bridge.h"

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

void TaskQueue::push(Task task) {
  const MutexLock lock(mutex_);
  tasks_.push_back(std::move(task));
  wake_.notify_one();
}

void TaskQueue::run(const std::stop_token& stop) {
  while (true) {
    Task task;
    {
      MutexLock lock(mutex_);
      if (!wake_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !tasks_.empty(); }) || stop.stop_requested())
        return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task(stop);
  }
}

}  // namespace batchwise
