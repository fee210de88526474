// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/gradient_reducer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <thread>

#include "core/dist/thread_group.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

EncoderModel smallModel() {
  ModelShape shape = test::smallShape();
  shape.hiddenDropout = 0.1;
  return *test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
}

void pass(EncoderModel& model, const std::vector<std::int32_t>& places) {
  const DeviceBatch batch = test::drawnBatch(places, 12, 6);
  model.backward(model.forward(batch, {3, 0, /*training=*/true}), 1.0 / 8);
}

std::vector<at::Tensor> gradientsOf(const EncoderModel& model) {
  std::vector<at::Tensor> all;
  for (const NamedTensor& named : model.parameters()) all.push_back(named.tensor.grad().clone());
  return all;
}

void onEachRank(std::int64_t size, const std::function<void(Communicator&)>& work) {
  ThreadGroup group(size);
  std::vector<std::jthread> threads;
  for (std::int64_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&group, &work, rank] { work(*group.communicator(rank)); });
}

// Counts what is begun before the end of the backward pass.
class Counting final : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  Result<void> allReduceTensors(const std::vector<at::Tensor>&) override { return {}; }
  void startAllReduce(const at::Tensor& tensor) override { begun.push_back(tensor.numel()); }
  Result<void> finishAllReduces() override { return {}; }
  Result<void> allReduceValues(std::span<double>) override { return {}; }
  Result<void> barrier() override { return {}; }
  Result<void> broadcastTensors(const std::vector<at::Tensor>&) override { return {}; }
  void abandon(const Error&) override {}

  std::vector<std::int64_t> begun;
};

TEST(GradientReducerTest, AreThoseOfOneProcess) {
  EncoderModel alone = smallModel();
  pass(alone, {0, 1, 2, 3});
  const std::vector<at::Tensor> expected = gradientsOf(alone);
  for (const std::int64_t ranks : {2, 4}) {
    onEachRank(ranks, [&](Communicator& communicator) {
      EncoderModel model = smallModel();
      GradientReducer sums(model, communicator, 4096);
      EXPECT_GT(sums.buckets(), 3);
      std::vector<std::int32_t> own;
      for (std::int32_t place = 0; place < 4; ++place)
        if (place % ranks == communicator.rank()) own.push_back(place);
      if (ranks == 2) pass(model, {own.front()});  // an earlier micro-batch
      sums.prepareForBackward();
      pass(model, ranks == 2 ? std::vector{own.back()} : own);
      ASSERT_TRUE(sums.finish().ok());
      const std::vector<at::Tensor> found = gradientsOf(model);
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-5, 1e-7)) << model.parameters()[i].name;
    });
  }
}

TEST(GradientReducerTest, ARankWithNothingToDoOrTooLittleMemoryMakesTheSameSums) {
  onEachRank(3, [&](Communicator& communicator) {
    EncoderModel model = smallModel();
    GradientReducer sums(model, communicator, 4096);
    for (int step = 0; step < 2; ++step) {
      // Rank 1 has no micro-batch; rank 2 stops in the middle of a step.
      if (communicator.rank() == 0) sums.prepareForBackward();
      if (communicator.rank() != 1) pass(model, {0});
      ASSERT_TRUE(sums.finish().ok());
      std::vector<double> together = {1.0};
      ASSERT_TRUE(communicator.allReduceValues(together).ok());
      EXPECT_EQ(together.front(), 3.0);
    }
  });
}

TEST(GradientReducerTest, BeginWhileTheBackwardPassIsUnderWayAndNotBeforeTheLastMicroBatch) {
  EncoderModel model = smallModel();
  Counting counting;
  GradientReducer sums(model, counting, 4096);
  pass(model, {0});
  EXPECT_TRUE(counting.begun.empty());
  sums.prepareForBackward();
  pass(model, {1});
  EXPECT_EQ(static_cast<std::int64_t>(counting.begun.size()), sums.buckets()) << "all, as every gradient came";
  ASSERT_TRUE(sums.finish().ok());
  EXPECT_EQ(static_cast<std::int64_t>(counting.begun.size()), sums.buckets()) << "each once";
}

TEST(GradientReducerTest, GradientsKeepTheirValuesAndPlaces) {
  EncoderModel model = smallModel();
  pass(model, {0});
  const std::vector<at::Tensor> before = gradientsOf(model);
  Counting counting;
  {
    const GradientReducer sums(model, counting, 4096);
    const std::vector<at::Tensor> now = gradientsOf(model);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(before[i], now[i]));
  }
  pass(model, {0});  // without it, gradients go on as before
  EXPECT_TRUE(torch::allclose(gradientsOf(model).front(), before.front() * 2));
}

}  // namespace
}  // namespace batchwise
