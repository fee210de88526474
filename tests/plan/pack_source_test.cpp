// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/pack_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/plan/preview.h"

namespace batchwise {
namespace {

std::vector<std::uint32_t> randomLengths(std::size_t count, std::uint32_t longest, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> lengths(count);
  for (std::uint32_t& length : lengths) length = 1 + static_cast<std::uint32_t>(random() % longest);
  return lengths;
}

TEST(PackingTest, BestFitKeepsEveryLimitAndLosesNothing) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    PackRules rules;
    rules.method = PackMethod::BestFit;
    rules.count = seed % 3 == 0 ? PackCount::Padded : PackCount::Real;
    rules.maxTokens = 50 + seed * 7000;  // above 2^17 the search for room is coarser
    rules.maxSequences = seed % 4 == 0 ? 5 : 0;
    const auto lengths = randomLengths(2000, 60, seed);
    const PackedWindow packed = packSequences(lengths, rules);
    std::vector<int> seen(lengths.size(), 0);
    for (const std::uint32_t place : packed.tooLong) ++seen[place];
    std::uint32_t first = 0;
    for (std::int64_t pack = 0; pack < packed.packs(); ++pack) {
      std::int64_t tokens = 0;
      std::int64_t longest = 0;
      const std::uint32_t begin = packed.beginOf(pack);
      const std::uint32_t end = packed.beginOf(pack + 1);
      for (std::uint32_t index = begin; index < end; ++index) {
        ++seen[packed.places[index]];
        tokens += lengths[packed.places[index]];
        longest = std::max<std::int64_t>(longest, lengths[packed.places[index]]);
        EXPECT_TRUE(index == begin || packed.places[index - 1] < packed.places[index]);
      }
      EXPECT_LE(rules.count == PackCount::Real ? tokens : longest * (end - begin), rules.maxTokens);
      EXPECT_TRUE(rules.maxSequences == 0 || end - begin <= rules.maxSequences);
      EXPECT_EQ(packed.tokensBefore(pack + 1) - packed.tokensBefore(pack), tokens);
      EXPECT_GE(packed.places[begin], first);
      first = packed.places[begin];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(lengths.size()));
  }
}

TEST(PackingTest, BestFitFillsBetterThanOrder) {
  const auto lengths = randomLengths(20000, 500, 9);
  PackRules rules;
  rules.maxTokens = 1024;
  const auto inOrder = packSequences(lengths, rules).packs();
  rules.method = PackMethod::BestFit;
  const auto bestFit = packSequences(lengths, rules).packs();
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  EXPECT_LT(bestFit, inOrder);
  EXPECT_LE(static_cast<double>(bestFit), static_cast<double>(total) / 1024.0 * 1.005);
}

TEST(PackingTest, AZeroLengthCostsNothing) {
  PackRules rules;
  rules.maxTokens = 10;
  rules.method = PackMethod::BestFit;
  const std::vector<std::uint32_t> lengths = {0, 0, 10, 0};
  const PackedWindow packed = packSequences(lengths, rules);
  EXPECT_EQ(packed.samples(), 4);
  EXPECT_EQ(packed.packs(), 1);
}

/// Over several windows, with samples that are too long and packs that are discarded.
TEST(PackSourceTest, WalkingAndSeekingAgreeAcrossWindows) {
  const auto lengths = std::make_shared<ListedLengths>(randomLengths(PackSource::kWindow * 2 + 5000, 64, 1));
  for (const SmallPacks small : {SmallPacks::Keep, SmallPacks::Discard}) {
    for (const PickingOrder order : {PickingOrder::DataLoader, PickingOrder::Random, PickingOrder::BySize}) {
      SCOPED_TRACE(std::string(choiceName(small)) + " " + std::string(choiceName(order)));
      TrainConfig config;
      config.batch.tokens.maxTokens = small == SmallPacks::Keep ? 4096 : 63;
      config.batch.tokens.minBatchSize = 2;
      config.batch.tokens.onSmallPack = small;
      config.batch.tokens.sequencePickingOrder = order;
      const auto rules = packRules(config.batch.tokens, 4);
      ASSERT_TRUE(rules.ok());
      const auto source = PackSource::make(config, lengths, *rules);
      ASSERT_TRUE(source.ok()) << source.error().text();
      UnitCursor at;
      UnitCounts done;
      std::int64_t steps = 0;
      for (bool ended = false; !ended; ++steps) {
        const UnitSlice slice = (*source)->take(1, at, 1000);
        if (steps % 37 == 0) {
          const UnitCounts before = (*source)->before(1, at.unit);
          EXPECT_EQ(before.samples, done.samples);
          EXPECT_EQ(before.tokens, done.tokens);
          const auto members = (*source)->members(1, at, slice.units);
          std::int64_t samples = 0;
          for (const auto& pack : members) samples += static_cast<std::int64_t>(pack.size());
          EXPECT_EQ(samples, slice.counts.samples);
        }
        at.unit += slice.units;
        at.sample += slice.counts.samples;
        done.samples += slice.counts.samples;
        done.tokens += slice.counts.tokens;
        ended = slice.reachesEnd;
      }
      EXPECT_EQ((*source)->unitsUpTo(1, std::int64_t{1} << 60), at.unit);
      EXPECT_EQ(static_cast<std::int64_t>((*source)->skipped(1).size()) + done.samples, lengths->size());
    }
  }
}

TEST(PackSourceTest, KnowsHowManySamplesAPackHoldsAtMost) {
  const auto lengths = std::make_shared<ListedLengths>(randomLengths(5000, 50, 4));
  for (const PickingOrder order : {PickingOrder::DataLoader, PickingOrder::Random, PickingOrder::BySize}) {
    TrainConfig config;
    config.batch.tokens.maxTokens = 400;
    config.batch.tokens.sequencePickingOrder = order;
    const auto source = PackSource::make(config, lengths, *packRules(config.batch.tokens, 1));
    std::size_t most = 0;
    for (const auto& pack : (*source)->members(0, {}, 1'000'000)) most = std::max(most, pack.size());
    EXPECT_EQ((*source)->maxSamplesPerPack(0), static_cast<std::int64_t>(most)) << choiceName(order);
  }
}

/// The shortest are at the very start, so that a look at any other window would miss them.
TEST(PackSourceTest, LooksAtTheWindowWithTheShortestOfAnOrderBySize) {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(PackSource::kWindow) * 20, 50);
  for (std::size_t sample = 0; sample < 200; ++sample) all[all.size() - 1 - sample] = 3;
  TrainConfig config;
  config.batch.tokens.maxTokens = 400;
  config.batch.tokens.sequencePickingOrder = PickingOrder::BySize;
  const auto source =
      PackSource::make(config, std::make_shared<ListedLengths>(all), *packRules(config.batch.tokens, 1));
  EXPECT_EQ((*source)->maxSamplesPerPack(0), 133);
}

TEST(PackSourceTest, LooksAtTheFirstAndTheLastWindowOfAnOrderAsItStands) {
  for (const bool atTheEnd : {false, true}) {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(PackSource::kWindow) * 20, 50);
    for (std::size_t sample = 0; sample < 200; ++sample) all[atTheEnd ? all.size() - 1 - sample : sample] = 3;
    TrainConfig config;
    config.data.shuffle = false;
    config.batch.tokens.maxTokens = 400;
    const auto source =
        PackSource::make(config, std::make_shared<ListedLengths>(all), *packRules(config.batch.tokens, 1));
    EXPECT_EQ((*source)->maxSamplesPerPack(0), 133) << atTheEnd;
  }
}

TEST(PackSourceTest, SizeOrderSortsTheWholeSetByLengthAndId) {
  const auto lengths = std::make_shared<ListedLengths>(randomLengths(5000, 50, 4));
  TrainConfig config;
  config.batch.tokens.maxTokens = 400;
  config.batch.tokens.sequencePickingOrder = PickingOrder::BySize;
  const auto source = PackSource::make(config, lengths, *packRules(config.batch.tokens, 1));
  std::pair<std::uint32_t, std::int64_t> last{0, -1};
  for (const auto& pack : (*source)->members(3, {}, 1'000'000))
    for (const std::int64_t sample : pack) {
      const std::pair<std::uint32_t, std::int64_t> key{lengths->at(sample), sample};
      EXPECT_LT(last, key);
      last = key;
    }
  EXPECT_TRUE((*source)->sameEveryEpoch());
}

/// Windows hold no whole number of groups of 7; the second run also has samples that never fit.
TEST(PackSourceTest, GlobalBatchesHoldPacksOfOneSizeAcrossWindows) {
  constexpr std::int64_t kGroup = 7;
  const auto lengths = std::make_shared<ListedLengths>(randomLengths(PackSource::kWindow * 2 + 5003, 64, 3));
  for (const std::int64_t budget : {500, 62}) {
    SCOPED_TRACE(budget);
    TrainConfig config;
    config.batch.tokens.maxTokens = budget;
    config.batch.tokens.requiredMicrobatchesOfSameSize = true;
    const auto source = PackSource::make(config, lengths, *packRules(config.batch.tokens, kGroup));
    ASSERT_TRUE(source.ok()) << source.error().text();
    const auto packs = (*source)->members(1, {}, std::int64_t{1} << 40);
    std::vector<int> seen(static_cast<std::size_t>(lengths->size()), 0);
    std::int64_t unequal = 0;
    for (std::size_t pack = 0; pack < packs.size(); ++pack) {
      if (packs[pack].size() != packs[pack / kGroup * kGroup].size()) ++unequal;
      for (const std::int64_t sample : packs[pack]) ++seen[static_cast<std::size_t>(sample)];
    }
    EXPECT_EQ(unequal, 0);
    for (const SkippedSample& skipped : (*source)->skipped(1)) ++seen[static_cast<std::size_t>(skipped.sample)];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), lengths->size());
    // A fresh source that is asked for a place behind the first window gives the same packs.
    const auto fresh = PackSource::make(config, lengths, *packRules(config.batch.tokens, kGroup));
    UnitCursor at{static_cast<std::int64_t>(packs.size()) - 40, 0};
    for (std::int64_t pack = 0; pack < at.unit; ++pack)
      at.sample += static_cast<std::int64_t>(packs[static_cast<std::size_t>(pack)].size());
    const std::vector<std::vector<std::int64_t>> tail(packs.end() - 40, packs.end());
    EXPECT_EQ((*fresh)->members(1, at, 40), tail);
    EXPECT_EQ((*source)->before(1, at.unit).samples, at.sample);
  }
}

TEST(PackSourceTest, RefusesGroupsAboveAWindow) {
  TrainConfig config;
  config.batch.tokens.maxTokens = 400;
  config.batch.tokens.requiredMicrobatchesOfSameSize = true;
  EXPECT_TRUE(packRules(config.batch.tokens, PackSource::kWindow).ok());
  EXPECT_FALSE(packRules(config.batch.tokens, PackSource::kWindow + 1).ok());
}

TEST(PackSourceTest, TheSizesOfAGlobalBatchAreThoseOfRealPacks) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.scheduler.warmupFrom = WarmupStart::One;
  config.maxDuration = Time::of(1, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 4;
  config.batch.deviceTrainMicrobatchSize = 1;
  config.batch.tokens.maxTokens = 128;
  const auto lengths = std::make_shared<ListedLengths>(randomLengths(5000, 60, 3));
  for (const PickingOrder order : {PickingOrder::DataLoader, PickingOrder::Random, PickingOrder::BySize})
    for (const std::int64_t most : {0, 2}) {
      config.batch.tokens.sequencePickingOrder = order;
      config.batch.tokens.maxBatchSize = most;
      const auto plan = Plan::resolve(config, lengths, {});
      ASSERT_TRUE(plan.ok()) << plan.error().text();
      const Plan::Totals totals = plan->totals();
      const auto packs = batchesJson(*plan, *lengths, 0, RowLength::OfPack)->at("packs").size();
      const double perPack = static_cast<double>(*totals.samples) / static_cast<double>(packs);
      EXPECT_NEAR(std::stod(plan->resolved().at("scheduler.samples_per_batch")), 4 * perPack, 1e-9);
      EXPECT_NEAR(std::stod(plan->resolved().at("scheduler.tokens_per_batch")),
                  4 * *plan->fill() * static_cast<double>(*config.batch.tokens.maxTokens), 1e-6);
    }
}

}  // namespace
}  // namespace batchwise
