// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/base/mutex.h"

namespace batchwise {

/// One thread for what could make the window wait: the store, files, plans. Work runs in the order in which it was
/// posted. Destruction asks the work under way to stop, waits for it, and drops the rest.
class TaskQueue final : public QObject {
  Q_OBJECT

 public:
  explicit TaskQueue(QObject* parent = nullptr);
  ~TaskQueue() override;

  /// Runs `work()` in the queue's thread, then `done(its result)` in this object's thread, unless `context` is gone by
  /// then. `work` must touch nothing that belongs to the window; what may take longer than a moment takes the stop
  /// token of the queue as its argument and heeds it. Call from this object's thread.
  template <typename Work, typename Done>
  void post(QObject* context, Work work, Done done) {
    auto run = [work = std::move(work)](const std::stop_token& stop) mutable {
      if constexpr (std::is_invocable_v<Work&, std::stop_token>)
        return work(stop);
      else
        return work();
    };
    push([this, alive = QPointer<QObject>(context), run = std::move(run),
          done = std::move(done)](const std::stop_token& stop) mutable {
      auto result = std::make_shared<decltype(run(stop))>(run(stop));
      QMetaObject::invokeMethod(this, [alive = std::move(alive), done = std::move(done), result]() mutable {
        if (alive) done(std::move(*result));
      });
    });
  }

 private:
  using Task = std::function<void(const std::stop_token&)>;
  void push(Task task);
  void run(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Task> tasks_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace batchwise
