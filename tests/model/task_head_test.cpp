// SPDX-License-Identifier: GPL-3.0-or-later
// Heads of tasks: their tensors and gradients, and the segment types of pairs.
// tests/integration/parity/finetune_test.py compares them with transformers.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/model/small_model.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

ModelShape taskShape(ModelFamily family, TaskHead head) {
  ModelShape shape = test::smallShape(family);
  shape.taskHead = head;
  shape.taskOutputs = 3;
  return shape;
}

/// Large enough weights for every part to matter.
EncoderModel taskModel(const ModelShape& shape) {
  auto model = test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
  const torch::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model->parameters())
    if (!isUndecayed(name)) at::Tensor(tensor).mul_(5.0);
  model->parametersChanged();
  return std::move(*model);
}

MicroBatch sequences(const ModelShape& shape, const std::vector<std::int32_t>& lengths) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (const std::int32_t length : lengths) {
    const auto start = static_cast<std::int32_t>(batch.tokens());
    for (std::int32_t i = 0; i < length; ++i)
      batch.tokenIds.push_back(static_cast<std::int32_t>(
          boundedRandom(randomBits(7, static_cast<std::uint64_t>(start + i)), test::kSmallVocabulary)));
    const std::vector<std::int32_t> places =
        shape.taskHead == TaskHead::Sequence ? pooledPlaces(shape, length) : std::vector<std::int32_t>{1, 2};
    for (const std::int32_t place : places) batch.predictedPositions.push_back(start + place);
    batch.sequenceStarts.push_back(start + length);
    batch.indicesInStep.push_back(static_cast<std::int32_t>(batch.sequences()));
    batch.sampleIds.push_back(batch.sequences());
    batch.longest = std::max(batch.longest, length);
  }
  batch.labels.assign(batch.predictedPositions.size(), 0);
  return batch;
}

/// A loss that weighs every output differently.
at::Tensor weighedLoss(EncoderModel& model, const MicroBatch& batch) {
  const at::Tensor outputs = model.taskOutputs(toDevice(batch, at::kCPU), {});
  const at::Tensor weights = at::sin(at::arange(outputs.numel(), at::kFloat)).view(outputs.sizes());
  return (outputs * weights).sum();
}

TEST(TaskHeadTest, GradientsOfEveryFamilyAndHeadAreThoseOfTheLoss) {
  for (const ModelFamily family : test::kFamilies) {
    for (const TaskHead head : {TaskHead::Sequence, TaskHead::Tokens}) {
      const ModelShape shape = taskShape(family, head);
      EncoderModel model = taskModel(shape);
      MicroBatch batch = sequences(shape, {9, 4, 12});
      if (shape.typeVocabSize > 1)
        for (std::int32_t i = 0; i < batch.tokens(); ++i) batch.segmentTypes.push_back(i % 3 == 2 ? 1 : 0);
      for (const auto& [name, tensor] : model.parameters()) tensor.grad().zero_();
      weighedLoss(model, batch).backward();
      for (const auto& [name, tensor] : model.parameters()) {
        const at::Tensor gradient = tensor.grad().clone();
        const double size = gradient.norm().item<double>();
        if (size < 1e-3) continue;
        const torch::NoGradGuard noGrad;
        const at::Tensor direction = gradient / size, before = tensor.detach().clone();
        constexpr double kStep = 1e-2;
        at::Tensor(tensor).copy_(before + kStep * direction);
        model.parametersChanged();
        const double above = weighedLoss(model, batch).item<double>();
        at::Tensor(tensor).copy_(before - kStep * direction);
        model.parametersChanged();
        const double below = weighedLoss(model, batch).item<double>();
        at::Tensor(tensor).copy_(before);
        model.parametersChanged();
        EXPECT_NEAR((above - below) / (2 * kStep), size, 0.03 * size + 2e-3)
            << choiceName(family) << " " << static_cast<int>(head) << " " << name;
      }
    }
  }
}

TEST(TaskHeadTest, OutputsOfASequenceDoNotDependOnItsNeighbours) {
  for (const ModelFamily family : test::kFamilies) {
    const ModelShape shape = taskShape(family, TaskHead::Sequence);
    EncoderModel model = taskModel(shape);
    ForwardOptions options;
    options.training = false;
    const torch::NoGradGuard noGrad;
    const at::Tensor together = model.taskOutputs(toDevice(sequences(shape, {9, 4, 12}), at::kCPU), options);
    const at::Tensor alone = model.taskOutputs(toDevice(sequences(shape, {9}), at::kCPU), options);
    ASSERT_EQ(together.sizes(), at::IntArrayRef({3, 3}));
    EXPECT_TRUE(at::allclose(together[0], alone[0], 1e-4, 1e-5)) << choiceName(family);
  }
}

TEST(TaskHeadTest, SegmentTypesAddTheirRowOfTheTable) {
  const ModelShape shape = taskShape(ModelFamily::Bert, TaskHead::Sequence);
  EncoderModel model = taskModel(shape);
  MicroBatch batch = sequences(shape, {9, 4});
  ForwardOptions options;
  options.training = false;
  const torch::NoGradGuard noGrad;
  const at::Tensor ofZeros = model.taskOutputs(toDevice(batch, at::kCPU), options);
  batch.segmentTypes.assign(static_cast<std::size_t>(batch.tokens()), 1);
  const at::Tensor ofOnes = model.taskOutputs(toDevice(batch, at::kCPU), options);
  EXPECT_FALSE(at::allclose(ofZeros, ofOnes, 1e-3, 1e-4));
  for (const auto& [name, tensor] : model.parameters())
    if (name.ends_with("token_type_embeddings.weight")) at::Tensor(tensor).copy_(tensor.flip(0));
  batch.segmentTypes.clear();
  EXPECT_TRUE(at::allclose(model.taskOutputs(toDevice(batch, at::kCPU), options), ofOnes, 1e-4, 1e-5));
}

TEST(TaskHeadTest, DropoutFollowsSeedAndStep) {
  ModelShape shape = taskShape(ModelFamily::Roberta, TaskHead::Sequence);
  shape.hiddenDropout = 0.3;
  EncoderModel model = taskModel(shape);
  const DeviceBatch batch = toDevice(sequences(shape, {9, 4}), at::kCPU);
  const at::Tensor first = model.taskOutputs(batch, {.seed = 1, .step = 2});
  EXPECT_TRUE(at::equal(first, model.taskOutputs(batch, {.seed = 1, .step = 2})));
  EXPECT_FALSE(at::equal(first, model.taskOutputs(batch, {.seed = 1, .step = 3})));
  EXPECT_FALSE(at::equal(first, model.taskOutputs(batch, {.seed = 2, .step = 2})));
}

}  // namespace
}  // namespace batchwise
