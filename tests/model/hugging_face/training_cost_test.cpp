// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shape/training_cost.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace batchwise {
namespace {

TEST(TrainingCostTest, CountsTheMatrixProductsOfBertBase) {
  ModelShape shape;
  shape.vocabSize = 30'522;
  const TrainingCost cost = trainingCost(shape, 0.15);
  // 12 layers of 4 x 768 x 768 + 2 x 768 x 3072 weights, and the head on 15 % of the tokens.
  EXPECT_DOUBLE_EQ(cost.perToken, 6.0 * 12 * 7'077'888.0);
  EXPECT_DOUBLE_EQ(cost.perPredicted, 6.0 * (589'824.0 + 23'440'896.0));
  EXPECT_DOUBLE_EQ(cost.perTokenAndLength, 12.0 * 12 * 768);
  // One sequence of 128 tokens: attention is 128 x 128 scores per layer, twice, forward and backward.
  EXPECT_DOUBLE_EQ(cost.operations(128, 1),
                   128 * cost.perToken + 126 * 0.15 * cost.perPredicted + 12.0 * 12 * 768 * 128 * 128);
  EXPECT_DOUBLE_EQ(cost.operations(128, 1, 0.3) - cost.operations(128, 1), 126 * 0.15 * cost.perPredicted);
  EXPECT_DOUBLE_EQ(cost.operations(256, 2), 2 * cost.operations(128, 1));
  EXPECT_EQ(cost.operations(0, 0), 0);
}

TEST(TrainingCostTest, CountsWindowsGatesAndGroupedKeysOfTheOtherFamilies) {
  ModelShape modern;
  modern.family = ModelFamily::ModernBert;
  modern.vocabSize = 50'368;
  modern.layers = 22;
  modern.intermediateSize = 1152;
  modern.globalAttentionEvery = 3;
  modern.localAttention = 128;
  const TrainingCost cost = trainingCost(modern, 0.3);
  EXPECT_DOUBLE_EQ(cost.perToken, 6.0 * 22 * (4 * 768.0 * 768 + 3 * 768.0 * 1152));
  EXPECT_DOUBLE_EQ(cost.perPredicted, 6.0 * 768 * (768 + 50'368));
  // Layers 0, 3, ... 21 attend to all keys, the other 14 to a window.
  EXPECT_DOUBLE_EQ(cost.operations(1000, 1, 0) - 1000 * cost.perToken,
                   12.0 * 768 * (8 * 1000.0 * 1000 + 14 * attendedPairs(1000, 64)));

  ModelShape euro = modern;
  euro.family = ModelFamily::EuroBert;
  euro.globalAttentionEvery = 1;
  euro.keyValueHeads = 4;
  EXPECT_DOUBLE_EQ(trainingCost(euro, 0.5).perToken, 6.0 * 22 * (768.0 * (2 * 768 + 2 * 256) + 3 * 768.0 * 1152));
  EXPECT_DOUBLE_EQ(trainingCost(euro, 0.5).perPredicted, 6.0 * 768 * 50'368);
}

TEST(AttendedPairsTest, AreThoseThatCountingFinds) {
  for (const std::int64_t length : {1, 5, 64, 65, 129, 300})
    for (const std::int64_t window : {-1, 0, 3, 64, 128, 299, 300}) {
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < length; ++i)
        for (std::int64_t j = 0; j < length; ++j) count += window < 0 || std::abs(i - j) <= window ? 1 : 0;
      EXPECT_EQ(attendedPairs(static_cast<double>(length), window), static_cast<double>(count)) << length << window;
    }
}

TEST(TrainingCostTest, IsKeptAmongTheValuesOfARun) {
  const TrainingCost cost{123'456'789.5, 110'592};
  std::map<std::string, std::string> values;
  storeTrainingCost(cost, values);
  EXPECT_EQ(storedTrainingCost(values).perToken, cost.perToken);
  EXPECT_EQ(storedTrainingCost(values).perTokenAndLength, cost.perTokenAndLength);
  EXPECT_EQ(storedTrainingCost({}).operations(100, 1), 0);
  const TrainingCost windows{123'456'789.5, 110'592, 777, 64, 1000.5, 0.3};
  storeTrainingCost(windows, values);
  EXPECT_EQ(storedTrainingCost(values).operations(1000, 2), windows.operations(1000, 2));
}

TEST(TrainingCostTest, SpecialTokensAreNeverPredicted) {
  ModelShape shape;
  const TrainingCost cost = trainingCost(shape, 0.15);
  EXPECT_DOUBLE_EQ(cost.operations(1280, 100, 0.3) - cost.operations(1280, 100, 0),
                   0.3 * (1280 - 200) * cost.perPredicted);
  EXPECT_DOUBLE_EQ(cost.operations(2, 1, 0.3), cost.operations(2, 1, 0));
}

}  // namespace
}  // namespace batchwise
