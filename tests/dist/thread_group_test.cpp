// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/thread_group.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <thread>

#include "tests/support/checked.h"

namespace batchwise {
namespace {

// Runs `work` on one thread per rank and waits for all.
void onEachRank(std::int64_t ranks, const std::function<void(Communicator&)>& work) {
  ThreadGroup group(ranks);
  std::vector<std::thread> threads;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&group, &work, rank] { work(*group.communicator(rank)); });
  }
  for (std::thread& thread : threads) thread.join();
}

torch::Tensor ofRank(std::int64_t rank, std::int64_t elements) {
  return torch::arange(elements, torch::kFloat32) * (0.1 + static_cast<double>(rank)) + 1.0 / (3.0 + rank);
}

TEST(ThreadGroupTest, SumsTensorsOfAllRanksInRankOrder) {
  for (const std::int64_t elements : {0, 1, 2, 3, 4, 5, 1023}) {
    torch::Tensor expected = ofRank(0, elements);
    for (std::int64_t rank = 1; rank < 4; ++rank) expected = expected + ofRank(rank, elements);
    onEachRank(4, [&](Communicator& ranks) {
      const std::vector<torch::Tensor> mine = {ofRank(ranks.rank(), elements), torch::ones({2, 3})};
      ASSERT_TRUE(ranks.allReduceTensors(mine).ok());
      EXPECT_TRUE(torch::equal(mine[0], expected));
      EXPECT_TRUE(torch::equal(mine[1], torch::full({2, 3}, 4.0)));
    });
  }
}

TEST(ThreadGroupTest, GivesTheSameBitsWhoeverComesFirst) {
  for (int late = 0; late < 3; ++late) {
    onEachRank(3, [&](Communicator& ranks) {
      std::vector<double> values = {1e16, 1.0, static_cast<double>(ranks.rank())};
      values[0] = ranks.rank() == 1 ? -1e16 : values[0];
      if (ranks.rank() == late) std::this_thread::yield();
      for (int round = 0; round < 50; ++round) {
        std::vector<double> sums = values;
        ASSERT_TRUE(ranks.allReduceValues(sums).ok());
        EXPECT_EQ(sums, (std::vector<double>{1e16, 3.0, 3.0}));
      }
    });
  }
}

TEST(ThreadGroupTest, ARankThatGivesUpWakesTheOthers) {
  onEachRank(3, [](Communicator& ranks) {
    if (ranks.rank() == 2) {
      ranks.abandon(Error{ErrorCode::OutOfMemory, "no room on rank 2", {}});
      return;
    }
    std::vector<double> values = {1.0};
    const Result<void> summed = ranks.allReduceValues(values);
    EXPECT_TRUE(!summed.ok() && summed.error().code == ErrorCode::OutOfMemory);
    EXPECT_FALSE(ranks.allReduceTensors({torch::ones(4)}).ok());
  });
}

TEST(ThreadGroupTest, OneRankAloneKeepsItsValues) {
  SingleCommunicator alone;
  std::vector<double> values = {2.5};
  ASSERT_TRUE(alone.allReduceValues(values).ok());
  EXPECT_EQ(values[0], 2.5);
  EXPECT_EQ(alone.size(), 1);
}

}  // namespace
}  // namespace batchwise
