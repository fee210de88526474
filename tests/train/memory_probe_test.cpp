// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/memory_probe.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/train/host_memory.h"
#include "tests/model/small_model.h"

namespace batchwise {
namespace {

class MemoryProbeTest : public testing::Test {
 protected:
  static Replica makeReplica() {
    useCountingHostAllocator();
    at::set_num_threads(1);
    auto model = BertModel::create(test::smallShape(), Precision::Fp32, at::kCPU, 5);
    EXPECT_TRUE(model.ok());
    AdamW optimizer(model->parameters(), AdamWOptions());
    return {std::move(*model), std::move(optimizer)};
  }
  std::int64_t peakOf(std::int64_t units, const std::vector<std::int64_t>& lengths) {
    const auto outcome = probe_.measure(units, lengths);
    EXPECT_TRUE(outcome.ok() && outcome->fits);
    return outcome.ok() ? outcome->peakBytes : 0;
  }

  Replica replica_ = makeReplica();
  StepProbe probe_{replica_, 0.15};
};

// A sequence of four tokens predicts one, a quarter; one of 32 predicts five, less than a sixth.
TEST_F(MemoryProbeTest, ManyShortSequencesTakeMoreThanAFewLongOnesWithAsManyTokens) {
  std::vector<std::int64_t> oneLong(24, 4);
  oneLong.push_back(32);
  EXPECT_GT(peakOf(1, oneLong), peakOf(1, {32, 32, 32, 32}));
  EXPECT_EQ(peakOf(2, {32, 32}), peakOf(1, {32, 32, 32, 32}));
  EXPECT_GT(peakOf(2, {32, 32, 32, 32}), peakOf(1, {32, 32, 32, 32}));
}

TEST_F(MemoryProbeTest, LeavesNothingBehind) {
  const at::Tensor before = replica_.model.parameters().front().tensor.detach().clone();
  peakOf(1, {32, 4});
  const std::int64_t inUse = hostTensorBytes().inUse;
  peakOf(3, {32, 4});
  EXPECT_EQ(hostTensorBytes().inUse, inUse);
  EXPECT_EQ(hostTensorBytes().peak, inUse) << "what was only tried is no peak of the training";
  EXPECT_TRUE(at::equal(before, replica_.model.parameters().front().tensor.detach()));
}

}  // namespace
}  // namespace batchwise
