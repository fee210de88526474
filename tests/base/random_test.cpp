// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace batchwise {
namespace {

TEST(RandomTest, MixIsTheFinaliserOfSplitMix64) {
  EXPECT_EQ(mix64(0), 0xE220A8397B1DCDAFULL);  // first output of SplitMix64 with seed 0
}

TEST(RandomTest, NeighboringKeysAndIndicesGiveDifferentBits) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t key = 0; key < 100; ++key)
    for (std::uint64_t index = 0; index < 100; ++index) seen.insert(randomBits(subKey(17, key), index));
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(RandomTest, BoundedNumbersFillTheRangeEvenly) {
  std::array<int, 7> counts{};
  for (std::uint64_t index = 0; index < 70'000; ++index) ++counts[boundedRandom(randomBits(3, index), 7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(RandomTest, UnitNumbersStayBelowOneWithMeanOneHalf) {
  EXPECT_LT(unitRandom(~0ULL), 1.0);
  double sum = 0;
  for (std::uint64_t index = 0; index < 10'000; ++index) sum += unitRandom(randomBits(5, index));
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

}  // namespace
}  // namespace batchwise
