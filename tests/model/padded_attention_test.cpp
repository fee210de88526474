// SPDX-License-Identifier: GPL-3.0-or-later
// Attention with a penalty over many sequences at once against the CPU's, one sequence at a time.
#include "core/model/padded_attention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace batchwise {
namespace {

AttentionPlan planOf(const std::vector<std::int32_t>& lengths) {
  AttentionPlan plan;
  std::vector<std::int32_t> starts = {0};
  for (const std::int32_t length : lengths) {
    starts.push_back(starts.back() + length);
    plan.longestKey = plan.longestQuery = std::max<std::int64_t>(plan.longestKey, length);
    plan.logitPenalty.push_back(0.01F * static_cast<float>(1 + plan.logitPenalty.size()));
  }
  plan.queryStarts = plan.keyStarts = std::make_shared<const std::vector<std::int32_t>>(starts);
  plan.queryStartsTensor = plan.keyStartsTensor = at::tensor(starts, at::kInt);
  plan.queryRowKeys = at::zeros({starts.back()}, at::kLong);
  plan.heads = plan.keyValueHeads = 2;
  plan.headSize = 8;
  plan.scale = 1 / std::sqrt(8.0);
  plan.measureLogits = true;
  return plan;
}

// The last are so long that they are computed one by one.
TEST(PaddedAttentionTest, IsThatOfTheCpuWithItsPenaltyAndGradient) {
  for (const auto& lengths : {std::vector<std::int32_t>{5}, {3, 1, 7, 7, 2}, {4200, 1, 4200}}) {
    torch::manual_seed(1);
    const AttentionPlan plan = planOf(lengths);
    const AttentionInput input{{}, at::randn({plan.queryStarts->back(), 48})};
    const AttentionResult expected = cpuBackend().attention(input, plan, true);
    const PaddedAttention found = paddedAttention(input.packed, plan);
    EXPECT_TRUE(at::allclose(found.output, expected.output, 1e-4, 1e-5)) << lengths.size();
    EXPECT_TRUE(at::allclose(found.penalty, expected.penalty, 1e-4, 1e-5)) << lengths.size();
    const at::Tensor outer = at::randn_like(expected.output);
    const at::Tensor ofPenalty = at::full({}, 0.7F);
    const auto expectedGradient = cpuBackend().attentionGradient(outer, ofPenalty, input, expected, plan);
    const at::Tensor gradient = paddedAttentionGradient(outer, ofPenalty, input.packed, plan);
    EXPECT_TRUE(at::allclose(gradient, expectedGradient.packed, 1e-3, 1e-4)) << lengths.size();
  }
}

TEST(PaddedAttentionTest, TheLargestLogSumIsNeverThatOfAPlaceThatWasFilledUp) {
  const AttentionPlan plan = planOf({3, 9});
  // Every logit is below zero: what was filled up has 0, the log of nine of which would be the largest.
  at::Tensor packed = at::zeros({12, 48});
  packed.narrow(1, 0, 16).fill_(-3);
  packed.narrow(1, 16, 16).fill_(3);
  const at::Tensor logSum = paddedAttention(packed, plan).logSum;
  EXPECT_NEAR(logSum.max().item<double>(), -72 / std::sqrt(8.0) + std::log(9.0), 1e-4);
}

}  // namespace
}  // namespace batchwise
