// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mutex.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>
#include <vector>

namespace batchwise {
namespace {

/// A number that threads share, as members are annotated everywhere.
class Tally {
 public:
  void add() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  int waitFor(int count) {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this, count]() REQUIRES(mutex_) { return count_ >= count; });
    return count_;
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  int count_ GUARDED_BY(mutex_) = 0;
};

TEST(MutexTest, NoAdditionIsLostAndAWaitSeesTheLast) {
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  Tally tally;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&tally] {
      for (int n = 0; n < kEach; ++n) tally.add();
    });
  EXPECT_EQ(tally.waitFor(kThreads * kEach), kThreads * kEach);
}

}  // namespace
}  // namespace batchwise
