// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/devices.h"

#include <ATen/Context.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDAFunctions.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/model/encoder_model.h"
#include "core/train/device_memory.h"
#include "core/train/train_loop.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

TEST(DeterminismTest, OnAGpuNothingElseIsAllowed) {
  const auto& context = at::globalContext();
  setDeterministic(true, /*onGpu=*/true);
  EXPECT_TRUE(context.deterministicAlgorithms());
  EXPECT_FALSE(context.deterministicAlgorithmsWarnOnly()) << "flash attention then warns and does not repeat itself";
  EXPECT_FALSE(context.deterministicFillUninitializedMemory()) << "would write each new tensor once for nothing";
  setDeterministic(false, /*onGpu=*/true);
  EXPECT_FALSE(context.deterministicAlgorithms());
  setDeterministic(true, /*onGpu=*/false);
  EXPECT_TRUE(context.deterministicAlgorithms());
}

TEST(GrowingSegmentsTest, AreTakenUnlessTheEnvironmentSaysHow) {
  using c10::CachingAllocator::AcceleratorAllocatorConfig;
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
  setenv("PYTORCH_ALLOC_CONF", "expandable_segments:False", 1);
  useExpandableSegments();
  EXPECT_FALSE(AcceleratorAllocatorConfig::use_expandable_segments());
  unsetenv("PYTORCH_ALLOC_CONF");
  useExpandableSegments();
  EXPECT_TRUE(AcceleratorAllocatorConfig::use_expandable_segments());
}

TEST(MatrixPrecisionTest, Tf32IsOfGpusAlone) {
  const auto of = [](at::Float32Backend backend) {
    return at::globalContext().float32Precision(backend, at::Float32Op::MATMUL);
  };
  const at::Float32Precision processor = of(at::Float32Backend::MKLDNN);
  setMatmulPrecision(Precision::Tf32);
  EXPECT_EQ(of(at::Float32Backend::CUDA), at::Float32Precision::TF32);
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS()) << "LibTorch asks by two ways, and throws if they differ";
  EXPECT_EQ(of(at::Float32Backend::MKLDNN), processor);
  setMatmulPrecision(Precision::Fp32);
  EXPECT_EQ(of(at::Float32Backend::CUDA), at::Float32Precision::IEEE);
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
  EXPECT_EQ(computeType(Precision::Tf32), at::kFloat);
}

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

// What a long-lived process, such as the window, held before is not the run's.
TEST(RunMemoryTest, CountsFromTheStartOfTheRun) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps freed memory resident";
#endif
  const auto touched = [](std::int64_t mib) { return std::vector<char>(static_cast<std::size_t>(mib * kMiB), 'x'); };
  { const std::vector<char> earlier = touched(400); }
  const std::vector<char> held = touched(100);
  DevicesConfig config;
  config.use = "cpu";
  for (int run = 0; run < 2; ++run) {
    const auto devices = test::checked(useDevices(config));
    EXPECT_LT(deviceMemory(*devices).front().peak, 40 * kMiB) << run;
    { const std::vector<char> own = touched(150); }
    const std::vector<char> kept = touched(60);
    DeviceMemory memory = deviceMemory(*devices).front();
    // On a busy machine the kernel's count of resident pages may lag.
    for (int i = 0; i < 20 && memory.allocated > 100 * kMiB; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      memory = deviceMemory(*devices).front();
    }
    EXPECT_NEAR(static_cast<double>(memory.allocated), 60.0 * kMiB, 40.0 * kMiB) << run;
    EXPECT_LT(memory.peak, 250 * kMiB) << run;
  }
  EXPECT_EQ(held.front(), 'x');
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
    const ChargeAllocationsTo second(1);
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
  const ChargeAllocationsTo second(1);
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

class MemoryProbeTest : public testing::Test {
 protected:
  static Replica makeReplica() {
    useCountingHostAllocator();
    at::set_num_threads(1);
    auto model = test::checked(EncoderModel::create(test::smallShape(), Precision::Fp32, at::kCPU, 5));
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

TEST_F(MemoryProbeTest, KeepsTheScaleOfTheLoss) {
  AdamWOptions options;
  options.scalesLoss = true;
  AdamW optimizer(replica_.model.parameters(), options);
  Replica replica{std::move(replica_.model), std::move(optimizer)};
  const float before = replica.optimizer.lossScale().item<float>();
  StepProbe probe(replica, 0.15);
  ASSERT_TRUE(probe.measure(2, {32, 4}).ok());
  EXPECT_EQ(replica.optimizer.lossScale().item<float>(), before);
}

constexpr std::array<char, 16> kUuid = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, static_cast<char>(0xFF)};

TEST(DriverMemoryTest, IsThatOfTheGpuWithThisName) {
  const auto driver = NvmlLibrary::load(BATCHWISE_MADE_UP_DRIVER);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->usedBytes(nvmlUuid(kUuid.data())), std::int64_t{5} << 30);
  EXPECT_EQ(driver->usedBytes("GPU-00000000-0000-0000-0000-000000000000"), 0);
}

TEST(DriverMemoryTest, NoLibraryIsNoHarm) {
  EXPECT_EQ(NvmlLibrary::load("libno-such-driver.so.1"), nullptr);
  EXPECT_EQ(NvmlLibrary::load("libm.so.6"), nullptr) << "a library without these functions";
}

// What LibTorch calls before it waits for a GPU; needs none.
void waitForDevice() {
  c10::cuda::warn_or_error_on_sync();
}

TEST(HostSyncsTest, CountsWithinStepsAfterTheFirst) {
  HostSyncs syncs(/*wanted=*/true);
  for (int step = 0; step < HostSyncs::kWarmSteps + 4; ++step) {
    const auto counted = syncs.countStep();
    EXPECT_FALSE(syncs.text().has_value() && step <= HostSyncs::kWarmSteps);
    waitForDevice();
    if (step == HostSyncs::kWarmSteps + 1) waitForDevice();
  }
  waitForDevice();
  EXPECT_EQ(syncs.text(), "host syncs per step: 1.25 (5 in 4 steps)");
}

TEST(HostSyncsTest, OtherWarningsReachTheirHandler) {
  class Heard final : public c10::WarningHandler {
   public:
    void process(const c10::Warning& warning) override { text += warning.msg(); }
    std::string text;
  } heard;
  const c10::WarningUtils::WarningHandlerGuard guard(&heard);
  HostSyncs syncs(/*wanted=*/true);
  {
    const auto counted = syncs.countStep();
    waitForDevice();
    TORCH_WARN("another matter");
  }
  EXPECT_EQ(heard.text, "another matter");
  EXPECT_EQ(c10::WarningUtils::get_warning_handler(), &heard);
}

TEST(HostSyncsTest, NothingIsSwitchedOnUnlessWanted) {
  HostSyncs syncs(/*wanted=*/false);
  EXPECT_FALSE(syncs.countStep().has_value());
  EXPECT_FALSE(syncs.text().has_value());
}

}  // namespace
}  // namespace batchwise
