// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace batchwise {

/// One thread for what could make the window wait: the store, files, plans. Work runs in the order in which it was
/// posted. Destruction waits for the work under way and drops the rest.
class TaskQueue final : public QObject {
  Q_OBJECT

 public:
  explicit TaskQueue(QObject* parent = nullptr);
  ~TaskQueue() override;

  /// Runs `work()` in the queue's thread, then `done(its result)` in this object's thread, unless `context` is gone by
  /// then. `work` must touch nothing that belongs to the window. Call from this object's thread.
  template <typename Work, typename Done>
  void post(QObject* context, Work work, Done done) {
    push([this, alive = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() mutable {
      auto result = std::make_shared<decltype(work())>(work());
      QMetaObject::invokeMethod(this, [alive = std::move(alive), done = std::move(done), result]() mutable {
        if (alive) done(std::move(*result));
      });
    });
  }

 private:
  void push(std::function<void()> task);
  void run(const std::stop_token& stop);

  std::mutex mutex_;  // guards tasks_
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> tasks_;
  std::jthread thread_;
};

}  // namespace batchwise
