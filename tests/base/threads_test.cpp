// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>
#include <vector>

#include "core/base/bounded_queue.h"
#include "core/base/clock.h"
#include "core/base/mutex.h"

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

TEST(BoundedQueueTest, PassesEveryValueInOrderThroughASmallQueue) {
  BoundedQueue<int> queue(2);
  std::jthread producer([&] {
    for (int value = 0; value < 1000; ++value) queue.push(value);
    queue.close();
  });
  int expected = 0;
  while (const auto value = queue.pop()) EXPECT_EQ(*value, expected++);
  EXPECT_EQ(expected, 1000);
}

TEST(BoundedQueueTest, AStopRequestWakesAWaitingPush) {
  BoundedQueue<int> queue(1);
  ASSERT_TRUE(queue.push(1));
  bool pushed = true;
  std::jthread producer([&](const std::stop_token& stop) { pushed = queue.push(2, stop); });
  producer.request_stop();
  producer.join();
  EXPECT_FALSE(pushed);
}

TEST(BoundedQueueTest, AClosedQueueRefusesButGivesOutTheRest) {
  BoundedQueue<int> queue(2);
  ASSERT_TRUE(queue.push(1));
  queue.close();
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(StallDetectorTest, OnlyALongTimeWithoutALookIsOne) {
  StallDetector standstill(1.0, 100.0);
  EXPECT_EQ(standstill.stalledSec(101.0), 0.0);
  EXPECT_EQ(standstill.stalledSec(105.0), 0.0) << "a busy machine";
  EXPECT_EQ(standstill.stalledSec(301.0), 200.0) << "but for the second that it would have slept";
}

TEST(StallDetectorTest, ALookThatTakesLongIsNone) {
  StallDetector standstill(1.0, 100.0);
  EXPECT_EQ(standstill.stalledSec(101.0), 0.0);
  standstill.polled(161.0);
  EXPECT_EQ(standstill.stalledSec(162.0), 0.0);
  standstill.polled(162.0);
  EXPECT_EQ(standstill.stalledSec(182.0), 19.0);
}

}  // namespace
}  // namespace batchwise
