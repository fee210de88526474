// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "core/train/evaluation.h"

namespace batchwise {
namespace {

EvaluationSet setOf(const std::string& name, double weight) {
  return {name, weight, {TokenDataset::fromSequences({{5}}, {0, 1, 2, 3, 4}, 10), {}, 0, 0}};
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

TEST(EvaluationSetsTest, OneSetWithoutANameIsTheResult) {
  const EvalResult one = resultOf(2.0, 0.5, 100);
  EXPECT_EQ(combinedResult({setOf("", 1.0)}, {one}), one);
  EXPECT_EQ(combinedResult({setOf("own", 0.5)}, {one}).sets.size(), 1U);
}

}  // namespace
}  // namespace batchwise
