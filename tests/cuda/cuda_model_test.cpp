// SPDX-License-Identifier: GPL-3.0-or-later
// The same model, weights and batches on CUDA and on the CPU. Skipped without a GPU.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <stdexcept>

#include "core/base/random.h"
#include "core/model/backend.h"
#include "core/model/bert_model.h"
#include "core/optim/adamw.h"

namespace batchwise {
namespace {

class CudaModelTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device here";
  }
};

MicroBatch batchOf(const std::vector<std::int32_t>& lengths) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    for (std::int32_t i = 0; i < lengths[s]; ++i) {
      const std::uint64_t bits = randomBits(s, static_cast<std::uint64_t>(i));
      if (i % 6 == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(mix64(bits), 211)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(bits, 211)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(static_cast<std::int64_t>(s));
    batch.placesInStep.push_back(static_cast<std::int32_t>(s));
    batch.longest = std::max(batch.longest, lengths[s]);
  }
  return batch;
}

ModelShape smallShape() {
  ModelShape shape;
  shape.vocabSize = 211;
  shape.hiddenSize = 64;
  shape.layers = 3;
  shape.heads = 4;
  shape.intermediateSize = 128;
  shape.maxPositions = 64;
  return shape;
}

BertModel modelOn(const ModelShape& shape, Precision precision, at::Device device) {
  auto model = BertModel::create(shape, precision, device, 5);
  if (!model) throw std::runtime_error(model.error().text());
  return std::move(*model);
}

struct Outcome {
  double loss = 0;
  std::vector<at::Tensor> gradients;  // on the host
};

Outcome run(BertModel& model, const MicroBatch& batch) {
  for (const auto& [name, tensor] : model.parameters()) tensor.grad().zero_();
  const LossSums sums = model.forward(toDevice(batch, model.device()), {17, 3, true});
  model.backward(sums, 1.0 / static_cast<double>(batch.predicted()));
  Outcome outcome{sums.loss.item<double>() / static_cast<double>(batch.predicted()), {}};
  for (const auto& [name, tensor] : model.parameters()) outcome.gradients.push_back(tensor.grad().cpu());
  return outcome;
}

void expectClose(const ModelShape& shape, Precision precision, double limit) {
  BertModel host = modelOn(shape, Precision::Fp32, at::kCPU);
  BertModel device = modelOn(shape, precision, at::Device(at::kCUDA, 0));
  const MicroBatch batch = batchOf({9, 33, 14, 64, 2});
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

TEST_F(CudaModelTest, MeasuresTheSameLargestAttentionLogit) {
  const MicroBatch batch = batchOf({9, 33, 14, 64, 2});
  for (const double penalty : {0.0, 0.01}) {
    ModelShape shape = smallShape();
    shape.attentionLogitL2 = penalty;
    const auto largest = [&](Precision precision, at::Device device) {
      BertModel model = modelOn(shape, precision, device);
      const ForwardOptions options{17, 3, /*training=*/true, /*measureLogits=*/true};
      return model.forward(toDevice(batch, device), options).largestLogit.item<double>();
    };
    const double expected = largest(Precision::Fp32, at::kCPU);
    EXPECT_NEAR(largest(Precision::Fp32, at::Device(at::kCUDA, 0)), expected, 1e-3 * expected);
    EXPECT_NEAR(largest(Precision::Bf16, at::Device(at::kCUDA, 0)), expected, 3e-2 * expected);
  }
}

TEST_F(CudaModelTest, DropsTheSameFeaturesBitForBit) {
  const std::int64_t rows = 37, width = 131;
  const at::Tensor ones = at::ones({rows, width});
  const at::Tensor keys = at::arange(rows, at::kLong) * 977;
  const at::Tensor gamma = at::ones({width}), beta = at::zeros({width});
  NormOptions options;
  options.dropout = makeDropout(1, 2, 3, DropoutSite::LayerOutput, 0.3);
  const auto host = cpuBackend().addNorm(ones, {}, {}, keys, gamma, beta, options);
  const auto device = cudaBackend().addNorm(ones.cuda(), {}, {}, keys.cuda(), gamma.cuda(), beta.cuda(), options);
  EXPECT_TRUE(at::equal(device.sum.cpu(), host.sum));
}

TEST_F(CudaModelTest, RepeatsItselfBitForBit) {
  for (const auto precision : {Precision::Fp32, Precision::Bf16}) {
    BertModel model = modelOn(smallShape(), precision, at::Device(at::kCUDA, 0));
    const MicroBatch batch = batchOf({64, 64, 40, 7, 64, 33});
    const Outcome one = run(model, batch);
    const Outcome two = run(model, batch);
    EXPECT_EQ(one.loss, two.loss);
    for (std::size_t p = 0; p < one.gradients.size(); ++p)
      EXPECT_TRUE(at::equal(one.gradients[p], two.gradients[p])) << model.parameters()[p].name;
  }
}

TEST_F(CudaModelTest, OptimiserStepsLikeTheCpu) {
  BertModel host = modelOn(smallShape(), Precision::Fp32, at::kCPU);
  BertModel device = modelOn(smallShape(), Precision::Fp32, at::Device(at::kCUDA, 0));
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
