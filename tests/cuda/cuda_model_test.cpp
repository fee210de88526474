// SPDX-License-Identifier: GPL-3.0-or-later
// The same model, weights and batches on CUDA and on the CPU. Skipped without a GPU.
#include "tests/cuda/cuda_model.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <utility>

#include "core/base/process_setup.h"
#include "core/model/adamw.h"
#include "core/model/backend.h"
#include "core/model/backend_check.h"
#include "core/model/kernels/cuda_kernels.h"
#include "core/train/devices.h"

namespace batchwise {
namespace {

using namespace cuda_test;

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

TEST_F(CudaModelTest, OptimizerStepsLikeTheCpu) {
  EncoderModel host = modelOn(smallShape(), Precision::Fp32, at::kCPU);
  EncoderModel device = modelOn(smallShape(), Precision::Fp32, at::Device(at::kCUDA, 0));
  AdamW hostOptimizer(host.parameters(), {}), deviceOptimizer(device.parameters(), {});
  const MicroBatch batch = batchOf({9, 33, 14});
  for (int step = 0; step < 5; ++step) {
    const double expected = run(host, batch).loss;
    EXPECT_NEAR(run(device, batch).loss, expected, 3e-3 * expected) << step;
    hostOptimizer.step(1e-3);
    deviceOptimizer.step(1e-3);
  }
}

}  // namespace
}  // namespace batchwise
