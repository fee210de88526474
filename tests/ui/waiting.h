// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest/QTest>
#include <future>
#include <memory>
#include <utility>

#include "ui/bridge/thread_bridge.h"

namespace batchwise::test {

/// Handles events until `condition` holds, and tells whether it ever does. The limit is for what is broken, not for how
/// fast a machine has to be: a test that passes waits no longer than the condition.
template <typename Condition>
bool comesTrue(Condition condition) {
  constexpr int kLimitMs = 180'000;
  return QTest::qWaitFor(condition, kLimitMs);
}

/// Waits until `queue` has done what was posted before, and its answers have arrived. Returns false if they never do.
inline bool catchesUp(TaskQueue& queue) {
  const auto caughtUp = std::make_shared<bool>(false);  // also of the answer, which may come after the limit
  queue.post(
      &queue, [] { return 0; }, [caughtUp](int) { *caughtUp = true; });
  return comesTrue([&] { return *caughtUp; });
}

/// Keeps a task queue busy until it is opened or destroyed. The task owns what it waits for: its thread may still be
/// inside the wait when the test that opened the gate has returned.
class Gate {
 public:
  Gate(TaskQueue& queue, QObject* context) {
    queue.post(
        context,
        [begun = begun_, opened = opened_.get_future().share()] {
          begun->set_value();
          opened.wait();
          return 0;
        },
        [](int) {});
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Waits until the queue has reached the gate.
  void awaitReached() { begun_->get_future().wait(); }

  /// Lets the queue continue. Further calls do nothing.
  void open() {
    if (!std::exchange(isOpen_, true)) opened_.set_value();
  }

 private:
  std::shared_ptr<std::promise<void>> begun_ = std::make_shared<std::promise<void>>();
  std::promise<void> opened_;
  bool isOpen_ = false;
};

}  // namespace batchwise::test
