// SPDX-License-Identifier: GPL-3.0-or-later
// Training on CUDA: what repeats itself, what is saved and what comes back. Skipped without a GPU.
#include <ATen/cuda/CUDAContext.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "core/dist/thread_group.h"
#include "core/model/adamw.h"
#include "core/train/checkpoint/checkpoint_state.h"
#include "core/train/device_memory.h"
#include "core/train/devices.h"
#include "core/train/gradient_reducer.h"
#include "core/train/train_loop.h"
#include "tests/cuda/cuda_model.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using namespace cuda_test;

const at::Device kGpu(at::kCUDA, 0);

class CudaTrainTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device here";
    DevicesConfig config;
    config.use = "cuda:0";
    const auto used = useDevices(config);
    ASSERT_TRUE(used.ok()) << used.error().text();
  }
};

/// Sequences of several blocks of keys each: only then several blocks of a kernel add to one gradient.
MicroBatch longBatch() {
  return batchOf({512, 300, 448, 512, 385, 310, 512, 2});
}

ModelShape longShape() {
  ModelShape shape = smallShape();
  shape.maxPositions = 512;
  shape.hiddenDropout = 0.1;
  return shape;
}

void expectSameBits(const Outcome& one, const Outcome& two, const EncoderModel& model) {
  EXPECT_EQ(one.loss, two.loss);
  for (std::size_t p = 0; p < one.gradients.size(); ++p)
    EXPECT_TRUE(at::equal(one.gradients[p], two.gradients[p])) << model.parameters()[p].name;
}

TEST_F(CudaTrainTest, LongSequencesRepeatThemselvesBitForBit) {
  EXPECT_TRUE(c10::CachingAllocator::AcceleratorAllocatorConfig::use_expandable_segments() ||
              getenv("PYTORCH_CUDA_ALLOC_CONF") != nullptr || getenv("PYTORCH_ALLOC_CONF") != nullptr);
  for (const auto precision : {Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::Fp16}) {
    setMatmulPrecision(precision);
    for (const double attentionDropout : {0.0, 0.1}) {
      ModelShape shape = longShape();
      shape.attentionDropout = attentionDropout;
      EncoderModel model = modelOn(shape, precision, kGpu);
      const Outcome one = run(model, longBatch());
      for (int again = 0; again < 5; ++again) expectSameBits(one, run(model, longBatch()), model);
    }
  }
  setMatmulPrecision(Precision::Fp32);
}

TEST_F(CudaTrainTest, Tf32IsLessExactThanFp32ButClose) {
  EncoderModel model = modelOn(longShape(), Precision::Tf32, kGpu);
  setMatmulPrecision(Precision::Tf32);
  const Outcome coarse = run(model, longBatch());
  setMatmulPrecision(Precision::Fp32);
  const Outcome exact = run(model, longBatch());
  EXPECT_NEAR(coarse.loss, exact.loss, 2e-3 * exact.loss);
  EXPECT_FALSE(at::equal(coarse.gradients[10], exact.gradients[10])) << "nothing was computed in TF32";
}

// The backward pass must drop what the forward pass dropped: else the gradient is not that of the objective.
TEST_F(CudaTrainTest, AttentionDropoutIsTheSameInTheBackwardPass) {
  ModelShape shape = longShape();
  shape.hiddenDropout = 0;
  shape.attentionDropout = 0.3;
  EncoderModel model = modelOn(shape, Precision::Fp32, kGpu);
  const DeviceBatch batch = toDevice(longBatch(), kGpu);
  const auto objective = [&](double along) {
    const torch::NoGradGuard noGrad;
    for (const NamedTensor& named : model.parameters()) at::Tensor(named.tensor).add_(named.tensor.grad(), along);
    const double value = model.forward(batch, {17, 3, true}).objective.item<double>();
    for (const NamedTensor& named : model.parameters()) at::Tensor(named.tensor).sub_(named.tensor.grad(), along);
    return value;
  };
  run(model, longBatch());
  double squares = 0;
  for (const NamedTensor& named : model.parameters()) squares += named.tensor.grad().square().sum().item<double>();
  const double step = 1e-2 / std::sqrt(squares);
  const double found = (objective(step) - objective(-step)) / (2 * step) / static_cast<double>(longBatch().predicted());
  EXPECT_NEAR(found, squares, 0.02 * squares);
  const Outcome other = run(model, longBatch());
  const LossSums later = model.forward(batch, {17, 4, true});
  EXPECT_NE(other.loss, later.loss.item<double>() / static_cast<double>(later.predicted)) << "each step has its masks";
}

TEST_F(CudaTrainTest, RecomputedLayersGiveTheSameBits) {
  for (const auto precision : {Precision::Fp32, Precision::Bf16}) {
    ModelShape shape = longShape();
    shape.attentionDropout = 0.1;
    EncoderModel model = modelOn(shape, precision, kGpu);
    const Outcome kept = run(model, longBatch());
    model.recomputeLayers(true);
    expectSameBits(kept, run(model, longBatch()), model);
  }
}

TEST_F(CudaTrainTest, Fp16ScalesTheLossAndHalvesTheScaleWhereAGradientDoesNotFit) {
  EncoderModel exact = modelOn(longShape(), Precision::Fp32, kGpu);
  EncoderModel half = modelOn(longShape(), Precision::Fp16, kGpu);
  AdamWOptions options;
  options.scalesLoss = true;
  AdamW optimizer(half.parameters(), options), exactOptimizer(exact.parameters(), {});
  const DeviceBatch batch = toDevice(longBatch(), kGpu);
  const auto step = [&](EncoderModel& model, AdamW& ofModel, std::int64_t number) {
    ofModel.zeroGradients();
    const LossSums sums = model.forward(batch, {17, number, true});
    model.backward(sums, 1.0 / static_cast<double>(sums.predicted), ofModel.lossScale());
    const StepOutcome done = ofModel.step(1e-3);
    model.parametersChanged();
    return std::pair(sums.loss.item<double>(), done);
  };
  for (std::int64_t number = 0; number < 10; ++number) {
    const auto [expected, exactStep] = step(exact, exactOptimizer, number);
    const auto [found, halfStep] = step(half, optimizer, number);
    ASSERT_EQ(halfStep.foundInf.item<float>(), 0.0F) << number;
    EXPECT_NEAR(found, expected, 1e-2 * expected) << number;
    EXPECT_NEAR(halfStep.gradientNorm.item<double>(), exactStep.gradientNorm.item<double>(),
                0.05 * exactStep.gradientNorm.item<double>());
  }
  const at::Tensor before = half.parameters().front().tensor.detach().clone();
  at::Tensor(optimizer.lossScale()).fill_(1e30);
  EXPECT_EQ(step(half, optimizer, 10).second.foundInf.item<float>(), 1.0F);
  EXPECT_FLOAT_EQ(optimizer.lossScale().item<float>(), 5e29F);
  EXPECT_TRUE(at::equal(before, half.parameters().front().tensor.detach())) << "a step that is skipped changes nothing";
}

TEST_F(CudaTrainTest, GradientsThatAreAddedUpOnTheWayAreWholeAtTheEnd) {
  EncoderModel model = modelOn(longShape(), Precision::Bf16, kGpu);
  const Outcome alone = run(model, longBatch());
  ThreadGroup group(1);
  const auto communicator = group.communicator(0);
  GradientReducer sums(model, *communicator, 1 << 14);
  ASSERT_GT(sums.buckets(), 3);
  sums.prepareForBackward();
  const Outcome added = run(model, longBatch());
  ASSERT_TRUE(sums.finish().ok());
  expectSameBits(alone, added, model);
}

TEST_F(CudaTrainTest, AProbeMeasuresMoreForMoreAndLeavesTheWeightsAlone) {
  EncoderModel model = modelOn(longShape(), Precision::Bf16, kGpu);
  AdamW optimizer(model.parameters(), {});
  Replica replica{std::move(model), std::move(optimizer)};
  const at::Tensor before = replica.model.parameters().front().tensor.detach().clone();
  StepProbe probe(replica, 0.15);
  // As many tokens as eight of 512, in one of 512 and 896 of 4: flash attention has 128 rows more for each.
  std::vector<std::int64_t> manyShort(896, 4);
  manyShort.push_back(512);
  const auto one = probe.measure(1, {512}), eight = probe.measure(8, {512}), many = probe.measure(1, manyShort);
  ASSERT_TRUE(one.ok() && eight.ok() && many.ok());
  EXPECT_TRUE(eight->fits);
  EXPECT_GT(eight->peakBytes, one->peakBytes);
  EXPECT_EQ(eight->residentBytes, one->residentBytes);
  const std::int64_t ofFlash = 896 * 128 * longShape().hiddenSize * static_cast<std::int64_t>(sizeof(float));
  EXPECT_GT(many->peakBytes, eight->peakBytes + ofFlash / 2);
  EXPECT_TRUE(at::equal(before, replica.model.parameters().front().tensor.detach()));
}

TEST_F(CudaTrainTest, WhatTensorsTakeCountsIntoThePeakAndNotAgainstWhatIsUsable) {
  constexpr std::int64_t kBytes = std::int64_t{256} << 20;
  const std::int64_t usable = usableDeviceBytes(kGpu), peak = deviceTensorBytes(kGpu).peak;
  const auto total = static_cast<std::int64_t>(at::cuda::getDeviceProperties(0)->totalGlobalMem);
  EXPECT_GT(usable, kBytes);
  EXPECT_LE(usable, total);
  {
    std::vector<at::Tensor> tensors;
    for (std::int64_t taken = 0; taken <= peak; taken += kBytes)
      tensors.push_back(at::empty({kBytes}, at::TensorOptions(kGpu).dtype(at::kByte)));
    EXPECT_GT(deviceTensorBytes(kGpu).peak, peak);
    EXPECT_NEAR(static_cast<double>(usableDeviceBytes(kGpu)), static_cast<double>(usable),
                0.02 * static_cast<double>(total));
  }
  EXPECT_GT(deviceTensorBytes(kGpu).peak, peak);
  DevicesConfig config;
  config.use = "cuda:0";
  ASSERT_TRUE(useDevices(config).ok());
  EXPECT_LE(deviceTensorBytes(kGpu).peak, peak) << "a run begins without the peak of the one before";
}

TEST_F(CudaTrainTest, ASnapshotIsOfItsMomentWhateverComesAfter) {
  std::vector<NamedTensor> tensors;
  for (const std::int64_t numbers : {1, 1000, 20'000'000})  // the last one fills more than two buffers
    tensors.push_back({std::to_string(numbers), at::rand({numbers}, at::TensorOptions(kGpu))});
  tensors.push_back({"steps", at::full({1}, 7, at::TensorOptions(kGpu).dtype(at::kInt))});
  tensors.push_back({"on the host", at::ones({5})});
  std::vector<at::Tensor> expected;
  std::int64_t bytes = 0;
  for (const NamedTensor& named : tensors) {
    expected.push_back(named.tensor.cpu() + 1);
    bytes += static_cast<std::int64_t>(named.tensor.nbytes());
  }
  // The device is behind: what is copied, and the copies, come to be long after the host has asked for them.
  at::Tensor work = at::rand({4096, 4096}, at::TensorOptions(kGpu));
  for (int i = 0; i < 100; ++i) work = at::softmax(at::matmul(work, work), -1);
  for (const NamedTensor& named : tensors) at::Tensor(named.tensor).add_(1);
  const std::unique_ptr<Snapshot> snapshot = makeGpuSnapshot(tensors);
  EXPECT_EQ(snapshot->bytes(), bytes);
  for (const NamedTensor& named : tensors) at::Tensor(named.tensor).zero_();
  std::vector<NamedTensor> host;
  std::thread([&] { host = snapshot->toHost({}); }).join();
  EXPECT_EQ(snapshot->bytes(), 0) << "the device has its memory back";
  ASSERT_EQ(host.size(), tensors.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    EXPECT_EQ(host[i].name, tensors[i].name);
    EXPECT_TRUE(host[i].tensor.is_cpu());
    EXPECT_TRUE(at::equal(host[i].tensor, expected[i])) << host[i].name;
  }
}

TEST_F(CudaTrainTest, ASnapshotThatTheDeviceHasNoMemoryForIsNone) {
  const std::vector<NamedTensor> tensors = {{"weights", at::ones({64 << 20}, at::TensorOptions(kGpu))}};
  const std::int64_t room = usableDeviceBytes(kGpu);
  EXPECT_NE(takeSnapshot(tensors, room, makeGpuSnapshot), nullptr);
  c10::cuda::CUDACachingAllocator::emptyCache();
  // As much as is taken now, and no more.
  const auto taken =
      static_cast<double>(c10::cuda::CUDACachingAllocator::getDeviceStats(0)
                              .reserved_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)]
                              .current);
  c10::cuda::CUDACachingAllocator::setMemoryFraction(
      taken / static_cast<double>(at::cuda::getDeviceProperties(0)->totalGlobalMem), 0);
  EXPECT_EQ(takeSnapshot(tensors, room, makeGpuSnapshot), nullptr);
  EXPECT_LT(usableDeviceBytes(kGpu), room);
  c10::cuda::CUDACachingAllocator::setMemoryFraction(1.0, 0);
}

TEST_F(CudaTrainTest, AResumedRunIsOneThatWasNotStopped) {
  for (const char* precision : {"precision=fp32", "precision=bf16", "precision=fp16"}) {
    const std::vector<std::string> changes = {"devices.use=cuda:0", precision};
    const test::SmallRuns runs;
    const auto whole = runs.train(runs.fresh(changes));
    ASSERT_TRUE(whole.end.ok()) << whole.end.error().text();
    const auto first = runs.train(runs.fresh(changes), 7);
    ASSERT_TRUE(first.end.ok()) << first.end.error().text();
    const auto second = runs.train(runs.resume(first.run(), changes));
    ASSERT_TRUE(second.end.ok()) << second.end.error().text();
    test::expectSameRows(whole.log.rows, test::joined(first.log.rows, second.log.rows));
    test::expectSameState(runs.newest(whole.run()), runs.newest(second.run()));
  }
}

/// Breaks the GPU in the middle of a run, as a wrong address in a kernel does: the error comes with a later call.
class GpuBreaker final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    const auto* row = std::get_if<MetricsRow>(&event);
    if (row == nullptr || row->at.batch < 3 || std::exchange(isBroken_, true)) return;
    const at::Tensor outside = at::full({1}, 1'000'000, at::TensorOptions(kGpu).dtype(at::kLong));
    at::index_select(at::zeros({8}, at::TensorOptions(kGpu)), 0, outside);
  }

 private:
  bool isBroken_ = false;
};

// Writes to stderr how the run ended in which the GPU broke, and the one after it.
void trainOnABrokenGpu() {
  const test::SmallRuns runs;
  const auto train = [&runs] {
    GpuBreaker events;
    CommandMailbox commands;
    const LaunchRequest request = runs.fresh({"devices.use=cuda:0", "checkpoint.interval=1ba"});
    const Result<RunFinished> end = trainRun(request, events, commands, SystemClock());
    if (!end.ok()) std::cerr << "error: " << end.error().text() << "\n";
    if (end.ok()) std::cerr << choiceName(end->status) << ": " << end->reason << "\n";
  };
  for (int run = 0; run < 2; ++run) {
    std::cerr << "run " << run << "\n";
    train();
  }
}

TEST_F(CudaTrainTest, AGpuThatFailsEndsTheRunWithAReasonAndNotTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // CUDA does not survive a fork
  const auto breakGpu = [] {
    trainOnABrokenGpu();
    std::exit(0);
  };
  EXPECT_EXIT(breakGpu(), testing::ExitedWithCode(0),
              testing::AllOf(testing::ContainsRegex("run 0\n.*device-side assert triggered.*start it again.*run 1\n"),
                             testing::ContainsRegex("run 1\n.*start it again")));
}

}  // namespace
}  // namespace batchwise
