// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of NCCL: of one rank, which needs a GPU, and of two threads, which needs two. Skipped without them.
#include <c10/cuda/CUDAGuard.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "core/dist/nccl_communicator.h"
#include "core/dist/thread_group.h"
#include "core/train/devices.h"
#include "core/train/gradient_reducer.h"
#include "tests/cuda/cuda_model.h"

namespace batchwise {
namespace {

using namespace cuda_test;

at::Device gpu(std::int64_t rank) {
  return {at::kCUDA, static_cast<c10::DeviceIndex>(rank)};
}

class CudaGroupTest : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if (gpuCount() < GetParam()) GTEST_SKIP() << GetParam() << " CUDA device(s) needed";
    DevicesConfig config;
    config.use = GetParam() == 1 ? "cuda:0" : "cuda:0,1";
    const auto used = useDevices(config);
    ASSERT_TRUE(used.ok()) << used.error().text();
  }
  // Runs `work` on a thread per rank, each with its device and communicator, and waits for all.
  static void onEachRank(const std::function<void(Communicator&)>& work) {
    ThreadGroup group(GetParam());
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < GetParam(); ++rank)
      threads.emplace_back([&group, &work, rank] {
        const c10::cuda::CUDAGuard onDevice(gpu(rank));
        const auto made = makeNcclCommunicator(gpu(rank), group.line(rank), group.store());
        if (!made.ok()) group.line(rank)->abandon(made.error());
        ASSERT_TRUE(made.ok()) << made.error().text();
        work(**made);
      });
  }
};

TEST_P(CudaGroupTest, SumsAndCopiesTensorsOfEachTypeInOneCall) {
  onEachRank([](Communicator& ranks) {
    const double own = 1.0 + static_cast<double>(ranks.rank()), all = ranks.size() == 1 ? 1.0 : 3.0;
    for (const std::int64_t elements : {1, 3, 1023, 1 << 20}) {
      std::vector<at::Tensor> tensors;
      for (const auto type : {at::kFloat, at::kDouble, at::kLong, at::kBFloat16, at::kHalf})
        tensors.push_back(at::full({elements}, own, at::TensorOptions(gpu(ranks.rank())).dtype(type)));
      ASSERT_TRUE(ranks.allReduceTensors(tensors).ok());
      for (const at::Tensor& tensor : tensors) EXPECT_TRUE(at::equal(tensor, at::full_like(tensor, all)));
      for (const at::Tensor& tensor : tensors) at::Tensor(tensor).fill_(own);
      ASSERT_TRUE(ranks.broadcastTensors(tensors).ok());
      for (const at::Tensor& tensor : tensors) EXPECT_TRUE(at::equal(tensor, at::ones_like(tensor)));
    }
    std::vector<double> values = {own, 0.5};
    ASSERT_TRUE(ranks.allReduceValues(values).ok());
    EXPECT_EQ(values, (std::vector<double>{all, 0.5 * static_cast<double>(ranks.size())}));
    EXPECT_TRUE(ranks.status().ok());
  });
}

TEST_P(CudaGroupTest, GradientsAreSummedWhileTheBackwardPassRuns) {
  onEachRank([](Communicator& ranks) {
    EncoderModel model = modelOn(smallShape(), Precision::Bf16, gpu(ranks.rank()));
    const MicroBatch batch = batchOf({8, 30, 12, 7});
    const Outcome alone = run(model, batch);
    for (int again = 0; again < 3; ++again) {
      GradientReducer sums(model, ranks, 1 << 14);
      ASSERT_GT(sums.buckets(), 1);
      sums.prepareForBackward();
      run(model, batch);
      ASSERT_TRUE(sums.finish().ok());
      for (std::size_t p = 0; p < alone.gradients.size(); ++p)
        EXPECT_TRUE(at::equal(model.parameters()[p].tensor.grad().cpu(), alone.gradients[p] * ranks.size()))
            << model.parameters()[p].name;
    }
  });
}

TEST_P(CudaGroupTest, ARankThatGivesUpEndsTheSumThatAnotherWaitsIn) {
  onEachRank([](Communicator& ranks) {
    const at::Tensor tensor = at::ones({1 << 20}, at::TensorOptions(gpu(ranks.rank())));
    ASSERT_TRUE(ranks.allReduceTensors({tensor}).ok());
    if (ranks.rank() + 1 == ranks.size()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      ranks.abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
    } else {
      static_cast<void>(ranks.allReduceTensors({tensor}));
      c10::cuda::device_synchronize();  // for the kernel, which waits for the other rank until it is aborted
    }
    const Result<void> later = ranks.allReduceTensors({tensor});
    ASSERT_FALSE(later.ok());
    EXPECT_EQ(later.error().code, ErrorCode::OutOfMemory);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CudaGroupTest, testing::Values(1, 2));

}  // namespace
}  // namespace batchwise
