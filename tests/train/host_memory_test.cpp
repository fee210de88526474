// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/host_memory.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <thread>

namespace batchwise {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

class HostMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    useCountingHostAllocator();
    setHostTensorLimit(0);
  }
  void TearDown() override { setHostTensorLimit(0); }
};

TEST_F(HostMemoryTest, CountsWhatIsInUseAndAtMostWas) {
  const std::int64_t before = hostTensorBytes().inUse;
  resetHostTensorPeak();
  {
    const torch::Tensor one = torch::ones({kMiB}, torch::kFloat32);
    { const torch::Tensor two = torch::ones({kMiB / 2}, torch::kFloat32); }
    EXPECT_EQ(hostTensorBytes().inUse - before, 4 * kMiB);
  }
  EXPECT_EQ(hostTensorBytes().inUse, before);
  EXPECT_EQ(hostTensorBytes().peak - before, 6 * kMiB);
}

TEST_F(HostMemoryTest, RefusesWhatGoesAboveTheLimitAndGoesOnAfterwards) {
  const std::int64_t before = hostTensorBytes().inUse;
  setHostTensorLimit(before + 8 * kMiB);
  const torch::Tensor fits = torch::zeros({kMiB}, torch::kFloat32);
  EXPECT_THROW(torch::zeros({2 * kMiB}, torch::kFloat32), c10::OutOfMemoryError);
  EXPECT_EQ(hostTensorBytes().inUse - before, 4 * kMiB);
  EXPECT_NO_THROW(torch::zeros({kMiB / 2}, torch::kFloat32));
}

TEST_F(HostMemoryTest, EachDeviceHasALimitOfItsOwn) {
  const torch::Tensor first = torch::zeros({kMiB}, torch::kFloat32);
  torch::Tensor moved;
  {
    const HostDeviceScope second(1);
    const std::int64_t before = hostTensorBytes().inUse;
    setHostTensorLimit(before + 8 * kMiB);
    const torch::Tensor fits = torch::zeros({kMiB}, torch::kFloat32);
    moved = torch::zeros({kMiB / 2}, torch::kFloat32);
    EXPECT_EQ(hostTensorBytes().inUse - before, 6 * kMiB);
    EXPECT_THROW(torch::zeros({kMiB}, torch::kFloat32), c10::OutOfMemoryError);
  }
  setHostTensorLimit(0);
  const std::int64_t ofFirst = hostTensorBytes().inUse;
  moved.reset();
  EXPECT_EQ(hostTensorBytes().inUse, ofFirst);
  const HostDeviceScope second(1);
  const torch::Tensor again = torch::zeros({kMiB}, torch::kFloat32);
  EXPECT_EQ(hostTensorBytes().inUse, 4 * kMiB);
}

TEST_F(HostMemoryTest, SizesAroundItsBoundariesHoldTheirData) {
  for (const std::int64_t bytes : {1L, 63L, 64L, 65'471L, 65'472L, 65'473L, 2'097'087L, 2'097'152L, 5'000'001L}) {
    for (int again = 0; again < 3; ++again) {
      const torch::Tensor tensor = torch::full({bytes}, 7, torch::kUInt8);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64, 0u);
      EXPECT_EQ(tensor.sum().item<std::int64_t>(), 7 * bytes);
    }
  }
}

TEST_F(HostMemoryTest, ThreadsMayFreeWhatOthersTook) {
  const std::int64_t before = hostTensorBytes().inUse;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([] {
      for (int round = 0; round < 200; ++round) {
        torch::Tensor tensor = torch::empty({(round % 7 + 1) * 40'000}, torch::kFloat32);
        std::thread([moved = std::move(tensor)]() mutable { moved.reset(); }).join();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hostTensorBytes().inUse, before);
}

}  // namespace
}  // namespace batchwise
