// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/training_cost.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

TEST(TrainingCostTest, CountsTheMatrixProductsOfBertBase) {
  ModelShape shape;
  shape.vocabSize = 30'522;
  const TrainingCost cost = trainingCost(shape, 0.15);
  // 12 layers of 4 x 768 x 768 + 2 x 768 x 3072 weights, and the head on 15 % of the tokens.
  EXPECT_DOUBLE_EQ(cost.perToken, 6.0 * (12 * 7'077'888.0 + 0.15 * (589'824.0 + 23'440'896.0)));
  EXPECT_DOUBLE_EQ(cost.perTokenAndLength, 12.0 * 12 * 768);
  // One sequence of 128 tokens: attention is 128 x 128 scores per layer, twice, forward and backward.
  EXPECT_DOUBLE_EQ(cost.operations(128, 1), 128 * cost.perToken + 12.0 * 12 * 768 * 128 * 128);
  EXPECT_DOUBLE_EQ(cost.operations(256, 2), 2 * cost.operations(128, 1));
  EXPECT_EQ(cost.operations(0, 0), 0);
}

TEST(TrainingCostTest, IsKeptAmongTheValuesOfARun) {
  const TrainingCost cost{123'456'789.5, 110'592};
  std::map<std::string, std::string> values;
  storeTrainingCost(cost, values);
  EXPECT_EQ(storedTrainingCost(values).perToken, cost.perToken);
  EXPECT_EQ(storedTrainingCost(values).perTokenAndLength, cost.perTokenAndLength);
  EXPECT_EQ(storedTrainingCost({}).operations(100, 1), 0);
}

}  // namespace
}  // namespace batchwise
