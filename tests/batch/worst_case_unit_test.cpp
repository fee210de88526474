// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/worst_case_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace batchwise {
namespace {

std::vector<std::int64_t> unitOf(const std::vector<std::uint32_t>& lengths, std::int64_t maxTokens,
                                 std::optional<std::int64_t> mostSequences = {}, const char* count = "real") {
  TrainConfig config;
  if (maxTokens > 0) config.batch.tokens.maxTokens = maxTokens;
  config.batch.tokens.maxBatchSize = mostSequences;
  config.batch.tokens.count = count;
  config.batch.tokens.sequencePickingOrder = "seqlen";
  const auto unit = worstCaseUnit(config, std::make_shared<ListedLengths>(lengths));
  EXPECT_TRUE(unit.ok()) << unit.error().text();
  return unit.ok() ? *unit : std::vector<std::int64_t>();
}

std::int64_t tokensOf(const std::vector<std::int64_t>& unit) {
  return std::accumulate(unit.begin(), unit.end(), std::int64_t{0});
}

TEST(WorstCaseUnitTest, IsTheLongestSequenceWithoutABudget) {
  EXPECT_EQ(unitOf({5, 9, 3}, 0), std::vector<std::int64_t>{9});
}

TEST(WorstCaseUnitTest, IsAPackWithTheWholeBudgetALongestSequenceAndAsManyOthersAsAPackHolds) {
  std::vector<std::uint32_t> lengths(100, 4);
  lengths.resize(110, 32);
  // The first pack holds 25 sequences of 4 tokens.
  const std::vector<std::int64_t> unit = unitOf(lengths, 100);
  EXPECT_EQ(unit.size(), 25u);
  EXPECT_EQ(unit.front(), 28) << "a longest one does not go with 24 others";
  EXPECT_EQ(tokensOf(unit), 100) << "no pack has more";
  for (std::size_t i = 1; i < unit.size(); ++i) EXPECT_EQ(unit[i], 3) << "no sequence is shorter";
  // With packs of at most 10 sequences the tokens that are left are shared out: 100 = 32 + 5 * 8 + 4 * 7.
  const std::vector<std::int64_t> few = unitOf(lengths, 100, 10);
  EXPECT_EQ(few.size(), 10u);
  EXPECT_EQ(tokensOf(few), 100);
  EXPECT_EQ(*std::max_element(few.begin() + 1, few.end()), 8);
  EXPECT_EQ(*std::min_element(few.begin() + 1, few.end()), 7);
}

TEST(WorstCaseUnitTest, NoSequenceIsLongerThanTheLongestNorThanTheBudget) {
  EXPECT_EQ(unitOf({32, 32, 32}, 1000, 2), (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(unitOf({32, 200, 32}, 40), std::vector<std::int64_t>{40});
}

TEST(WorstCaseUnitTest, ABudgetOfPaddedTokensHoldsAsManySequencesAsItsPacks) {
  EXPECT_EQ(unitOf({4, 4, 4, 4, 16, 16}, 16, {}, "padded").size(), 4u);
}

TEST(WorstCaseUnitTest, RefusesABudgetThatHoldsNothing) {
  TrainConfig config;
  config.batch.tokens.maxTokens = 2;
  EXPECT_FALSE(worstCaseUnit(config, std::make_shared<ListedLengths>(std::vector<std::uint32_t>{5})).ok());
}

}  // namespace
}  // namespace batchwise
