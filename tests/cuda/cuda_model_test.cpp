// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cuda/cuda_model.h"

#include <ATen/cuda/CUDAContext.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "core/base/format.h"
#include "core/base/process_setup.h"
#include "core/dist/nccl_communicator.h"
#include "core/dist/thread_group.h"
#include "core/model/adamw.h"
#include "core/model/backend.h"
#include "core/model/backend_check.h"
#include "core/model/example_norms.h"
#include "core/model/kernels/cuda_kernels.h"
#include "core/train/checkpoint/checkpoint_state.h"
#include "core/train/device_memory.h"
#include "core/train/devices.h"
#include "core/train/gradient_parts.h"
#include "core/train/gradient_reducer.h"
#include "core/train/train_loop.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using namespace cuda_test;

// The same model, weights and batches on CUDA and on the CPU. Skipped without a GPU.

// As in main() of the programs, for all tests: CUDA has not started.
[[maybe_unused]] const bool environmentIsSet = (setGpuEnvironment(), true);

class CudaModelTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device here";
  }
};

void expectClose(const ModelShape& shape, Precision precision, double limit,
                 const MicroBatch& batch = batchOf({9, 33, 14, 64, 2})) {
  EncoderModel host = modelOn(shape, Precision::Fp32, at::kCPU);
  EncoderModel device = modelOn(shape, precision, at::Device(at::kCUDA, 0));
  const Outcome expected = run(host, batch);
  const Outcome found = run(device, batch);
  EXPECT_NEAR(found.loss, expected.loss, limit * expected.loss);
  for (std::size_t p = 0; p < expected.gradients.size(); ++p) {
    const double size = expected.gradients[p].norm().item<double>();
    if (size < 1e-4) continue;  // rounding noise
    EXPECT_LT((found.gradients[p] - expected.gradients[p]).norm().item<double>() / size, 10 * limit)
        << host.parameters()[p].name;
  }
}

TEST_F(CudaModelTest, EqualsTheCpuWithTheSameDropout) {
  ModelShape shape = smallShape();
  expectClose(shape, Precision::Fp32, 2e-3);
  shape.norm = NormPlacement::Pre;
  shape.layerDrop = 0.3;
  expectClose(shape, Precision::Fp32, 2e-3);
  shape.attentionLogitL2 = 0.01;
  expectClose(shape, Precision::Fp32, 2e-3);
  expectClose(smallShape(), Precision::Bf16, 3e-2);
}

ModelShape familyShape(ModelFamily family) {
  ModelShape shape = inFamily(cuda_test::smallShape(), family);
  shape.hiddenDropout = cuda_test::smallShape().hiddenDropout;
  if (shape.traits().groupsKeys) shape.keyValueHeads = 2;
  if (shape.localAttention == 0) return shape;
  shape.globalAttentionEvery = 2;
  shape.localAttention = 9;
  shape.localRopeTheta = 1000;
  return shape;
}

TEST_F(CudaModelTest, EveryFamilyEqualsTheCpu) {
  for (const ModelFamily family :
       {ModelFamily::Roberta, ModelFamily::ModernBert, ModelFamily::EuroBert, ModelFamily::NeoBert}) {
    SCOPED_TRACE(choiceName(family));
    ModelShape shape = familyShape(family);
    expectClose(shape, Precision::Fp32, 2e-3);
    expectClose(shape, Precision::Bf16, 3e-2);
    shape.attentionLogitL2 = 0.01;
    if (shape.globalAttentionEvery > 1) shape.globalAttentionEvery = 3;  // a window in the last layer
    expectClose(shape, Precision::Fp32, 2e-3);
  }
}

// The last layer computes the queries of predicted tokens only: one per sequence here, or none.
TEST_F(CudaModelTest, GroupedHeadsEqualTheCpuWithOneQueryPerSequence) {
  const ModelShape shape = familyShape(ModelFamily::EuroBert);
  ASSERT_LT(shape.keyValueHeads, shape.heads);
  const MicroBatch one = batchOf({2, 7, 3, 6, 5});
  ASSERT_EQ(one.predicted(), one.sequences());
  MicroBatch joined = batchOf({7, 12});
  joined.attentionStarts = {0, 3, 7, 12, 19};  // documents; the second one predicts none
  ASSERT_EQ(joined.predictedPositions, (std::vector<std::int32_t>{1, 8, 14}));
  for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
    SCOPED_TRACE(choiceName(precision));
    expectClose(shape, precision, precision == Precision::Fp32 ? 2e-3 : 3e-2, one);
    expectClose(shape, precision, precision == Precision::Fp32 ? 2e-3 : 3e-2, joined);
  }
}

TEST_F(CudaModelTest, APassTakesAsManySequencesAsAGridAndNoMore) {
  for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
    SCOPED_TRACE(choiceName(precision));
    EncoderModel device = modelOn(smallShape(), precision, at::Device(at::kCUDA, 0));
    const auto passOf = [&](std::size_t sequences) {
      return run(device, batchOf(std::vector<std::int32_t>(sequences, 2))).loss;
    };
    EXPECT_NEAR(passOf(65535), passOf(1000), 0.05);
    EXPECT_THROW(passOf(65536), c10::OutOfMemoryError);
  }
}

TEST_F(CudaModelTest, MeasuresTheSameLargestAttentionLogit) {
  const MicroBatch batch = batchOf({9, 33, 14, 64, 2});
  for (const double penalty : {0.0, 0.01}) {
    ModelShape shape = smallShape();
    shape.attentionLogitL2 = penalty;
    const auto largest = [&](Precision precision, at::Device device) {
      EncoderModel model = modelOn(shape, precision, device);
      const ForwardOptions options{17, 3, /*training=*/true, /*measureLogits=*/true};
      return model.forward(toDevice(batch, device), options).largestLogit.item<double>();
    };
    const double expected = largest(Precision::Fp32, at::kCPU);
    EXPECT_NEAR(largest(Precision::Fp32, at::Device(at::kCUDA, 0)), expected, 1e-3 * expected);
    EXPECT_NEAR(largest(Precision::Bf16, at::Device(at::kCUDA, 0)), expected, 3e-2 * expected);
  }
}

// Rows that the one kernel takes, and rows that it does not.
TEST_F(CudaModelTest, DropsTheSameFeaturesBitForBit) {
  for (const std::int64_t width : {128, 131}) {
    ASSERT_EQ(cudaAddNormSupports(width), width == 128);
    const std::int64_t rows = 37;
    const at::Tensor ones = at::ones({rows, width});
    const at::Tensor keys = at::arange(rows, at::kLong) * 977;
    const at::Tensor gamma = at::ones({width}), beta = at::zeros({width});
    NormOptions options;
    options.dropout = makeDropout(1, 2, 3, DropoutSite::LayerOutput, 0.3);
    const auto host = cpuBackend().addNorm(ones, {}, {}, keys, gamma, beta, options);
    const auto device = cudaBackend().addNorm(ones.cuda(), {}, {}, keys.cuda(), gamma.cuda(), beta.cuda(), options);
    EXPECT_TRUE(at::equal(device.sum.cpu(), host.sum)) << width;
    EXPECT_TRUE(at::allclose(device.output.cpu(), host.output, 1e-5, 1e-5)) << width;
  }
}

TEST_F(CudaModelTest, EachOperationPassesItsCheck) {
  for (const OperationCheck& check : checkOperations(cudaBackend(), at::Device(at::kCUDA, 0)))
    EXPECT_TRUE(check.good()) << operationName(check.group) << " " << check.type << ": " << check.error
                              << check.problem;
}

// More rows than a tile of sums has, words that are frequent, and rows that the kernel takes and does not.
TEST_F(CudaModelTest, EmbeddingsOfManyTokensAreThoseOfTheCpu) {
  constexpr std::int64_t kWords = 3000, kRows = 5000;
  const at::Tensor ids = at::rand({kRows}).pow(6).mul(kWords - 1).to(at::kLong);
  const at::Tensor positions = at::arange(kRows).remainder(130), keys = at::arange(kRows) * 977;
  for (const std::int64_t width : {768, 99}) {
    ASSERT_EQ(cudaEmbedSupports(width), width == 768);
    const EmbeddingWeights host{at::randn({kWords, width}), at::randn({512, width}), at::randn({2, width}),
                                at::randn({width}), at::randn({width})};
    const EmbeddingWeights device{host.word.cuda(), host.position.cuda(), host.type.cuda(), host.gamma.cuda(),
                                  host.beta.cuda()};
    NormOptions options;
    options.dropout = makeDropout(1, 2, -1, DropoutSite::Embeddings, 0.1);
    const at::Tensor outer = at::randn({kRows, width});
    const auto expected = cpuBackend().embed(ids, positions, keys, host, options, at::kFloat);
    const auto found = cudaBackend().embed(ids.cuda(), positions.cuda(), keys.cuda(), device, options, at::kFloat);
    EXPECT_TRUE(at::allclose(found.output.cpu(), expected.output, 1e-4, 1e-4)) << width;
    const auto g = cpuBackend().embedGradient(outer, expected, ids, positions, keys, host, options);
    const auto on =
        cudaBackend().embedGradient(outer.cuda(), found, ids.cuda(), positions.cuda(), keys.cuda(), device, options);
    const std::pair<at::Tensor, at::Tensor> pairs[] = {
        {on.word, g.word}, {on.position, g.position}, {on.type, g.type}, {on.gamma, g.gamma}, {on.beta, g.beta}};
    for (const auto& [one, other] : pairs) EXPECT_TRUE(at::allclose(one.cpu(), other, 1e-3, 1e-3)) << width;
  }
}

TEST_F(CudaModelTest, GradientsAreTheSameBitForBitAgain) {
  setDeterministic(true, /*onGpu=*/true);
  for (const ModelFamily family : {ModelFamily::Bert, ModelFamily::ModernBert, ModelFamily::EuroBert}) {
    EncoderModel model = modelOn(familyShape(family), Precision::Bf16, at::Device(at::kCUDA, 0));
    const MicroBatch batch = batchOf({9, 33, 14, 64, 2, 64, 64, 51});
    const Outcome once = run(model, batch), again = run(model, batch);
    EXPECT_EQ(once.loss, again.loss) << choiceName(family);
    for (std::size_t p = 0; p < once.gradients.size(); ++p)
      EXPECT_TRUE(at::equal(once.gradients[p], again.gradients[p])) << model.parameters()[p].name;
  }
  setDeterministic(false, /*onGpu=*/true);
}

/// What the noise scale of a step is computed from.
struct PartNorms {
  std::vector<at::Tensor> ofSequences;  // of each micro-batch, [sequences], fp64, on the host
  std::vector<double> sums;             // of samples and of micro-batches, each with the complete gradient
};

PartNorms partNormsOf(EncoderModel& model, const std::vector<MicroBatch>& step) {
  std::int64_t predicted = 0;
  for (const MicroBatch& batch : step) predicted += batch.predicted();
  PartNorms found;
  std::vector<at::Tensor> all;
  for (const NamedTensor& named : model.parameters()) all.push_back(named.tensor);
  for (const auto of : {GradientParts::Of::Samples, GradientParts::Of::Microbatches}) {
    for (const at::Tensor& parameter : all) parameter.grad().zero_();
    GradientParts parts(model, of);
    parts.startStep();
    for (const MicroBatch& batch : step) {
      ExampleNorms* examples = parts.startPass(batch);
      const ForwardOptions options{17, 3, /*training=*/true, /*measureLogits=*/false, examples};
      const LossSums sums = model.forward(toDevice(batch, model.device()), options);
      model.backward(sums, 1.0 / static_cast<double>(predicted));
      parts.endPass(batch, predicted);
      if (examples != nullptr) found.ofSequences.push_back(examples->normSquared().cpu());
    }
    const at::Tensor whole = parts.wholeNormSquared();
    found.sums.push_back(parts.sum().item<double>());
    found.sums.push_back((whole.defined() ? whole : squaredGradientNorm(all)).item<double>());
  }
  return found;
}

// Sequences of unequal lengths, one of which predicts nothing. Rounding errors of bf16 are about 1 % of a gradient, and
// those of its squared norm twice that; a short sequence averages them over few tokens.
TEST_F(CudaModelTest, NormsOfSamplesAndMicrobatchesAreThoseOfTheCpu) {
  const std::vector<MicroBatch> step = {batchOf({9, 33, 1, 14}), batchOf({64, 2, 27})};
  for (const ModelFamily family : {ModelFamily::Bert, ModelFamily::ModernBert, ModelFamily::EuroBert}) {
    const ModelShape shape = familyShape(family);
    EncoderModel host = modelOn(shape, Precision::Fp32, at::kCPU);
    const PartNorms expected = partNormsOf(host, step);
    for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
      SCOPED_TRACE(formatText("{} {}", choiceName(family), choiceName(precision)));
      const double ofSequence = precision == Precision::Fp32 ? 2e-3 : 0.15, ofStep = ofSequence / 2;
      EncoderModel device = modelOn(shape, precision, at::Device(at::kCUDA, 0));
      const PartNorms found = partNormsOf(device, step);
      for (std::size_t batch = 0; batch < step.size(); ++batch)
        EXPECT_TRUE(at::allclose(found.ofSequences[batch], expected.ofSequences[batch], ofSequence, 1e-9))
            << found.ofSequences[batch] << expected.ofSequences[batch];
      for (std::size_t i = 0; i < expected.sums.size(); ++i)
        EXPECT_NEAR(found.sums[i], expected.sums[i], ofStep * expected.sums[i]) << i;
    }
  }
}

double relativeDifference(const at::Tensor& found, const at::Tensor& expected) {
  const torch::NoGradGuard noGrad;
  return (found.cpu() - expected).norm().item<double>() / std::max(1e-30, expected.norm().item<double>());
}

// Both take the gradients of the host: those of the device differ in the sign of what is almost 0, as Adam's steps then
// do. The third step is skipped.
TEST_F(CudaModelTest, OptimizerStepsLikeTheCpu) {
  constexpr std::array kBeta2 = {0.999, 0.98, 0.9, 0.95, 0.999, 0.6};
  constexpr double kRate = 1e-3, kLimit = 1e-4;
  const MicroBatch batch = batchOf({9, 33, 14});
  for (const auto& [clipsUpdates, beta2Varies] :
       {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
    SCOPED_TRACE(std::string(clipsUpdates ? "StableAdamW" : "AdamW") + (beta2Varies ? ", beta2 varies" : ""));
    EncoderModel host = modelOn(smallShape(), Precision::Fp32, at::kCPU);
    EncoderModel device = modelOn(smallShape(), Precision::Fp32, at::Device(at::kCUDA, 0));
    AdamWOptions options;
    options.weightDecay = 1;
    options.clipsUpdates = clipsUpdates;
    options.beta2Varies = beta2Varies;
    AdamW hostOptimizer(host.parameters(), options), deviceOptimizer(device.parameters(), options);
    for (std::size_t step = 0; step < kBeta2.size(); ++step) {
      SCOPED_TRACE(step);
      const double expectedLoss = run(host, batch).loss;
      EXPECT_NEAR(run(device, batch).loss, expectedLoss, 3e-3 * expectedLoss);
      const bool skips = step == 2;
      if (skips) host.parameters().front().tensor.grad().view(-1)[0].fill_(std::nan(""));
      for (std::size_t p = 0; p < host.parameters().size(); ++p)
        device.parameters()[p].tensor.grad().copy_(host.parameters()[p].tensor.grad());
      StepDecays decays;
      if (beta2Varies) decays.beta2 = kBeta2[step];
      decays.weightDecayFactor = step % 2 == 0 ? 1.0 : 0.25;
      const StepOutcome expected = hostOptimizer.step(kRate, {}, decays);
      const StepOutcome found = deviceOptimizer.step(kRate, {}, decays);
      host.parametersChanged();
      device.parametersChanged();
      EXPECT_EQ(expected.foundInf.item<float>(), skips ? 1.0F : 0.0F);
      EXPECT_EQ(found.foundInf.item<float>(), skips ? 1.0F : 0.0F);
      for (std::size_t p = 0; p < host.parameters().size(); ++p)
        EXPECT_LT(relativeDifference(device.parameters()[p].tensor, host.parameters()[p].tensor), kLimit)
            << host.parameters()[p].name;
      const std::vector<NamedTensor> hostState = hostOptimizer.stateTensors();
      const std::vector<NamedTensor> deviceState = deviceOptimizer.stateTensors();
      for (std::size_t i = 0; i < hostState.size(); ++i)
        EXPECT_LT(relativeDifference(deviceState[i].tensor, hostState[i].tensor), kLimit) << hostState[i].name;
      if (skips) continue;
      EXPECT_LT(relativeDifference(found.gradientNorm, expected.gradientNorm), kLimit);
      EXPECT_LT(relativeDifference(deviceOptimizer.largestUpdateRatio(kRate), hostOptimizer.largestUpdateRatio(kRate)),
                kLimit);
    }
  }
}

// Groups of NCCL: of one rank, which needs a GPU, and of two threads, which needs two. Skipped without them.

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

// Training on CUDA: what repeats itself, what is saved and what comes back. Skipped without a GPU.

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
  const std::vector<std::vector<std::string>> kinds = {
      {"precision=fp32"},
      {"precision=bf16"},
      {"precision=fp16"},
      {"precision=bf16", "log.noise_scale=examples"},
      {"precision=bf16", "log.noise_scale=microbatches"},  // three in a step
      {"precision=bf16", "optimizer.name=stable_adamw", "optimizer.beta2_half_life=4000tok"},
      {"precision=bf16", "batch.global_train_batch_size=4", "batch.rampup.from_schedule={factor: 2, cap: 4x}"},
      // What only other families, and other ways to compute attention, do: none of it may refuse to repeat itself.
      {"precision=bf16", "model.family=modernbert", "model.attention_probs_dropout_prob=0.1",
       "devices.activation_checkpointing=true"},
      {"precision=bf16", "model.family=roberta", "data.join_documents=true", "data.max_seq_len=48"},
      {"precision=fp32", "model.family=eurobert", "model.num_key_value_heads=1", "model.attention_logit_l2=0.01"},
      {"precision=bf16", "model.family=neobert", "guard.attention_logit={action: note, limit: 100}",
       "guard.update_ratio={action: note, limit: 100}"},
  };
  for (const std::vector<std::string>& kind : kinds) {
    SCOPED_TRACE(testing::PrintToString(kind));
    const std::vector<std::string> changes = test::with({"devices.use=cuda:0"}, kind);
    const test::SmallRuns runs;
    const auto whole = runs.train(runs.fresh(changes));
    ASSERT_TRUE(whole.end.ok()) << whole.end.error().text();
    // Its figures arrive two steps later, those of step 5 with its checkpoint: the command is obeyed in the sixth.
    const auto first = runs.train(runs.fresh(changes), 6);
    ASSERT_TRUE(first.end.ok()) << first.end.error().text();
    const auto second = runs.train(runs.resume(first.run(), changes));
    ASSERT_TRUE(second.end.ok()) << second.end.error().text();
    test::expectSameRows(whole.log.rows, test::joined(first.log.rows, second.log.rows));
    test::expectSameState(runs.newest(whole.run()), runs.newest(second.run()));
  }
}

// Figures arrive two steps later: the stop comes with a step that a guard rolls back once they are there.
TEST_F(CudaTrainTest, ARunThatIsStoppedRollsBackTheStepsUnderWayFirst) {
  const test::SmallRuns runs;
  const auto run = runs.train(
      runs.fresh({"devices.use=cuda:0", "precision=fp32", "checkpoint.interval=2ba",
                  "scheduler={name: chain, parts: [{name: constant, duration: 8ba, alpha: 1e-4}, {name: constant, "
                  "duration: 1ba, alpha: 1000}, {name: constant, duration: rest, alpha: 1e-4}]}",
                  "guard.update_ratio={action: roll_back, limit: 0.1}"}),
      9);  // the figures of step 8 come with its checkpoint
  ASSERT_TRUE(run.end.ok()) << run.end.error().text();
  EXPECT_TRUE(run.log.hasNote("rolled back to checkpoint"));
  EXPECT_EQ(run.end->status, RunStatus::Stopped) << run.end->reason;
  EXPECT_EQ(run.end->at.step, 10) << "the next step, with the weights of step 8";
}

// What fine-tuning learns through where a family has no token for the whole text.
TEST_F(CudaTrainTest, TheMeanOfASequenceAndItsGradientAreThoseOfTheCpu) {
  const at::Tensor rows = at::randn({10, 32}), outer = at::randn({4, 32});
  const auto ofDevice = [&](at::Device device) {
    DeviceBatch batch;
    batch.predictedStartsTensor = at::tensor({0, 3, 4, 8, 10}, at::kInt).to(device);
    const at::Tensor leaf = rows.to(device, at::kFloat, /*non_blocking=*/false, /*copy=*/true).requires_grad_();
    const at::Tensor means = meanOfSequences(leaf, batch);
    means.backward(outer.to(device));
    return std::array{means.detach().cpu(), leaf.grad().cpu()};
  };
  const auto expected = ofDevice(at::kCPU), found = ofDevice(kGpu);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-5, 1e-6)) << i;
}

// The figures of a step arrive two steps later.
TEST_F(CudaTrainTest, ANoteOnAStepHasTheClocksOfThatStep) {
  const test::SmallRuns runs;
  const auto run = runs.train(runs.fresh({"devices.use=cuda:0", "guard.grad_norm={action: note, limit: 1e-9}"}));
  ASSERT_TRUE(run.end.ok()) << run.end.error().text();
  std::int64_t step = 0;
  for (const RunNote& note : run.log.notes) {
    if (!note.text.starts_with(formatText("guard.grad_norm: the gradient norm of step {} is ", step + 1))) continue;
    EXPECT_EQ(note.at.step, ++step);
  }
  EXPECT_EQ(step, 8);  // each of the first ones is told
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
