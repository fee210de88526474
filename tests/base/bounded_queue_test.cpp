// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace batchwise {
namespace {

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

}  // namespace
}  // namespace batchwise
