// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "core/plan/pack_source.h"
#include "core/plan/plan.h"
#include "core/plan/plan_report.h"
#include "tests/support/checked.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::VectorCase;

// The recorded packs of DeepSpeed's variable batch size (tests/vectors/deepspeed_batching.json). `random` cases are
// packed in the recorded order (that of a Mersenne Twister), which the shuffle cases check.

const json kRefused = {{"error", "refused"}};

/// A Mersenne Twister seeded by the 32-bit words of the seed, as Python's random is (init_by_array of Matsumoto and
/// Nishimura 2002), and its shuffle.
class PythonShuffle {
 public:
  explicit PythonShuffle(std::uint64_t seed) {
    std::vector<std::uint32_t> key{static_cast<std::uint32_t>(seed)};
    if ((seed >> 32) != 0) key.push_back(static_cast<std::uint32_t>(seed >> 32));
    state_[0] = 19650218U;
    for (std::uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    std::uint32_t i = 1;
    std::uint32_t j = 0;
    const auto step = [&] {
      if (++i >= kSize) {
        state_[0] = state_[kSize - 1];
        i = 1;
      }
    };
    for (std::uint32_t k = kSize; k > 0; --k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525U)) + key[j] + j;
      j = j + 1 < key.size() ? j + 1 : 0;
      step();
    }
    for (std::uint32_t k = kSize - 1; k > 0; --k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941U)) - i;
      step();
    }
    state_[0] = 0x80000000U;
  }

  std::vector<std::int64_t> shuffled(std::vector<std::int64_t> ids) {
    for (std::size_t i = ids.size(); i-- > 1;) {
      const int bits = static_cast<int>(std::bit_width(i + 1));
      std::uint32_t pick = 0;
      do pick = word() >> (32 - bits);
      while (pick > i);
      std::swap(ids[i], ids[pick]);
    }
    return ids;
  }

 private:
  static constexpr std::uint32_t kSize = 624;

  void refill() {
    for (std::uint32_t i = 0; i < kSize; ++i) {
      const std::uint32_t mixed = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7FFFFFFFU);
      state_[i] = state_[(i + 397) % kSize] ^ (mixed >> 1) ^ ((mixed & 1U) != 0 ? 0x9908B0DFU : 0U);
    }
    next_ = 0;
  }
  std::uint32_t word() {
    if (next_ == kSize) refill();
    std::uint32_t y = state_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680U;
    y ^= (y << 15) & 0xEFC60000U;
    return y ^ (y >> 18);
  }

  std::uint32_t state_[kSize];
  std::uint32_t next_ = kSize;
};

TEST(PackingVectorsTest, TheRecordedShuffleIsUnderstood) {
  for (const VectorCase& one : test::vectorCases("deepspeed_batching.json", {"shuffle"})) {
    std::vector<std::int64_t> ids(one.input.at("n").get<std::size_t>());
    std::iota(ids.begin(), ids.end(), 0);
    EXPECT_EQ(PythonShuffle(one.input.at("seed").get<std::uint64_t>()).shuffled(ids),
              one.answer.at("order").get<std::vector<std::int64_t>>())
        << one.name;
  }
}

std::vector<std::int64_t> pickingOrder(const json& input, const std::vector<std::uint32_t>& lengths) {
  std::vector<std::int64_t> ids(lengths.size());
  std::iota(ids.begin(), ids.end(), 0);
  if (!input.at("sample_ids").is_null()) ids = input.at("sample_ids").get<std::vector<std::int64_t>>();
  const std::string order = input.at("sequence_picking_order");
  if (order == "seqlen")
    std::sort(ids.begin(), ids.end(), [&](auto a, auto b) {
      return std::pair{lengths[static_cast<std::size_t>(a)], a} < std::pair{lengths[static_cast<std::size_t>(b)], b};
    });
  if (order == "random") ids = PythonShuffle(input.at("seed").get<std::uint64_t>()).shuffled(ids);
  return ids;
}

/// Returns none if a choice is not known, which the configuration refuses when it is read.
std::optional<TokenBudgetConfig> configOf(const json& input) {
  const auto order = choiceFromName<PickingOrder>(input.at("sequence_picking_order").get<std::string>());
  if (!order) return std::nullopt;
  TokenBudgetConfig config;
  config.maxTokens = input.at("max_tokens").get<std::int64_t>();
  config.minBatchSize = input.at("min_batch_size").get<std::int64_t>();
  if (!input.at("max_batch_size").is_null()) config.maxBatchSize = input.at("max_batch_size").get<std::int64_t>();
  config.sequencePickingOrder = *order;
  config.requiredMicrobatchesOfSameSize = input.at("required_microbatches_of_same_size").get<bool>();
  return config;
}

json packAnswer(const json& input) {
  const auto lengths = input.at("seqlens").get<std::vector<std::uint32_t>>();
  const auto perBatch = input.at("effective_batch_size").get<std::int64_t>();
  const auto config = configOf(input);
  if (!config) return kRefused;
  const auto rules = packRules(*config, perBatch);
  if (!rules) return kRefused;
  const auto ids = pickingOrder(input, lengths);
  std::vector<std::uint32_t> ordered;
  for (const std::int64_t id : ids) ordered.push_back(lengths[static_cast<std::size_t>(id)]);
  const PackedWindow packed = packSequences(ordered, *rules);
  if (packed.packs() == 0) return kRefused;  // PackSource refuses a budget that holds no sample
  json answer = {{"microbatches", json::array()},
                 {"batch_of_microbatch", json::array()},
                 {"tokens_per_microbatch", json::array()},
                 {"batch_sizes", json::array()},
                 {"batch_max_seqlens", json::array()}};
  for (std::int64_t pack = 0; pack < packed.packs(); ++pack) {
    json members = json::array();
    if (pack % perBatch == 0) {
      answer["batch_sizes"].push_back(0);
      answer["batch_max_seqlens"].push_back(0);
    }
    json& size = answer["batch_sizes"].back();
    json& longest = answer["batch_max_seqlens"].back();
    for (std::uint32_t index = packed.beginOf(pack); index < packed.beginOf(pack + 1); ++index) {
      const std::uint32_t place = packed.places[index];
      members.push_back(ids[place]);
      size = size.get<std::int64_t>() + 1;
      longest = std::max<std::int64_t>(longest.get<std::int64_t>(), ordered[place]);
    }
    answer["microbatches"].push_back(members);
    answer["batch_of_microbatch"].push_back(pack / perBatch);
    answer["tokens_per_microbatch"].push_back(packed.tokensBefore(pack + 1) - packed.tokensBefore(pack));
  }
  std::vector<std::int64_t> dropped;
  for (const std::uint32_t place : packed.tooLong) dropped.push_back(ids[place]);
  std::sort(dropped.begin(), dropped.end());
  answer["dropped"] = dropped;
  return answer;
}

bool agrees(const json& wanted, const json& found) {
  if (wanted.contains("error")) return found.contains("error");
  return test::difference(wanted, found).empty();
}

TEST(PackingVectorsTest, PacksLikeThePeerWithoutItsLosses) {
  const auto cases = test::vectorCases("deepspeed_batching.json", {"batch_by_seqlens"});
  ASSERT_GT(cases.size(), 40U);
  for (const VectorCase& one : cases) {
    SCOPED_TRACE(one.name);
    const json found = packAnswer(one.input);
    EXPECT_TRUE(agrees(one.answer, found)) << test::difference(one.answer, found) << "\nfound " << found;
    EXPECT_FALSE(one.excepted && agrees(one.peer, found)) << "needs no exception";
  }
}

/// The ids of each global batch, whichever device and micro-batch they went to: how a step is dealt is ours.
json loaderSteps(const json& perRank) {
  json steps = json::array();
  for (std::size_t step = 0; step < perRank.front().size(); ++step) {
    std::vector<std::int64_t> ids;
    for (const json& rank : perRank)
      for (const json& sample : rank.at(step)) ids.push_back(sample.at(0).get<std::int64_t>());
    std::sort(ids.begin(), ids.end());
    steps.push_back(ids);
  }
  return steps;
}

json loaderAnswer(json input) {
  input["sample_ids"] = nullptr;
  const json packed = packAnswer(input);
  std::vector<std::vector<std::int64_t>> steps(packed.at("batch_sizes").size());
  for (std::size_t pack = 0; pack < packed.at("microbatches").size(); ++pack)
    for (const json& id : packed["microbatches"][pack])
      steps[packed["batch_of_microbatch"][pack].get<std::size_t>()].push_back(id.get<std::int64_t>());
  for (auto& ids : steps) std::sort(ids.begin(), ids.end());
  return {{"batch_sizes", packed["batch_sizes"]}, {"batch_max_seqlens", packed["batch_max_seqlens"]}, {"steps", steps}};
}

TEST(PackingVectorsTest, AStepHoldsWhatTheLoaderOfThePeerGivesItsRanks) {
  const auto cases = test::vectorCases("deepspeed_batching.json", {"loader"});
  ASSERT_EQ(cases.size(), 4U);
  for (VectorCase one : cases) {
    SCOPED_TRACE(one.name);
    for (json* side : {&one.answer, &one.peer})
      if (side->contains("ranks")) (*side)["steps"] = loaderSteps(side->at("ranks")), side->erase("ranks");
    const json found = loaderAnswer(one.input);
    EXPECT_TRUE(agrees(one.answer, found)) << test::difference(one.answer, found) << "\nfound " << found;
    EXPECT_FALSE(one.excepted && agrees(one.peer, found)) << "needs no exception";
  }
}

TEST(PackingVectorsTest, BestFitFillsRowsAtLeastAsWellAsTheRecordedPacker) {
  const auto cases = test::vectorCases("rampup.json", {"landed_packer"});
  ASSERT_EQ(cases.size(), 5U);
  for (const VectorCase& one : cases) {
    SCOPED_TRACE(one.name);
    const auto lengths = one.input.at("seqlens").get<std::vector<std::uint32_t>>();
    TokenBudgetConfig config;
    config.maxTokens =
        one.input.at("device_microbatch").get<std::int64_t>() * one.input.at("seq_len").get<std::int64_t>();
    config.packing = PackMethod::BestFit;
    const PackedWindow packed = packSequences(lengths, packRules(config, 1).value());
    std::vector<bool> seen(lengths.size(), false);
    for (const std::uint32_t place : packed.places) seen[place] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true),
              static_cast<std::ptrdiff_t>(lengths.size()));  // they lose some
    std::int64_t rows = 0;
    std::int64_t tokens = 0;
    for (const json& batch : one.peer.at("batches")) {
      rows += batch.at("rows").get<std::int64_t>();
      tokens += batch.at("tokens").get<std::int64_t>();
    }
    ASSERT_GT(rows, 0);
    // The last pack holds what is left over.
    for (std::int64_t pack = 0; pack < packed.packs(); ++pack)
      EXPECT_LE(packed.tokensBefore(pack + 1) - packed.tokensBefore(pack), *config.maxTokens);
    const auto all = static_cast<double>(packed.tokensBefore(packed.packs()));
    const auto budget = static_cast<double>(*config.maxTokens);
    EXPECT_GE(all / (static_cast<double>(packed.packs() - 1) * budget),
              static_cast<double>(tokens) / (static_cast<double>(rows) * budget));
  }
}

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
      const auto rules = test::checked(packRules(config.batch.tokens, 4));
      const auto source = test::checked(PackSource::make(config, lengths, *rules));
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
    const auto source = test::checked(PackSource::make(config, lengths, *packRules(config.batch.tokens, kGroup)));
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
      const auto plan = test::checked(Plan::resolve(config, lengths, {}));
      const Plan::Totals totals = plan->totals();
      const auto packs = batchesJson(*plan, *lengths, 0, RowLength::OfPack)->at("packs").size();
      const double perPack = static_cast<double>(*totals.samples) / static_cast<double>(packs);
      EXPECT_NEAR(std::stod(plan->resolved().at("scheduler.samples_per_batch")), 4 * perPack, 1e-9);
      EXPECT_NEAR(std::stod(plan->resolved().at("scheduler.tokens_per_batch")),
                  4 * *plan->fill() * static_cast<double>(*config.batch.tokens.maxTokens), 1e-6);
    }
}

std::vector<std::int64_t> ascending(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Largest over smallest sum of costs of the devices, which get equally many units.
double spread(const std::vector<double>& costs, const std::vector<std::int64_t>& order, std::int64_t devices) {
  const std::size_t each = order.size() / static_cast<std::size_t>(devices);
  std::vector<double> sums;
  for (std::size_t first = 0; first < order.size(); first += each) {
    double sum = 0;
    for (std::size_t i = first; i < first + each; ++i) sum += costs[static_cast<std::size_t>(order[i])];
    sums.push_back(sum);
  }
  return *std::max_element(sums.begin(), sums.end()) / *std::min_element(sums.begin(), sums.end());
}

TEST(BalanceTest, OneDeviceGetsAllInOrder) {
  EXPECT_EQ(balanceAcrossDevices(std::vector<double>{3, 1, 2}, 1), ascending(3));
  EXPECT_EQ(balanceAcrossDevices(std::vector<double>{}, 4), ascending(0));
}

TEST(BalanceTest, EachUnitIsDealtOnceAndNumbersStayEven) {
  EXPECT_EQ(balanceAcrossDevices(std::vector<double>{9, 1, 1, 9, 1}, 2), (std::vector<std::int64_t>{0, 1, 4, 2, 3}));
  std::mt19937_64 random(7);
  for (const std::int64_t count : {1, 2, 7, 64, 129})
    for (const std::int64_t devices : {2, 3, 8}) {
      std::vector<double> costs;
      for (std::int64_t i = 0; i < count; ++i) costs.push_back(static_cast<double>(random() % 100));
      std::vector<std::int64_t> order = balanceAcrossDevices(costs, devices);
      std::int64_t first = 0;
      for (std::int64_t device = 0; device < devices; ++device) {
        const std::int64_t own = count / devices + (device < count % devices ? 1 : 0);
        EXPECT_TRUE(std::is_sorted(order.begin() + first, order.begin() + first + own));
        first += own;
      }
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, ascending(count));
    }
}

TEST(BalanceTest, RealLengthsDifferByLittleOverDevices) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> length(5.2, 0.7);
  for (const std::int64_t devices : {2, 4, 8}) {
    std::vector<double> costs;
    for (std::int64_t i = 0; i < 32 * devices; ++i)
      costs.push_back(sequenceCost(static_cast<std::int64_t>(std::min(512.0, length(random)))));
    const std::vector<std::int64_t> dealt = balanceAcrossDevices(costs, devices);
    EXPECT_LT(spread(costs, dealt, devices), 1.02) << devices;
    EXPECT_LT(spread(costs, dealt, devices), spread(costs, ascending(32 * devices), devices));
  }
}

}  // namespace
}  // namespace batchwise
