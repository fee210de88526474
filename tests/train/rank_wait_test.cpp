// SPDX-License-Identifier: GPL-3.0-or-later
// Waits of rank 0: the others wait for it outside of collectives of tensors, whose time a watchdog may bound, and only
// then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/dist/thread_group.h"
#include "core/train/train_loop.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"
#include "tests/support/token_dataset.h"

namespace batchwise {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLimit(1000);
constexpr std::chrono::milliseconds kWait(3000);

/// Gives up on collectives of tensors that take longer than kLimit, as NCCL's watchdog does.
class WatchedCommunicator final : public Communicator {
 public:
  WatchedCommunicator(std::unique_ptr<Communicator> ranks, int& barriers)
      : ranks_(std::move(ranks)), barriers_(barriers) {}

  std::int64_t rank() const override { return ranks_->rank(); }
  std::int64_t size() const override { return ranks_->size(); }
  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    began_ = Steady::now();
    return inTime(ranks_->allReduceTensors(tensors));
  }
  void startAllReduce(const at::Tensor& tensor) override {
    if (!std::exchange(started_, true)) began_ = Steady::now();
    ranks_->startAllReduce(tensor);
  }
  Result<void> finishAllReduces() override {
    started_ = false;
    return inTime(ranks_->finishAllReduces());
  }
  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    began_ = Steady::now();
    return inTime(ranks_->broadcastTensors(tensors));
  }
  Result<void> allReduceValues(std::span<double> values) override { return ranks_->allReduceValues(values); }
  Result<void> barrier() override {
    ++barriers_;
    return ranks_->barrier();
  }
  void abandon(const Error& why) override { ranks_->abandon(why); }

 private:
  Result<void> inTime(Result<void> result) const {
    if (result.ok() && Steady::now() - began_ > kLimit) return Error{ErrorCode::Device, "the watchdog ended a sum", {}};
    return result;
  }

  const std::unique_ptr<Communicator> ranks_;
  int& barriers_;
  Steady::time_point began_;
  bool started_ = false;
};

/// What rank 0 waits for after its second global batch.
enum class Waits { Pause, Storage, Checkpoint, Nothing };

class Waiter final : public Callback {
 public:
  Waiter(Waits waits, CommandMailbox& commands, std::atomic<bool>& blocked)
      : waits_(waits), commands_(commands), blocked_(blocked) {}
  Result<void> afterBatch(TrainLoop& loop, const Timestamp&) override {
    if (loop.state().now.batch != 2) return {};
    if (waits_ == Waits::Checkpoint) loop.waitForRankZero();
    if (loop.ranks().rank() != 0) return {};
    const auto later = [this](const auto& end) {
      thread_ = std::jthread([end] {
        std::this_thread::sleep_for(kWait);
        end();
      });
    };
    switch (waits_) {
      case Waits::Pause:
        commands_.post(RunCommand::Pause);
        later([&commands = commands_] { commands.post(RunCommand::Continue); });
        break;
      case Waits::Storage:
        blocked_ = true;
        later([&blocked = blocked_] { blocked = false; });
        break;
      case Waits::Checkpoint: std::this_thread::sleep_for(kWait); break;
      case Waits::Nothing: break;
    }
    return {};
  }

 private:
  const Waits waits_;
  CommandMailbox& commands_;
  std::atomic<bool>& blocked_;
  std::jthread thread_;
};

class RankWaitTest : public testing::TestWithParam<Waits> {
 protected:
  static TrainingData data() {
    std::vector<std::vector<std::int32_t>> sequences;
    for (std::int32_t i = 0; i < 24; ++i) sequences.emplace_back(std::size_t{10}, 5 + i);
    TrainingData made{test::datasetOf(sequences, {0, 1, 2, 3, 4}, test::kSmallVocabulary), {}, 9, 0};
    made.masks.maskId = 4;
    made.masks.vocabularySize = test::kSmallVocabulary;
    made.masks.specialIds = {0, 1, 2, 3, 4};
    return made;
  }
  static Plan plan() {
    TrainConfig config;
    config.maxDuration = Time::of(4, TimeUnit::Batch);
    config.batch.globalTrainBatchSize = 4;
    config.scheduler.name = "constant";
    return *test::checked(
        Plan::resolve(config, std::make_shared<ListedLengths>(std::vector<std::uint32_t>(24, 12)), {2, 2, 0}));
  }
  Result<LoopEnd> trainRank(std::int64_t rank) {
    auto model = EncoderModel::create(test::smallShape(), Precision::Fp32, at::kCPU, 5);
    AdamW optimizer(model->parameters(), AdamWOptions());
    Replica replica{std::move(*model), std::move(optimizer)};
    const Plan planned = plan();
    LoopState state;
    state.growth = planned.initialGrowth();
    state.microbatchUnits = 2;
    WatchedCommunicator ranks(group_.communicator(rank), barriers_[static_cast<std::size_t>(rank)]);
    NullSink events;
    const SystemClock clock;
    std::vector<std::unique_ptr<Callback>> callbacks;
    callbacks.push_back(std::make_unique<Waiter>(GetParam(), commands_, blocked_));
    TrainLoop::Dependencies deps{.replica = replica,
                                 .ranks = ranks,
                                 .events = events,
                                 .commands = rank == 0 ? &commands_ : nullptr,
                                 .clock = clock,
                                 .callbacks = std::move(callbacks)};
    if (rank == 0) deps.blockedReason = [this] { return blocked_ ? std::string("the disk is full") : std::string(); };
    return TrainLoop(planned, data(), state, std::move(deps)).run();
  }

  ThreadGroup group_{2};
  CommandMailbox commands_;
  std::atomic<bool> blocked_ = false;
  std::array<int, 2> barriers_ = {};
};

TEST_P(RankWaitTest, NoRankWaitsForRankZeroInACollectiveOfTensors) {
  at::set_num_threads(1);
  const auto began = Steady::now();
  std::optional<Result<LoopEnd>> other;
  {
    const std::jthread second([&] { other = trainRank(1); });
    EXPECT_EQ(test::checked(trainRank(0))->status, RunStatus::Finished);
  }
  ASSERT_TRUE(other->ok()) << other->error().text();
  const bool waited = GetParam() != Waits::Nothing;
  EXPECT_EQ(Steady::now() - began > kWait, waited);
  EXPECT_THAT(barriers_, testing::Each(waited ? 2 : 1)) << "the first step, and the one that rank 0 waited before";
}

INSTANTIATE_TEST_SUITE_P(Of, RankWaitTest,
                         testing::Values(Waits::Pause, Waits::Storage, Waits::Checkpoint, Waits::Nothing));

}  // namespace
}  // namespace batchwise
