// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/epoch_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "core/plan/lengths.h"
#include "core/plan/plan.h"
#include "core/plan/plan_report.h"
#include "tests/support/checked.h"
#include "tests/support/run_plan.h"
#include "tests/support/test_environment.h"

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

TEST(LengthsFileTest, ReadsJsonLinesAndBinaryAlike) {
  const test::TempFolder folder;
  std::mt19937 random(5);
  std::vector<std::uint32_t> lengths(10'000);
  for (std::uint32_t& length : lengths) length = 1 + static_cast<std::uint32_t>(random() % 60'000);
  std::ofstream(folder / "a.json") << "[" << lengths[0] << ", " << lengths[1] << "]";
  {
    std::ofstream lines(folder / "a.txt");
    for (const std::uint32_t length : lengths) lines << length << "\n";
    std::ofstream words(folder / "a.u16", std::ios::binary);
    std::ofstream wide(folder / "a.u32", std::ios::binary);
    for (const std::uint32_t length : lengths) {
      const auto word = static_cast<std::uint16_t>(length);
      words.write(reinterpret_cast<const char*>(&word), 2);
      wide.write(reinterpret_cast<const char*>(&length), 4);
    }
  }
  const auto array = test::checked(openLengths(folder / "a.json"));
  EXPECT_EQ((*array)->size(), 2);
  EXPECT_EQ((*array)->at(1), lengths[1]);
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (const char* name : {"a.txt", "a.u16", "a.u32"}) {
    const auto read = test::checked(openLengths(folder / name));
    EXPECT_EQ((*read)->size(), 10'000);
    EXPECT_EQ((*read)->totalTokens(), total) << name;
    EXPECT_EQ((*read)->longest(), *std::max_element(lengths.begin(), lengths.end())) << name;
    EXPECT_EQ((*read)->at(9'999), lengths.back());
  }
}

TEST(LengthsFileTest, OneThatIsCutDuringAPreviewIsNamedAndNothingIsShown) {
  const test::TempFolder folder;
  TrainConfig config;
  config.maxDuration = Time::of(1, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 64;
  config.scheduler.name = "constant";
  for (const bool packs : {false, true}) {
    const auto file = folder / "lengths.u32";
    std::filesystem::remove(file);
    std::vector<std::uint32_t> lengths(100'000);
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::uint32_t>(10 + i % 90);
    std::ofstream(file, std::ios::binary)
        << std::string(reinterpret_cast<const char*>(lengths.data()), 4 * lengths.size());
    if (packs) config.batch.tokens.maxTokens = 512;
    const auto read = test::checked(openLengths(file));
    const auto plan = test::checked(Plan::resolve(config, *read, {1, 4, 0}));
    const RunPlan run = test::runPlanOf(config, *read, {1, 4, 0});
    ASSERT_TRUE(previewText(run).ok());
    std::filesystem::resize_file(file, 1000);
    for (const Error& error :
         {previewText(run).error(), previewJson(run, {}).error(),
          batchesText(*plan, **read, 0, RowLength::OfPack).error(),
          batchesJson(*plan, **read, 1, RowLength::OfPack).error(), Plan::resolve(config, *read, {1, 4, 0}).error()}) {
      EXPECT_EQ(error.code, ErrorCode::Corrupt);
      EXPECT_THAT(error.text(), testing::HasSubstr("lengths.u32"));
    }
  }
}

TEST(LengthsFileTest, NamesTheLineThatIsNoLength) {
  const test::TempFolder folder;
  std::ofstream(folder / "a.txt") << "12\n-3\n";
  const Error wrong = test::refused(openLengths(folder / "a.txt"));
  EXPECT_THAT(wrong.text(), testing::HasSubstr("line 2"));
  std::ofstream(folder / "a.json") << "[1, 2.5]";
  EXPECT_FALSE(openLengths(folder / "a.json").ok());
  EXPECT_EQ(openLengths(folder / "none.u16").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace batchwise
