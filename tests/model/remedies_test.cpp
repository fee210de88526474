// SPDX-License-Identifier: GPL-3.0-or-later
// The options that keep deep models from diverging, each by its effect.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/base/random.h"
#include "core/model/encoder_model.h"

namespace batchwise {
namespace {

constexpr std::int32_t kLength = 16;

ModelShape shapeOf(std::int64_t layers) {
  ModelShape shape;
  shape.vocabSize = 61;
  shape.hiddenSize = 24;
  shape.layers = layers;
  shape.heads = shape.keyValueHeads = 3;
  shape.intermediateSize = 40;
  shape.maxPositions = 40;
  shape.hiddenDropout = 0;
  return shape;
}

// `sequences` of kLength tokens, every fourth predicted; another text for each `seed`.
DeviceBatch batchOf(std::uint64_t seed, std::int32_t sequences = 4) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::int32_t s = 0; s < sequences; ++s) {
    for (std::int32_t i = 0; i < kLength; ++i) {
      const auto place = static_cast<std::uint64_t>(batch.tokenIds.size());
      if (i % 4 == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(place));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(seed + 1, place), 61)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(seed, place), 61)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(s);
    batch.indicesInStep.push_back(s);
  }
  batch.longest = kLength;
  return toDevice(batch, at::kCPU);
}

EncoderModel sharpModelOf(const ModelShape& shape, double scale = 10.0) {
  auto model = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5);
  if (!model) throw std::runtime_error(model.error().text());
  const torch::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model->parameters())
    if (tensor.dim() == 2) at::Tensor(tensor).mul_(scale);
  model->parametersChanged();
  return std::move(*model);
}

double largestLogit(EncoderModel& model, const DeviceBatch& batch) {
  return model.forward(batch, {3, 0, /*training=*/true, /*measureLogits=*/true}).largestLogit.item<double>();
}

TEST(LargestLogitTest, OfQueriesThatAreZeroItIsTheLogarithmOfTheLength) {
  EncoderModel model = sharpModelOf(shapeOf(2));
  const torch::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model.parameters())
    if (name.find("self.query") != std::string::npos) at::Tensor(tensor).zero_();
  model.parametersChanged();
  EXPECT_NEAR(largestLogit(model, batchOf(1)), std::log(static_cast<double>(kLength)), 1e-5);
  EXPECT_FALSE(model.forward(batchOf(1), {3, 0, true}).largestLogit.defined());
}

TEST(LargestLogitTest, IsThatOfTheOneTokenThatEveryHeadLooksAt) {
  // One layer, the key's bias alone: every logit of head h is query . bias, the same for all keys.
  ModelShape shape = shapeOf(1);
  shape.heads = shape.keyValueHeads = 1;
  EncoderModel model = sharpModelOf(shape);
  const torch::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model.parameters()) {
    const bool query = name.find("self.query") != std::string::npos, key = name.find("self.key") != std::string::npos;
    if (query || key) at::Tensor(tensor).zero_();
    if ((query || key) && name.ends_with("bias")) at::Tensor(tensor).fill_(query ? 2.0 : 3.0);
  }
  model.parametersChanged();
  const double logit = 24 * 2.0 * 3.0 / std::sqrt(24.0);
  EXPECT_NEAR(largestLogit(model, batchOf(1)), logit + std::log(static_cast<double>(kLength)), 1e-4);
}

// A few steps down the gradient; what the largest logit is then.
double logitAfterTraining(double logitL2) {
  ModelShape shape = shapeOf(2);
  shape.attentionLogitL2 = logitL2;
  EncoderModel model = sharpModelOf(shape);
  for (int step = 0; step < 20; ++step) {
    const LossSums sums = model.forward(batchOf(1), {3, step, true});
    model.backward(sums, 1.0 / static_cast<double>(sums.predicted));
    const torch::NoGradGuard noGrad;
    for (const auto& [name, tensor] : model.parameters()) {
      at::Tensor(tensor).sub_(tensor.grad(), 0.02);
      tensor.grad().zero_();
    }
    model.parametersChanged();
  }
  return largestLogit(model, batchOf(1));
}

TEST(AttentionLogitL2Test, MakesTheLogitsShrink) {
  // Logits of zero have a log-sum-exp of the logarithm of the length.
  const double without = logitAfterTraining(0.0) - std::log(static_cast<double>(kLength));
  const double with = logitAfterTraining(10.0) - std::log(static_cast<double>(kLength));
  EXPECT_LT(with, 0.7 * without) << with << " with the penalty, " << without << " without";
}

TEST(LayerNormEpsTest, ReachesTheNormOfEveryLayerAndOfTheHead) {
  // So large an eps leaves nothing but the norms' biases: no token can be told from another any more.
  ModelShape shape = shapeOf(2);
  const at::Tensor usual = sharpModelOf(shape).logits(batchOf(1));
  EXPECT_GT((usual - usual[0]).abs().max().item<double>(), 0.1);
  for (const NormPlacement norm : {NormPlacement::Post, NormPlacement::Pre}) {
    shape.norm = norm;
    shape.layerNormEps = 1e20;
    const at::Tensor drowned = sharpModelOf(shape).logits(batchOf(1));
    EXPECT_LT((drowned - drowned[0]).abs().max().item<double>(), 1e-4);
  }
}

std::vector<bool> layersWithGradient(const ModelShape& shape, std::int64_t step, std::uint64_t text) {
  EncoderModel model = sharpModelOf(shape);
  const LossSums sums = model.forward(batchOf(text), {11, step, true});
  model.backward(sums, 1.0);
  std::vector<bool> trained(static_cast<std::size_t>(shape.layers), false);
  for (std::size_t layer = 0; layer < trained.size(); ++layer)
    for (const auto& [name, tensor] : model.parameters())
      if (name.find(".layer." + std::to_string(layer) + ".") != std::string::npos)
        trained[layer] = trained[layer] || tensor.grad().abs().max().item<double>() > 0;
  return trained;
}

TEST(LayerDropTest, DroppedLayersAreNotComputedAndAreTheSameForEveryText) {
  ModelShape shape = shapeOf(6);
  shape.layerDrop = 0.5;
  std::size_t dropped = 0;
  for (std::int64_t step = 0; step < 8; ++step) {
    const std::vector<bool> kept = keptLayers(shape, 11, step);
    EXPECT_EQ(layersWithGradient(shape, step, 1), kept) << "step " << step;
    EXPECT_EQ(layersWithGradient(shape, step, 2), kept) << "step " << step;  // another rank has another text
    dropped += static_cast<std::size_t>(std::count(kept.begin(), kept.end(), false));
  }
  EXPECT_GT(dropped, 8u);
}

}  // namespace
}  // namespace batchwise
