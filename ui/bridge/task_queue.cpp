// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/task_queue.h"

namespace batchwise {

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
