// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/epoch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace batchwise {
namespace {

std::vector<std::int64_t> orderOf(std::int64_t samples, std::uint64_t seed, std::int64_t epoch) {
  const EpochOrder order(samples, seed, epoch, DataOrder::Shuffled);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(samples));
  order.samplesFrom(0, ids);
  return ids;
}

TEST(EpochOrderTest, ManyAtOnceAreTheSameAsOneByOne) {
  for (const std::int64_t samples : {1, 5000, 70000, 140000}) {
    const EpochOrder order(samples, 3, 1, DataOrder::Shuffled);
    std::vector<std::int64_t> some(static_cast<std::size_t>(std::min<std::int64_t>(samples, 1000)));
    for (std::int64_t first = 0; first + static_cast<std::int64_t>(some.size()) <= samples; first += 997) {
      order.samplesFrom(first, some);
      for (std::size_t index = 0; index < some.size(); index += 13)
        ASSERT_EQ(some[index], order.sampleAt(first + static_cast<std::int64_t>(index)));
    }
  }
}

class EpochOrderSizeTest : public testing::TestWithParam<std::int64_t> {};

TEST_P(EpochOrderSizeTest, VisitsEverySampleOnce) {
  const std::int64_t samples = GetParam();
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<bool> seen(static_cast<std::size_t>(samples));
    for (const std::int64_t id : orderOf(samples, 17, epoch)) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, samples);
      ASSERT_FALSE(seen[static_cast<std::size_t>(id)]);
      seen[static_cast<std::size_t>(id)] = true;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EpochOrderSizeTest,
                         testing::Values(1, 2, 3, 5, 100, 4095, 4096, 4097, 8192, 65535, 65536, 65537, 70000, 200001,
                                         300000));

TEST(EpochOrderTest, DiffersByEpochAndSeedAndRepeats) {
  EXPECT_NE(orderOf(1000, 17, 0), orderOf(1000, 17, 1));
  EXPECT_NE(orderOf(1000, 17, 0), orderOf(1000, 18, 0));
  EXPECT_EQ(orderOf(1000, 17, 4), orderOf(1000, 17, 4));
}

TEST(EpochOrderTest, FileOrderIsTheOrderOfTheFile) {
  const EpochOrder order(10, 17, 3, DataOrder::File);
  for (std::int64_t place = 0; place < 10; ++place) EXPECT_EQ(order.sampleAt(place), place);
}

TEST(EpochOrderTest, MixesSmallSetsEvenly) {
  // Sample 0 of 16 lands on each place about equally often over 16,000 epochs: a chi-square test with 15 degrees of
  // freedom; 50 has a probability of 1e-5.
  std::vector<int> hits(16);
  for (std::int64_t epoch = 0; epoch < 16000; ++epoch) {
    const EpochOrder order(16, 17, epoch, DataOrder::Shuffled);
    for (std::int64_t place = 0; place < 16; ++place)
      if (order.sampleAt(place) == 0) ++hits[static_cast<std::size_t>(place)];
  }
  double chi = 0;
  for (const int count : hits) chi += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi, 50.0);
}

TEST(EpochOrderTest, LeadingBlocksAreWhatPrecedesAWindow) {
  for (const DataOrder kind : {DataOrder::File, DataOrder::Shuffled})
    for (const std::int64_t samples : {5000, 70000, 140000, 300001}) {
      const EpochOrder order(samples, 17, 2, kind);
      for (std::int64_t place = 0; place < samples; place += 7919) {
        const auto [blocks, places] = order.leadingBlocks(place);
        ASSERT_LE(places, place);
        ASSERT_LT(place - places, 65536);
        std::int64_t found = 0;
        std::set<std::int64_t> leading;
        for (std::int64_t slot = 0; slot < blocks; ++slot) {
          leading.insert(order.blockAt(slot));
          found += std::min(EpochOrder::kBlock, samples - order.blockAt(slot) * EpochOrder::kBlock);
        }
        ASSERT_EQ(found, places);
        for (std::int64_t at = 0; at < samples; at += 101)
          ASSERT_EQ(leading.contains(order.sampleAt(at) / EpochOrder::kBlock), at < places) << at << " of " << places;
      }
    }
}

TEST(EpochOrderTest, StaysInsideSixteenBlocksOfAWindow) {
  // What makes reading a mapped file cheap: 65,536 neighboring places touch 16 blocks only.
  const EpochOrder order(std::int64_t{1} << 20, 17, 0, DataOrder::Shuffled);
  std::set<std::int64_t> blocks;
  for (std::int64_t place = 65536; place < 131072; ++place) blocks.insert(order.sampleAt(place) / 4096);
  EXPECT_LE(blocks.size(), 17U);
}

}  // namespace
}  // namespace batchwise
