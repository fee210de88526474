// SPDX-License-Identifier: GPL-3.0-or-later
// Layers computed again in the backward pass, and fp16.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/model/encoder_model.h"
#include "core/model/ops.h"
#include "core/model/weights.h"
#include "tests/model/small_model.h"

namespace batchwise {
namespace {

struct Pass {
  at::Tensor loss;
  at::Tensor largestLogit;
  std::vector<at::Tensor> gradients;
};

ModelShape someShape() {
  ModelShape shape = test::smallShape();
  shape.hiddenSize = 32;
  shape.layers = 4;
  shape.heads = shape.keyValueHeads = 2;
  shape.intermediateSize = 64;
  shape.hiddenDropout = 0.1;
  return shape;
}

Pass passOf(const ModelShape& shape, bool recompute, Precision precision = Precision::Fp32, double scale = 1.0) {
  auto model = EncoderModel::create(shape, precision, at::kCPU, 5);
  EXPECT_TRUE(model.ok());
  model->recomputeLayers(recompute);
  const LossSums sums =
      model->forward(test::drawnBatch({0, 1, 2, 3}, 16, 4), {3, 7, /*training=*/true, /*measureLogits=*/true});
  model->backward(sums, 1.0 / 16, at::full({1}, scale));
  Pass pass{sums.loss.clone(), sums.largestLogit.clone(), {}};
  for (const NamedTensor& named : model->parameters()) pass.gradients.push_back(named.tensor.grad().clone() / scale);
  return pass;
}

TEST(RecomputeTest, GivesTheSameBits) {
  ModelShape pre = someShape();
  pre.norm = NormPlacement::Pre;
  ModelShape penalised = someShape();
  penalised.attentionLogitL2 = 0.1;
  ModelShape dropping = someShape();
  dropping.layerDrop = 0.5;
  std::vector<ModelShape> shapes = {someShape(), pre, penalised, dropping};
  for (const ModelFamily family : test::kFamilies) {
    shapes.push_back(test::smallShape(family));
    shapes.back().hiddenDropout = 0.1;
    shapes.back().attentionDropout = 0.1;
  }
  for (const ModelShape& shape : shapes) {
    const Pass kept = passOf(shape, false);
    const Pass again = passOf(shape, true);
    EXPECT_TRUE(torch::equal(kept.loss, again.loss));
    EXPECT_TRUE(torch::equal(kept.largestLogit, again.largestLogit));
    for (std::size_t i = 0; i < kept.gradients.size(); ++i)
      EXPECT_TRUE(torch::equal(kept.gradients[i], again.gradients[i])) << i;
  }
}

TEST(HalfPrecisionTest, GradientsAreThoseOfFp32ButForRounding) {
  const Pass exact = passOf(someShape(), false);
  const Pass half = passOf(someShape(), false, Precision::Fp16, 1024.0);
  EXPECT_NEAR(half.loss.item<double>(), exact.loss.item<double>(), exact.loss.item<double>() * 2e-3);
  for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
    const double size = exact.gradients[i].norm().item<double>();
    EXPECT_LE((half.gradients[i] - exact.gradients[i]).norm().item<double>(), 0.03 * size + 1e-6) << i;
  }
}

TEST(HalfPrecisionTest, ASmallGradientSurvivesByTheScaleOfTheLoss) {
  const auto weakest = [](double scale) {
    // The queries of the first layer, to which everything has to come through fp16.
    return passOf(someShape(), false, Precision::Fp16, scale).gradients.at(5).abs().sum().item<double>();
  };
  const double scaled = weakest(1024.0);
  EXPECT_GT(scaled, 0);
  EXPECT_LT(weakest(1e-6), 0.5 * scaled) << "below the smallest number of fp16 there is nothing";
}

TEST(DecoderLossTest, RowsOfPaddingChangeNothing) {
  const at::Tensor values = at::sin(at::arange(40, at::kFloat)).reshape({5, 8});
  const at::Tensor bias = at::arange(5, at::kFloat) / 7, labels = at::tensor({1, 4, 0, 3}, at::kLong);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const auto gradients = [&](std::int64_t rows) {
      const at::Tensor input = at::cos(at::arange(32, at::kFloat)).reshape({4, 8}).to(type).requires_grad_(true);
      const at::Tensor ownBias = bias.clone().requires_grad_(true);
      Matrix decoder;
      decoder.parts[0] = values.clone().requires_grad_(true);
      decoder.compute = at::zeros({rows, 8}, values.options().dtype(type));
      decoder.compute.narrow(0, 0, 5).copy_(values);
      const TokenLoss loss = decoderLoss(input, decoder, ownBias, labels, true);
      torch::autograd::backward({loss.loss}, {at::ones({})});
      return std::vector<at::Tensor>{loss.loss.detach(), loss.correct, input.grad(), decoder.parts[0].grad(),
                                     ownBias.grad()};
    };
    const auto plain = gradients(5), padded = gradients(64);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(at::allclose(plain[i], padded[i], 1e-2, 1e-5)) << i;
  }
}

TEST(DecoderLossTest, OnlySixteenBitsOnAGpuArePadded) {
  const at::Device gpu(at::kCUDA, 0);
  EXPECT_EQ(decoderRows(30522, at::kBFloat16, gpu), 30528);
  EXPECT_EQ(decoderRows(30522, at::kHalf, gpu), 30528);
  EXPECT_EQ(decoderRows(8192, at::kHalf, gpu), 8192);
  EXPECT_EQ(decoderRows(30522, at::kFloat, gpu), 30522);
  EXPECT_EQ(decoderRows(30522, at::kBFloat16, at::kCPU), 30522);
}

TEST(HalfPrecisionTest, ALossFactorAboveTheNumbersOfFp16IsNotInfinite) {
  const auto gradientIn = [](at::ScalarType type) {
    const at::Tensor input = (at::arange(24, at::kFloat).reshape({3, 8}) / 24).to(type).requires_grad_(true);
    Matrix decoder;
    decoder.parts[0] = (0.1 * at::sin(at::arange(40, at::kFloat))).reshape({5, 8}).requires_grad_(true);
    decoder.compute = decoder.parts[0].detach().to(type);
    const auto loss = decoderLoss(input, decoder, at::zeros({5}), at::tensor({1, 4, 0}, at::kLong), true);
    torch::autograd::backward({loss.loss}, {at::full({}, 70000.0)});
    return input.grad().to(at::kFloat);
  };
  EXPECT_TRUE(at::allclose(gradientIn(at::kHalf), gradientIn(at::kFloat), 5e-3, 20.0));
}

}  // namespace
}  // namespace batchwise
