// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that is forecast before a launch against what a step takes on the processor.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/model/shape/training_cost.h"
#include "core/text/masking.h"
#include "core/train/device_memory.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

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
    auto model = EncoderModel::create(shape, precision, at::kCPU, 5);
    ASSERT_TRUE(model.ok());
    AdamW optimizer(model->parameters(), AdamWOptions());
    Replica replica{std::move(*model), std::move(optimizer)};
    for (const Sequences& batch : batches) {
      for (const bool recompute : {false, true}) {
        replica.model.recomputeLayers(recompute);
        const PassSize size{batch.count, batch.count * batch.tokens,
                            batch.count * predictedTokens(batch.tokens, kMaskProbability)};
        const TrainingMemory forecast =
            trainingMemory(shape, {false, precision == Precision::Fp32 ? 4 : 2, recompute}, size);
        const auto measured = StepProbe(replica, kMaskProbability).measure(batch.count, {batch.tokens});
        ASSERT_TRUE(measured.ok());
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

}  // namespace
}  // namespace batchwise
