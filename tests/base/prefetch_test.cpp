// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <stdexcept>

#include "core/base/bounded_queue.h"

namespace batchwise {
namespace {

using Next = Result<std::optional<int>>;

TEST(PrefetcherTest, GivesAllValuesInOrderAndThenTheEnd) {
  int made = 0;
  Prefetcher<int> prefetcher([&](std::stop_token) -> Next { return made < 100 ? std::optional(made++) : std::nullopt; },
                             3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(prefetcher.next().value(), i);
  EXPECT_EQ(prefetcher.next().value(), std::nullopt);
  EXPECT_EQ(prefetcher.next().value(), std::nullopt);
}

TEST(PrefetcherTest, GivesTheErrorAfterTheValuesBeforeIt) {
  int made = 0;
  Prefetcher<int> prefetcher(
      [&](std::stop_token) -> Next {
        if (made == 2) return Error::corrupt("bad page");
        return std::optional(made++);
      },
      8);
  EXPECT_EQ(prefetcher.next().value(), 0);
  EXPECT_EQ(prefetcher.next().value(), 1);
  EXPECT_EQ(prefetcher.next().error().message, "bad page");
  EXPECT_EQ(prefetcher.next().error().code, ErrorCode::Corrupt);
}

TEST(PrefetcherTest, TurnsExceptionsIntoErrors) {
  Prefetcher<int> prefetcher([](std::stop_token) -> Next { throw std::runtime_error("boom"); }, 1);
  const Next next = prefetcher.next();
  EXPECT_EQ(next.error().code, ErrorCode::Internal);
  EXPECT_NE(next.error().message.find("boom"), std::string::npos);
}

TEST(PrefetcherTest, MakesNoMoreThanItsDepthAhead) {
  std::atomic<int> made{0};
  std::counting_semaphore<64> started{0};
  Prefetcher<int> prefetcher(
      [&](std::stop_token) -> Next {
        started.release();
        return std::optional(made++);
      },
      4);
  for (int i = 0; i < 5; ++i) started.acquire();  // 4 wait in the queue, 1 is at its door
  EXPECT_FALSE(started.try_acquire_for(std::chrono::milliseconds(50)));
  EXPECT_EQ(prefetcher.next().value(), 0);
  started.acquire();  // the room is used
  EXPECT_LE(made.load(), 6);
}

TEST(PrefetcherTest, EndsWhileItsThreadWaitsForRoom) {
  std::binary_semaphore twice{0};
  int made = 0;
  Prefetcher<int> prefetcher(
      [&](std::stop_token) -> Next {
        if (made == 1) twice.release();
        return std::optional(made++);
      },
      1);
  twice.acquire();  // the second value finds no room
}

TEST(PrefetcherTest, AStopEndsTheWaiting) {
  std::stop_source stop;
  Prefetcher<int> prefetcher(
      [](std::stop_token own) -> Next {
        std::binary_semaphore never{0};
        const std::stop_callback wake(own, [&] { never.release(); });
        never.acquire();
        return std::optional<int>{};
      },
      1);
  stop.request_stop();
  EXPECT_EQ(prefetcher.next(stop.get_token()).error().code, ErrorCode::Stopped);
}

}  // namespace
}  // namespace batchwise
