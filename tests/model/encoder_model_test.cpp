// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/encoder_model.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "core/base/random.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/ops.h"
#include "core/model/weights.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using test::smallShape;

/// Sequences of these lengths with a fifth of their tokens predicted. `first`: place of the first in the step.
MicroBatch batchOf(const std::vector<std::int32_t>& lengths, std::int64_t first = 0) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const std::int64_t place = first + static_cast<std::int64_t>(s);
    for (std::int32_t i = 0; i < lengths[s]; ++i) {
      const std::uint64_t bits =
          randomBits(subKey(3, static_cast<std::uint64_t>(place)), static_cast<std::uint64_t>(i));
      if (i % 5 == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(mix64(bits), 61)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(bits, 61)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(place);
    batch.indicesInStep.push_back(static_cast<std::int32_t>(place));
    batch.longest = std::max(batch.longest, lengths[s]);
  }
  return batch;
}

EncoderModel modelOf(const ModelShape& shape, Precision precision = Precision::Fp32) {
  auto model = EncoderModel::create(shape, precision, at::kCPU, 5);
  if (!model) throw std::runtime_error(model.error().text());
  const torch::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model->parameters()) {  // large enough for every part to matter
    if (name.ends_with("orm.weight")) continue;
    at::Tensor(tensor).mul_(10.0).add_(tensor.dim() == 1 ? 0.1 : 0.0);
  }
  model->parametersChanged();
  return std::move(*model);
}

double backwardOf(EncoderModel& model, const std::vector<MicroBatch>& step, const ForwardOptions& options) {
  for (const auto& [name, tensor] : model.parameters()) tensor.grad().zero_();
  std::int64_t predicted = 0;
  for (const auto& batch : step) predicted += batch.predicted();
  double loss = 0;
  for (const auto& batch : step) {
    const LossSums sums = model.forward(toDevice(batch, at::kCPU), options);
    model.backward(sums, 1.0 / static_cast<double>(predicted));
    loss += sums.objective.item<double>();
  }
  return loss / static_cast<double>(predicted);
}

/// The gradient along a direction against the difference of the objective.
void expectTrueGradient(const ModelShape& shape, const ForwardOptions& options) {
  EncoderModel model = modelOf(shape);
  const std::vector<MicroBatch> step = {batchOf({9, 3, 14})};
  backwardOf(model, step, options);
  for (std::size_t p = 0; p < model.parameters().size(); ++p) {
    const auto& [name, tensor] = model.parameters()[p];
    const at::Tensor gradient = tensor.grad().clone();
    const double size = gradient.norm().item<double>();
    if (size < 1e-4) continue;  // a key's bias has none
    const at::Tensor direction = gradient / size;
    const auto objective = [&](double along) {
      at::Tensor weights = tensor.detach();
      weights.add_(direction, along);
      const double value = model.forward(toDevice(step[0], at::kCPU), options).objective.item<double>();
      weights.sub_(direction, along);
      return value / static_cast<double>(step[0].predicted());
    };
    constexpr double kStep = 4e-3;
    EXPECT_NEAR((objective(kStep) - objective(-kStep)) / (2 * kStep), size, 0.02 * size + 2e-3) << name;
  }
}

TEST(EncoderModelTest, GradientsAreTrueInEveryVariant) {
  ModelShape shape = smallShape();
  expectTrueGradient(shape, {17, 3, true});
  shape.hiddenDropout = 0.2;
  shape.attentionDropout = 0.2;
  expectTrueGradient(shape, {17, 3, true});
  shape.norm = NormPlacement::Pre;
  expectTrueGradient(shape, {17, 3, true});
  shape.attentionLogitL2 = 0.05;
  expectTrueGradient(shape, {17, 3, true});
  shape.norm = NormPlacement::Post;
  shape.layerDrop = 0.4;
  shape.tieWordEmbeddings = false;
  expectTrueGradient(shape, {17, 3, true});
}

class EveryFamilyTest : public testing::TestWithParam<ModelFamily> {
 protected:
  ModelShape shape_ = smallShape(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Families, EveryFamilyTest, testing::ValuesIn(test::kFamilies),
                         [](const auto& each) { return std::string(choiceName(each.param)); });

TEST_P(EveryFamilyTest, GradientsAreTrue) {
  expectTrueGradient(shape_, {17, 3, true});
  shape_.hiddenDropout = 0.2;
  shape_.attentionDropout = 0.2;
  shape_.attentionLogitL2 = 0.05;
  shape_.layerDrop = 0.4;
  if (shape_.globalAttentionEvery > 1) shape_.globalAttentionEvery = 3;  // a window in the last layer
  expectTrueGradient(shape_, {17, 3, true});
}

TEST_P(EveryFamilyTest, DropoutDependsOnThePlaceInTheStepAlone) {
  ModelShape shape = shape_;
  shape.hiddenDropout = 0.3;
  shape.attentionDropout = 0.3;
  shape.attentionLogitL2 = 0.01;
  EncoderModel model = modelOf(shape);
  const ForwardOptions options{17, 3, true};
  const double whole = backwardOf(model, {batchOf({9, 3, 14, 20})}, options);
  std::vector<at::Tensor> gradients;
  for (const auto& [name, tensor] : model.parameters()) gradients.push_back(tensor.grad().clone());
  const double parts = backwardOf(model, {batchOf({9}, 0), batchOf({3, 14}, 1), batchOf({20}, 3)}, options);
  EXPECT_NEAR(whole, parts, 1e-5 * whole);
  for (std::size_t p = 0; p < gradients.size(); ++p)
    EXPECT_LT((model.parameters()[p].tensor.grad() - gradients[p]).abs().max().item<double>(), 1e-5)
        << model.parameters()[p].name;
  EXPECT_GT(std::abs(backwardOf(model, {batchOf({9, 3, 14, 20})}, {17, 4, true}) - whole), 1e-4);
}

TEST(EncoderModelTest, OwnOperationsDoNotDependOnThreads) {
  ModelShape shape = smallShape();
  shape.hiddenDropout = 0.1;
  EncoderModel model = modelOf(shape);
  const std::vector<MicroBatch> step = {batchOf({33, 7, 21, 40, 12, 5, 5, 28})};
  const int before = at::get_num_threads();
  std::vector<double> losses;
  std::vector<at::Tensor> gradients;
  for (const int threads : {1, 2, 2}) {
    at::set_num_threads(threads);
    losses.push_back(backwardOf(model, step, {17, 3, true}));
    gradients.push_back(model.parameters()[0].tensor.grad().clone());
  }
  at::set_num_threads(before);
  EXPECT_EQ(losses[1], losses[2]);
  EXPECT_TRUE(at::equal(gradients[1], gradients[2]));
  EXPECT_NEAR(losses[0], losses[1], 1e-6 * losses[0]);
}

TEST(EncoderModelTest, EvaluationHasNoDropoutAndNoGraph) {
  ModelShape shape = smallShape();
  shape.hiddenDropout = 0.5;
  shape.layerDrop = 0.5;
  for (const auto norm : {NormPlacement::Post, NormPlacement::Pre}) {
    shape.norm = norm;
    EncoderModel model = modelOf(shape);
    const DeviceBatch batch = toDevice(batchOf({9, 12}), at::kCPU);
    const LossSums one = model.forward(batch, {1, 1, false});
    const LossSums two = model.forward(batch, {2, 9, false});
    EXPECT_EQ(one.loss.item<double>(), two.loss.item<double>());
    EXPECT_FALSE(one.objective.requires_grad());
    const at::Tensor shares = at::log_softmax(model.logits(batch), 1);
    EXPECT_NEAR(-shares.gather(1, batch.labels.unsqueeze(1)).sum().item<double>(), one.loss.item<double>(), 1e-3);
    EXPECT_EQ(shares.argmax(1).eq(batch.labels).sum().item<std::int64_t>(), one.correct.item<std::int64_t>());
  }
}

TEST_P(EveryFamilyTest, Bf16IsCloseToFp32) {
  const std::vector<MicroBatch> step = {batchOf({9, 3, 14, 20})};
  EncoderModel full = modelOf(shape_);
  EncoderModel half = modelOf(shape_, Precision::Bf16);
  const double expected = backwardOf(full, step, {17, 3, true});
  EXPECT_NEAR(backwardOf(half, step, {17, 3, true}), expected, 0.03 * expected);
  for (std::size_t p = 0; p < full.parameters().size(); ++p) {
    const at::Tensor theirs = full.parameters()[p].tensor.grad();
    const at::Tensor ours = half.parameters()[p].tensor.grad();
    EXPECT_EQ(ours.scalar_type(), at::kFloat);
    if (theirs.norm().item<double>() > 1e-3) {
      EXPECT_LT(((ours - theirs).norm() / theirs.norm()).item<double>(), 0.1) << full.parameters()[p].name;
    }
  }
}

TEST(EncoderModelTest, FreshWeightsDependOnSeedAndNameOnly) {
  ModelShape shape = smallShape();
  const auto one = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5);
  shape.layers = 2;
  const auto fewer = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5);
  const auto other = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 6);
  EXPECT_TRUE(at::equal(one->parameters()[5].tensor, fewer->parameters()[5].tensor));
  EXPECT_FALSE(at::equal(one->parameters()[0].tensor, other->parameters()[0].tensor));
  const at::Tensor words = one->parameters()[0].tensor.detach();
  EXPECT_NEAR(words.std().item<double>(), 0.02, 0.001);
  EXPECT_NEAR(words.mean().item<double>(), 0, 0.002);
  EXPECT_EQ(one->parameters()[3].tensor.sum().item<double>(), 24);  // LayerNorm.weight
}

TEST_P(EveryFamilyTest, HasTheParametersThatItsShapeCounts) {
  for (const bool tied : {true, false})
    for (const auto norm : {NormPlacement::Post, NormPlacement::Pre}) {
      ModelShape shape = shape_;
      shape.tieWordEmbeddings = tied;
      if (GetParam() == ModelFamily::Bert) shape.norm = norm;
      const auto model = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5);
      std::int64_t count = 0;
      std::set<std::string> names;
      for (const auto& [name, tensor] : model->parameters()) {
        count += tensor.numel();
        names.insert(name);
      }
      EXPECT_EQ(count, shape.parameterCount());
      EXPECT_EQ(names.size(), model->parameters().size());
      // A folder to start from is checked by the names that the model really has.
      const auto described = parameterTensors(shape);
      for (std::size_t i = 0; i < described.size(); ++i) {
        EXPECT_EQ(described[i].name, model->parameters()[i].name);
        EXPECT_EQ(described[i].shape, model->parameters()[i].tensor.sizes().vec());
      }
    }
}

TEST(FreshWeightsTest, AreCutAndShrinkWithDepthWhereTheFamilyAsksForIt) {
  ModelShape shape = smallShape(ModelFamily::ModernBert);
  shape.layers = 8;
  shape.hiddenSize = 96;
  const auto model = EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5);
  for (const auto& [name, tensor] : model->parameters()) {
    if (tensor.dim() != 2) continue;
    const bool out = name.ends_with("Wo.weight") || name == "head.dense.weight";
    const double deviation = out ? 0.02 / 4 : 0.02;
    EXPECT_NEAR(tensor.std().item<double>(), 0.8796 * deviation, 0.02 * deviation) << name;
    EXPECT_LE(tensor.abs().max().item<double>(), 2 * deviation) << name;
  }
  const auto uniform = EncoderModel::create(smallShape(ModelFamily::NeoBert), Precision::Fp32, at::kCPU, 5);
  const at::Tensor words = uniform->parameters()[0].tensor;
  EXPECT_NEAR(words.std().item<double>(), 0.04 / std::sqrt(12.0), 0.0005);
  EXPECT_LE(words.abs().max().item<double>(), 0.02);
}

TEST(IsUndecayedTest, HoldsForBiasesAndNormsOfEveryFamily) {
  for (const ModelFamily family : test::kFamilies)
    for (const ParameterTensor& tensor : parameterTensors(smallShape(family)))
      EXPECT_EQ(isUndecayed(tensor.name), tensor.shape.size() == 1) << tensor.name;
}

TEST(KeptLayersTest, DropsTheShareAndNeverAll) {
  ModelShape shape = smallShape();
  shape.layers = 12;
  EXPECT_EQ(keptLayers(shape, 1, 1), std::vector<bool>(12, true));
  shape.layerDrop = 0.3;
  std::int64_t kept = 0;
  for (std::int64_t step = 0; step < 2000; ++step)
    for (const bool one : keptLayers(shape, 1, step)) kept += one ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(kept) / 24000, 0.7, 0.02);
  EXPECT_EQ(keptLayers(shape, 1, 8), keptLayers(shape, 1, 8));
  shape.layerDrop = 0.99;
  for (std::int64_t step = 0; step < 200; ++step) {
    const auto layers = keptLayers(shape, 1, step);
    EXPECT_GE(std::count(layers.begin(), layers.end(), true), 1);
  }
}

TEST(EncoderModelTest, RefusesTensorsThatDoNotFit) {
  EncoderModel model = modelOf(smallShape());
  EXPECT_FALSE(model.setTensor("cls.predictions.bias", at::zeros({60})).ok());
  EXPECT_TRUE(model.setTensor("cls.predictions.bias", at::ones({61})).ok());
  EXPECT_TRUE(model.setTensor("bert.pooler.dense.bias", at::ones({24})).ok());
  EXPECT_EQ(model.stateTensors().size(), model.parameters().size() + 1);
  HuggingFaceModel folder;
  folder.shape = smallShape();
  EXPECT_THAT(test::refused(model.load(folder)).message, testing::HasSubstr("word_embeddings"));
}

TEST(EncoderModelTest, RefusesHeadsThatAttentionOnAGpuDoesNotTake) {
  ModelShape shape = smallShape();
  const at::Device gpu(at::kCUDA, 0);
  const auto takes = [&](std::int64_t headSize, Precision precision, at::Device device) {
    shape.heads = shape.keyValueHeads = 2;
    shape.hiddenSize = 2 * headSize;
    return checkHeadSize(shape, precision, device).ok();
  };
  EXPECT_TRUE(takes(64, Precision::Bf16, gpu));
  EXPECT_TRUE(takes(256, Precision::Fp16, gpu));
  EXPECT_FALSE(takes(264, Precision::Fp16, gpu));
  EXPECT_FALSE(takes(12, Precision::Bf16, gpu));
  EXPECT_TRUE(takes(12, Precision::Tf32, gpu));
  EXPECT_FALSE(takes(10, Precision::Fp32, gpu));
  EXPECT_TRUE(takes(10, Precision::Bf16, at::kCPU));
  shape.hiddenSize = 20;
  const Error refused = test::refused(EncoderModel::create(shape, Precision::Bf16, gpu, 5));
  EXPECT_EQ(refused.code, ErrorCode::Config);
  EXPECT_EQ(refused.field, "model.num_attention_heads");
}

TEST(EncoderModelTest, AnEmptyMicroBatchAddsNothing) {
  EncoderModel model = modelOf(smallShape());
  MicroBatch empty;
  empty.sequenceStarts = {0};
  const LossSums sums = model.forward(toDevice(empty, at::kCPU), {1, 1, true});
  model.backward(sums, 1.0);
  EXPECT_EQ(sums.loss.item<double>(), 0);
  EXPECT_EQ(sums.predicted, 0);
}

// Layers computed again in the backward pass, and fp16.

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
  auto model = test::checked(EncoderModel::create(shape, precision, at::kCPU, 5));
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

// The options that keep deep models from diverging, each by its effect.

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
