// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/config/events/run_event.h"

namespace batchwise {

/// Delivers events from the training thread to the GUI thread; many events cost one wake-up.
class RunBridge final : public QObject, public EventSink {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Thread-safe. Does not block.
  void publish(const RunEvent& event) override;

 Q_SIGNALS:
  /// Emitted in this object's thread, in the order of publication.
  void arrived(const std::vector<batchwise::RunEvent>& events);

 private:
  void deliver();

  Mutex mutex_;
  std::vector<RunEvent> pending_ GUARDED_BY(mutex_);
  bool wakeQueued_ GUARDED_BY(mutex_) = false;
};

/// Runs blocking work (store, files, plans) in one thread, in the order in which it was posted. Destruction requests a
/// stop, waits for the current task, runs those that were posted with AtEnd::Run, and drops the rest; then no answer
/// is delivered any more.
class TaskQueue final : public QObject {
  Q_OBJECT

 public:
  explicit TaskQueue(QObject* parent = nullptr);
  ~TaskQueue() override;

  /// What becomes of a task that has not begun when the queue is destroyed.
  enum class AtEnd {
    Drop,
    Run,  ///< for short work that saves what the user has changed; it owns all that it uses, as a shared workspace
  };

  /// Runs `work()` in the queue's thread, then `done(result)` in this object's thread unless `context` has been
  /// destroyed. `work` must not touch GUI objects; long work takes the queue's std::stop_token as its argument and
  /// checks it. Call from this object's thread.
  template <typename Work, typename Done>
  void post(QObject* context, Work work, Done done, AtEnd atEnd = AtEnd::Drop) {
    auto run = [work = std::move(work)](const std::stop_token& stop) mutable {
      if constexpr (std::is_invocable_v<Work&, std::stop_token>)
        return work(stop);
      else
        return work();
    };
    auto task = [this, alive = QPointer<QObject>(context), run = std::move(run),
                 done = std::move(done)](const std::stop_token& stop) mutable {
      auto result = std::make_shared<decltype(run(stop))>(run(stop));
      QMetaObject::invokeMethod(this, [alive = std::move(alive), done = std::move(done), result]() mutable {
        if (alive) done(std::move(*result));
      });
    };
    push({std::move(task), atEnd});
  }

  /// Does what destruction does, for a program that exits without destroying the queue. Call it at most once, and post
  /// nothing afterwards. Waits at most `limit`, in case the current task hangs; returns false if it gave up.
  bool finish(std::chrono::milliseconds limit);

 private:
  struct Task {
    std::function<void(const std::stop_token&)> work;
    AtEnd atEnd;
  };
  void push(Task task);
  std::optional<Task> next(const std::stop_token& stop);
  void run(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Task> tasks_ GUARDED_BY(mutex_);
  std::binary_semaphore finished_{0};  // released when the thread ends
  std::jthread thread_;
};

}  // namespace batchwise
