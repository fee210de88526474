// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/model/adamw.h"
#include "core/model/encoder_model.h"
#include "core/model/padded_attention.h"
#include "core/model/shape/training_cost.h"
#include "core/text/masking.h"
#include "core/train/device_memory.h"
#include "core/train/evaluation.h"
#include "core/train/train_loop.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/support/token_dataset.h"

namespace batchwise {
namespace {

// The memory that is forecast before a launch against what a step takes on the processor.

constexpr double kMaskProbability = 0.15;
constexpr double kTolerance = 0.05;  // of the whole

struct Sequences {
  std::int64_t count, tokens;
};

ModelShape shapeOf(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocabulary) {
  ModelShape shape;
  shape.vocabSize = vocabulary;
  shape.layers = layers;
  shape.hiddenSize = hidden;
  shape.heads = shape.keyValueHeads = heads;
  shape.intermediateSize = 4 * hidden;
  return shape;
}

class TrainingMemoryTest : public testing::Test {
 protected:
  TrainingMemoryTest() {
    useCountingHostAllocator();
    before_ = hostTensorBytes().inUse;
  }

  /// Steps of `shape` with all that is kept and with layers computed again, for each of `batches`.
  void compare(const ModelShape& shape, Precision precision, const std::vector<Sequences>& batches) const {
    auto model = test::checked(EncoderModel::create(shape, precision, at::kCPU, 5));
    AdamW optimizer(model->parameters(), AdamWOptions());
    Replica replica{std::move(*model), std::move(optimizer)};
    for (const Sequences& batch : batches) {
      for (const bool recompute : {false, true}) {
        replica.model.recomputeLayers(recompute);
        const PassSize size{batch.count, batch.count * batch.tokens,
                            batch.count * predictedTokens(batch.tokens, kMaskProbability)};
        const TrainingMemory forecast =
            trainingMemory(shape, {false, precision == Precision::Fp32 ? 4 : 2, recompute}, size);
        const auto measured = test::checked(StepProbe(replica, kMaskProbability).measure(batch.count, {batch.tokens}));
        const auto peak = static_cast<double>(measured->peakBytes - before_);
        EXPECT_NEAR(static_cast<double>(forecast.total()) / peak, 1.0, kTolerance)
            << shape.hiddenSize << " features, " << batch.count << " x " << batch.tokens << " tokens, recompute "
            << recompute;
        EXPECT_NEAR(static_cast<double>(forecast.resident()), static_cast<double>(measured->residentBytes - before_),
                    0.01 * peak);
      }
    }
  }

  void compareAll(ModelShape shape, const std::vector<Sequences>& batches) const {
    for (const Precision precision : {Precision::Fp32, Precision::Bf16})
      for (const double dropout : {0.0, 0.1}) {
        shape.hiddenDropout = dropout;
        compare(shape, precision, batches);
      }
  }

 private:
  std::int64_t before_ = 0;
};

TEST_F(TrainingMemoryTest, OfTinyIsWhatAStepTakes) {
  compareAll(shapeOf(2, 128, 2, 1000), {{8, 16}, {4, 512}});
}

TEST_F(TrainingMemoryTest, OfMiniIsWhatAStepTakes) {
  compareAll(shapeOf(4, 256, 4, 8192), {{16, 24}, {2, 256}});
}

TEST_F(TrainingMemoryTest, OfAWideModelIsWhatAStepTakes) {
  compareAll(shapeOf(2, 512, 8, 300), {{4, 8}, {2, 192}});
}

TEST_F(TrainingMemoryTest, OfOtherShapesIsWhatAStepTakes) {
  for (const NormPlacement norm : {NormPlacement::Post, NormPlacement::Pre})
    for (const double penalty : {0.0, 0.1})
      for (const bool tied : {true, false})
        for (const std::int64_t layers : {1, 6}) {
          ModelShape shape = shapeOf(layers, 64, 2, 700);
          shape.norm = norm;
          shape.attentionLogitL2 = penalty;
          shape.tieWordEmbeddings = tied;
          shape.intermediateSize = layers == 1 ? 64 : 400;
          compareAll(shape, {{4, 128}});
        }
}

ModelShape shapeOf(ModelFamily family, std::int64_t layers, std::int64_t hidden, std::int64_t vocabulary) {
  ModelShape shape = inFamily(shapeOf(layers, hidden, hidden / 32, vocabulary), family);
  shape.intermediateSize = 3 * hidden / 2;
  shape.maxPositions = 1024;
  if (shape.traits().groupsKeys) shape.keyValueHeads = 1;
  if (shape.localAttention > 0) shape.localAttention = 32;
  return shape;
}

TEST_F(TrainingMemoryTest, OfEveryFamilyIsWhatAStepTakes) {
  for (const ModelFamily family :
       {ModelFamily::Roberta, ModelFamily::ModernBert, ModelFamily::EuroBert, ModelFamily::NeoBert}) {
    SCOPED_TRACE(choiceName(family));
    compareAll(shapeOf(family, 1, 64, 700), {{4, 128}});
    compareAll(shapeOf(family, 4, 128, 4000), {{16, 24}, {2, 512}});
  }
}

TEST_F(TrainingMemoryTest, OfASequenceOf8192TokensIsWhatAStepTakes) {
  ModelShape shape = shapeOf(ModelFamily::ModernBert, 4, 256, 8192);
  shape.maxPositions = 8192;
  shape.heads = shape.keyValueHeads = 4;
  shape.localAttention = 128;
  for (const Precision precision : {Precision::Fp32, Precision::Bf16}) compare(shape, precision, {{1, 8192}});
}

TEST_F(TrainingMemoryTest, ADeepModelTakesLessWhenLayersAreComputedAgain) {
  const ModelShape shape = shapeOf(24, 1024, 16, 30'522);
  const PassSize size{32, 32 * 512, 32 * 77};
  const TrainingMemory kept = trainingMemory(shape, {true, 2, false}, size);
  const TrainingMemory again = trainingMemory(shape, {true, 2, true}, size);
  EXPECT_EQ(kept.resident(), again.resident());
  EXPECT_LT(again.activations, kept.activations / 5);
}

TEST_F(TrainingMemoryTest, SizesThatNobodyTrainsDoNotOverflow) {
  const TrainingMemory huge = trainingMemory(shapeOf(1024, 16'384, 16, 1 << 24), {true, 2, false},
                                             {std::int64_t{1} << 31, std::int64_t{1} << 60, std::int64_t{1} << 57});
  EXPECT_GT(huge.total(), std::int64_t{1} << 53);
  EXPECT_GT(huge.activations, 0);
}

// What a step takes from the host it gives back: memory does not grow over the steps of a run.

class StepMemoryTest : public testing::TestWithParam<bool> {
 protected:
  // In use after the step, in tensors and in all blocks of the allocator.
  struct InUse {
    std::int64_t tensors = 0, blocks = 0;
  };

  void step(std::int64_t number) {
    // Sizes come again after seven steps, so that each has been there before what is compared.
    const auto longest = static_cast<std::int32_t>(8 + number % 7 * 4);
    optimizer_.zeroGradients();
    for (const std::int32_t first : {0, 4}) {
      const LossSums sums =
          model_.forward(test::drawnBatch({first, first + 1, first + 2, first + 3}, longest, 4), {3, number, true});
      model_.backward(sums, 1e-2);
    }
    optimizer_.step(1e-4);
    model_.parametersChanged();
  }
  static InUse inUse() {
    const struct mallinfo2 info = mallinfo2();
    return {hostTensorBytes().inUse, static_cast<std::int64_t>(info.uordblks + info.hblkhd)};
  }
  static EncoderModel makeModel() {
    useCountingHostAllocator();
    at::set_num_threads(1);
    ModelShape shape = test::smallShape();
    shape.hiddenDropout = 0.1;
    return *test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
  }

  EncoderModel model_ = makeModel();
  AdamW optimizer_{model_.parameters(), AdamWOptions()};
};

TEST_P(StepMemoryTest, DoesNotGrowOverTheSteps) {
  model_.recomputeLayers(GetParam());
  const std::int64_t steps = test::repeats(140, 1001);
  std::int64_t number = 0;
  for (; number < 35; ++number) step(number);
  const InUse before = inUse();
  resetHostTensorPeak();
  for (; number < 70; ++number) step(number);
  const std::int64_t peak = hostTensorBytes().peak;
  resetHostTensorPeak();
  for (; number < steps; ++number) {
    step(number);
    ASSERT_EQ(hostTensorBytes().inUse, before.tensors) << "step " << number;
  }
  EXPECT_EQ(hostTensorBytes().peak, peak);
  constexpr std::int64_t kNoise = 64 << 10;  // of the libraries: far less than one tensor for each step
  EXPECT_LT(inUse().blocks - before.blocks, kNoise);
}

INSTANTIATE_TEST_SUITE_P(Layers, StepMemoryTest, testing::Bool(),
                         [](const auto& layers) { return layers.param ? "Recomputed" : "Kept"; });

/// The plan and the input of sequences of these lengths, two heads of eight features, with a penalty on logits.
std::pair<AttentionPlan, at::Tensor> penalisedAttention(const std::vector<std::int32_t>& lengths) {
  AttentionPlan plan;
  std::vector<std::int32_t> starts = {0};
  for (const std::int32_t length : lengths) starts.push_back(starts.back() + length);
  plan.queryStarts = plan.keyStarts = std::make_shared<const std::vector<std::int32_t>>(starts);
  plan.longestQuery = plan.longestKey = *std::max_element(lengths.begin(), lengths.end());
  plan.logitPenalty.assign(lengths.size(), 0.01F);
  plan.heads = plan.keyValueHeads = 2;
  plan.headSize = 8;
  return {plan, at::zeros({starts.back(), 48})};
}

// Sequences so long that they are computed one by one.
TEST(PaddedAttentionMemoryTest, HoldsTheLogitsOfOneGroupAtATime) {
  useCountingHostAllocator();
  const auto peakOf = [](const std::vector<std::int32_t>& lengths) {
    const auto [plan, packed] = penalisedAttention(lengths);
    const at::Tensor outer = at::ones({packed.size(0), 16});
    const std::int64_t before = hostTensorBytes().inUse;
    resetHostTensorPeak();
    paddedAttentionGradient(outer, {}, {{}, packed}, plan);
    return hostTensorBytes().peak - before;
  };
  const std::int64_t one = peakOf({4100});
  EXPECT_LT(peakOf({4100, 4100}), one + one / 10);
}

EvaluationSet setOf(const std::string& name, double weight) {
  return {name, weight, {test::datasetOf({{5}}, {0, 1, 2, 3, 4}, 10), {}, 0, 0}};
}

EvalResult resultOf(double loss, double accuracy, std::int64_t samples) {
  EvalResult result;
  result.loss = loss;
  result.perplexity = std::exp(loss);
  result.accuracy = accuracy;
  result.samples = samples;
  result.tokens = 10 * samples;
  return result;
}

TEST(EvaluationSetsTest, TheMeanIsWeightedBySetAndNotByTokens) {
  const EvalResult all =
      combinedResult({setOf("own", 1.0), setOf("general", 3.0)}, {resultOf(2.0, 0.5, 100), resultOf(4.0, 0.1, 7)});
  EXPECT_DOUBLE_EQ(all.loss, 3.5);
  EXPECT_DOUBLE_EQ(all.accuracy, 0.2);
  EXPECT_DOUBLE_EQ(all.perplexity, std::exp(3.5));
  EXPECT_EQ(all.samples, 107);
  EXPECT_EQ(all.tokens, 1070);
  ASSERT_EQ(all.sets.size(), 2U);
  EXPECT_EQ(all.sets[0], (EvalSetResult{"own", 2.0, std::exp(2.0), 0.5, 100, 1000}));
  EXPECT_EQ(all.sets[1].name, "general");
}

TEST(EvaluationSetsTest, BitsPerByteAndNoiseAreThoseOfTheWeightedMean) {
  EvalResult own = resultOf(2.0, 0.5, 100), general = resultOf(4.0, 0.1, 7);
  own.bitsPerByte = 1.0;
  general.bitsPerByte = 2.0;
  own.drawError = 0.4;
  general.drawError = 0.1;
  const EvalResult all = combinedResult({setOf("own", 1.0), setOf("general", 3.0)}, {own, general});
  EXPECT_DOUBLE_EQ(all.bitsPerByte.value(), 1.75);
  EXPECT_DOUBLE_EQ(all.drawError.value(), std::sqrt(0.4 * 0.4 + 0.3 * 0.3) / 4);
  EXPECT_EQ(all.sets[1].bitsPerByte, 2.0);
  own.bitsPerByte.reset();
  EXPECT_FALSE(combinedResult({setOf("own", 1.0), setOf("general", 3.0)}, {own, general}).bitsPerByte);
}

TEST(EvaluationSetsTest, OneSetWithoutANameIsTheResult) {
  const EvalResult one = resultOf(2.0, 0.5, 100);
  EXPECT_EQ(combinedResult({setOf("", 1.0)}, {one}), one);
  EXPECT_EQ(combinedResult({setOf("own", 0.5)}, {one}).sets.size(), 1U);
}

}  // namespace
}  // namespace batchwise
