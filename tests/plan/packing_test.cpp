// SPDX-License-Identifier: GPL-3.0-or-later
// The recorded packs of DeepSpeed's variable batch size (tests/vectors/deepspeed_batching.json). `random` cases are
// packed in the recorded order (that of a Mersenne Twister), which the shuffle cases check.
#include "core/plan/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <random>

#include "core/plan/pack_source.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::VectorCase;

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

}  // namespace
}  // namespace batchwise
