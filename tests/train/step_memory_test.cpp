// SPDX-License-Identifier: GPL-3.0-or-later
// What a step takes from the host it gives back: memory does not grow over the steps of a run.
#include <gtest/gtest.h>
#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/model/adamw.h"
#include "core/model/encoder_model.h"
#include "core/model/padded_attention.h"
#include "core/train/device_memory.h"
#include "tests/model/small_model.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

class StepMemoryTest : public testing::TestWithParam<bool> {
 protected:
  // In use after the step, in tensors and in all blocks of the allocator.
  struct InUse {
    std::int64_t tensors = 0, blocks = 0;
  };

  void step(std::int64_t number) {
    // Sizes come again after seven steps, so that each has been there before what is compared.
    const auto longest = static_cast<std::int32_t>(8 + number % 7 * 4);
    optimizer_.zeroGradients();
    for (const std::int32_t first : {0, 4}) {
      const LossSums sums =
          model_.forward(test::drawnBatch({first, first + 1, first + 2, first + 3}, longest, 4), {3, number, true});
      model_.backward(sums, 1e-2);
    }
    optimizer_.step(1e-4);
    model_.parametersChanged();
  }
  static InUse inUse() {
    const struct mallinfo2 info = mallinfo2();
    return {hostTensorBytes().inUse, static_cast<std::int64_t>(info.uordblks + info.hblkhd)};
  }
  static EncoderModel makeModel() {
    useCountingHostAllocator();
    at::set_num_threads(1);
    ModelShape shape = test::smallShape();
    shape.hiddenDropout = 0.1;
    auto model = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5);
    EXPECT_TRUE(model.ok());
    return std::move(*model);
  }

  EncoderModel model_ = makeModel();
  AdamW optimizer_{model_.parameters(), AdamWOptions()};
};

TEST_P(StepMemoryTest, DoesNotGrowOverTheSteps) {
  model_.recomputeLayers(GetParam());
  const std::int64_t steps = test::repeats(140, 1001);
  std::int64_t number = 0;
  for (; number < 35; ++number) step(number);
  const InUse before = inUse();
  resetHostTensorPeak();
  for (; number < 70; ++number) step(number);
  const std::int64_t peak = hostTensorBytes().peak;
  resetHostTensorPeak();
  for (; number < steps; ++number) {
    step(number);
    ASSERT_EQ(hostTensorBytes().inUse, before.tensors) << "step " << number;
  }
  EXPECT_EQ(hostTensorBytes().peak, peak);
  constexpr std::int64_t kNoise = 64 << 10;  // of the libraries: far less than one tensor for each step
  EXPECT_LT(inUse().blocks - before.blocks, kNoise);
}

INSTANTIATE_TEST_SUITE_P(Layers, StepMemoryTest, testing::Bool(),
                         [](const auto& layers) { return layers.param ? "Recomputed" : "Kept"; });

/// The plan and the input of sequences of these lengths, two heads of eight features, with a penalty on logits.
std::pair<AttentionPlan, at::Tensor> penalisedAttention(const std::vector<std::int32_t>& lengths) {
  AttentionPlan plan;
  std::vector<std::int32_t> starts = {0};
  for (const std::int32_t length : lengths) starts.push_back(starts.back() + length);
  plan.queryStarts = plan.keyStarts = std::make_shared<const std::vector<std::int32_t>>(starts);
  plan.longestQuery = plan.longestKey = *std::max_element(lengths.begin(), lengths.end());
  plan.logitPenalty.assign(lengths.size(), 0.01F);
  plan.heads = plan.keyValueHeads = 2;
  plan.headSize = 8;
  return {plan, at::zeros({starts.back(), 48})};
}

// Sequences so long that they are computed one by one.
TEST(PaddedAttentionMemoryTest, HoldsTheLogitsOfOneGroupAtATime) {
  useCountingHostAllocator();
  const auto peakOf = [](const std::vector<std::int32_t>& lengths) {
    const auto [plan, packed] = penalisedAttention(lengths);
    const at::Tensor outer = at::ones({packed.size(0), 16});
    const std::int64_t before = hostTensorBytes().inUse;
    resetHostTensorPeak();
    paddedAttentionGradient(outer, {}, {{}, packed}, plan);
    return hostTensorBytes().peak - before;
  };
  const std::int64_t one = peakOf({4100});
  EXPECT_LT(peakOf({4100, 4100}), one + one / 10);
}

}  // namespace
}  // namespace batchwise
