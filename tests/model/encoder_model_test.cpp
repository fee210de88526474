// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/encoder_model.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "core/base/random.h"
#include "core/model/hugging_face/hugging_face.h"
#include "tests/model/small_model.h"

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
      std::map<std::string, std::vector<std::int64_t>> encoder;
      const auto described = parameterTensors(shape);
      for (std::size_t i = 0; i < described.size(); ++i) {
        EXPECT_EQ(described[i].name, model->parameters()[i].name);
        EXPECT_EQ(described[i].shape, model->parameters()[i].tensor.sizes().vec());
        if (!isHeadRole(described[i].role)) encoder[described[i].name] = described[i].shape;
      }
      EXPECT_EQ(encoder, encoderTensors(shape));
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
  EXPECT_EQ(model.extras().size(), 1U);
  HuggingFaceModel folder;
  folder.shape = smallShape();
  const auto loaded = model.load(folder);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("word_embeddings"), std::string::npos);
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
  const auto refused = EncoderModel::create(shape, Precision::Bf16, gpu, 5);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Config);
  EXPECT_EQ(refused.error().field, "model.num_attention_heads");
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

}  // namespace
}  // namespace batchwise
