// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/padded_attention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/model/backend_check.h"
#include "core/model/device_error.h"

namespace batchwise {
namespace {

// Attention with a penalty over many sequences at once against the CPU's, one sequence at a time.

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
    const PaddedAttention found = paddedAttention(input, plan);
    EXPECT_TRUE(at::allclose(found.output, expected.output, 1e-4, 1e-5)) << lengths.size();
    EXPECT_TRUE(at::allclose(found.penalty, expected.penalty, 1e-4, 1e-5)) << lengths.size();
    const at::Tensor outer = at::randn_like(expected.output);
    const at::Tensor ofPenalty = at::full({}, 0.7F);
    const auto expectedGradient = cpuBackend().attentionGradient(outer, ofPenalty, input, expected, plan);
    const at::Tensor gradient = paddedAttentionGradient(outer, ofPenalty, input, plan).packed;
    EXPECT_TRUE(at::allclose(gradient, expectedGradient.packed, 1e-3, 1e-4)) << lengths.size();
  }
}

/// The plan with windows of seven keys and two heads of queries for each head of keys.
AttentionPlan windowPlanOf(const std::vector<std::int32_t>& lengths) {
  AttentionPlan plan = planOf(lengths);
  plan.heads = 4;
  plan.window = 3;
  return plan;
}

// Sequences within a window, of a part of a block and of several blocks.
TEST(PaddedAttentionTest, WindowsAndGroupedHeadsAreThoseOfTheCpu) {
  for (const auto& lengths : {std::vector<std::int32_t>{5, 1, 4}, {3, 30, 64, 7}, {300, 129}}) {
    torch::manual_seed(1);
    AttentionPlan plan = windowPlanOf(lengths);
    for (const bool penalised : {true, false}) {
      if (!penalised) plan.logitPenalty.clear();
      const AttentionInput input{{}, at::randn({plan.queryStarts->back(), 64})};
      const AttentionResult expected = cpuBackend().attention(input, plan, true);
      const PaddedAttention found = paddedAttention(input, plan);
      EXPECT_TRUE(at::allclose(found.output, expected.output, 1e-4, 1e-5)) << lengths.size();
      const at::Tensor outer = at::randn_like(expected.output);
      const at::Tensor ofPenalty = penalised ? at::full({}, 0.7F) : at::Tensor();
      if (penalised) {
        EXPECT_TRUE(at::allclose(found.penalty, expected.penalty, 1e-4, 1e-5)) << lengths.size();
      }
      const auto expectedGradient = cpuBackend().attentionGradient(outer, ofPenalty, input, expected, plan);
      const at::Tensor gradient = paddedAttentionGradient(outer, ofPenalty, input, plan).packed;
      EXPECT_TRUE(at::allclose(gradient, expectedGradient.packed, 1e-3, 1e-4)) << lengths.size();
    }
  }
}

// Of the sequence in the middle none.
TEST(PaddedAttentionTest, FewQueriesGetWhatTheyGetAmongAll) {
  for (const std::int64_t window : {-1, 3}) {
    for (const bool onTheCpu : {true, false}) {
      torch::manual_seed(1);
      AttentionPlan plan = windowPlanOf({3, 4, 300, 64});
      plan.window = window;
      plan.logitPenalty.clear();
      const at::Tensor packed = at::randn({371, 64});
      const AttentionInput all{{}, packed};
      const AttentionResult expected = cpuBackend().attention(all, plan, true);
      const std::vector<std::int64_t> rows = {1, 7, 8, 94, 95, 305, 306, 307, 370};
      AttentionPlan few = plan;
      few.queryStarts = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{0, 1, 1, 7, 9});
      few.queryPlaces = std::make_shared<const std::vector<std::int32_t>>(
          std::vector<std::int32_t>{1, 0, 1, 87, 88, 298, 299, 0, 63});
      few.longestQuery = 6;
      const at::Tensor chosen = at::tensor(rows, at::kLong);
      const AttentionInput input{packed.narrow(1, 0, 32).index_select(0, chosen),
                                 packed.narrow(1, 32, 32).contiguous()};
      const Backend& backend = onTheCpu ? cpuBackend() : atenBackend();
      const AttentionResult found = backend.attention(input, few, true);
      EXPECT_TRUE(at::allclose(found.output, expected.output.index_select(0, chosen), 1e-5, 1e-6)) << window;
      const at::Tensor outer = at::randn_like(found.output);
      const at::Tensor allOuter = at::zeros_like(expected.output).index_copy_(0, chosen, outer);
      const auto gradient = backend.attentionGradient(outer, {}, input, found, few);
      const auto full = cpuBackend().attentionGradient(allOuter, {}, all, expected, plan).packed;
      EXPECT_TRUE(at::allclose(gradient.packed, full.narrow(1, 32, 32), 1e-4, 1e-5)) << window;
      EXPECT_TRUE(at::allclose(gradient.query, full.narrow(1, 0, 32).index_select(0, chosen), 1e-4, 1e-5)) << window;
    }
  }
}

TEST(PaddedAttentionTest, TheLargestLogSumIsNeverThatOfAPlaceThatWasFilledUp) {
  const AttentionPlan plan = planOf({3, 9});
  // Every logit is below zero: what was filled up has 0, the log of nine of which would be the largest.
  at::Tensor packed = at::zeros({12, 48});
  packed.narrow(1, 0, 16).fill_(-3);
  packed.narrow(1, 16, 16).fill_(3);
  const at::Tensor logSum = paddedAttention({{}, packed}, plan).logSum;
  EXPECT_NEAR(logSum.max().item<double>(), -72 / std::sqrt(8.0) + std::log(9.0), 1e-4);
}

TEST(AttentionLimitsTest, FlashAttentionIsForHalfPrecisionSinceAmpere) {
  for (const int major : {7, 8, 9, 12}) {
    EXPECT_FALSE(hasFlashAttention(c10::kFloat, major)) << major;
    EXPECT_EQ(hasFlashAttention(c10::kHalf, major), major >= 8) << major;
    EXPECT_EQ(hasFlashAttention(c10::kBFloat16, major), major >= 8) << major;
  }
}

TEST(AttentionLimitsTest, FlashAttentionIsNeverToldThatEachSequenceHasOneQueryAtMost) {
  EXPECT_EQ(longestFlashQuery(0), 2);
  EXPECT_EQ(longestFlashQuery(1), 2);
  EXPECT_EQ(longestFlashQuery(2), 2);
  EXPECT_EQ(longestFlashQuery(77), 77);
}

TEST(AttentionLimitsTest, APassWithTooManySequencesGetsFewerAsForLackOfMemory) {
  EXPECT_NO_THROW(checkSequencesInPass(65535));
  try {
    checkSequencesInPass(65536);
    ADD_FAILURE() << "the grid of the kernel has no more blocks";
  } catch (const c10::Error& e) {
    EXPECT_TRUE(isOutOfMemory(e)) << e.what();
  }
}

}  // namespace
}  // namespace batchwise
