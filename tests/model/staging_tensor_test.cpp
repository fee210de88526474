// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/core/CachingHostAllocator.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdlib>

#include "core/model/device_batch.h"

namespace batchwise {
namespace {

int released = 0;

// As that of LibTorch after an error of the GPU.
void releaseOnAFailedGpu(void* memory) {
  std::free(memory);
  ++released;
  TORCH_CHECK(false, "CUDA error: device-side assert triggered");
}

/// Page-locked memory of a GPU that has failed.
class FailedGpuAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = std::malloc(bytes);
    return {memory, memory, &releaseOnAFailedGpu, at::kCPU};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

TEST(StagingTensorTest, IsReleasedWhenTheGpuHasFailed) {
  at::HostAllocator* const before = at::getHostAllocator(at::kCUDA);
  FailedGpuAllocator failed;
  at::setHostAllocator(at::kCUDA, &failed);
  released = 0;
  {
    at::Tensor numbers = stagingTensor({2, 3}, at::kDouble, at::Device(at::kCUDA, 0));
    EXPECT_EQ(numbers.sizes(), (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(numbers.scalar_type(), at::kDouble);
    EXPECT_TRUE(numbers.is_cpu());
    numbers.fill_(7);
    EXPECT_EQ(numbers.sum().item<double>(), 42);
    EXPECT_EQ(stagingTensor({0}, at::kLong, at::Device(at::kCUDA, 0)).numel(), 0);
  }
  EXPECT_EQ(released, 2);
  at::setHostAllocator(at::kCUDA, before);
}

TEST(StagingTensorTest, IsAnOrdinaryOneForAProcessor) {
  released = 0;
  const at::Tensor numbers = stagingTensor({5}, at::kInt, at::kCPU);
  EXPECT_EQ(numbers.nbytes(), 20);
  EXPECT_EQ(released, 0);
}

}  // namespace
}  // namespace batchwise
