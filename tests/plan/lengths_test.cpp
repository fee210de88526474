// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/lengths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "core/plan/plan.h"
#include "core/plan/preview.h"
#include "tests/support/run_plan.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

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
  const auto array = openLengths(folder / "a.json");
  ASSERT_TRUE(array.ok()) << array.error().text();
  EXPECT_EQ((*array)->size(), 2);
  EXPECT_EQ((*array)->at(1), lengths[1]);
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (const char* name : {"a.txt", "a.u16", "a.u32"}) {
    const auto read = openLengths(folder / name);
    ASSERT_TRUE(read.ok()) << read.error().text();
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
    const auto read = openLengths(file);
    ASSERT_TRUE(read.ok());
    const auto plan = Plan::resolve(config, *read, {1, 4, 0});
    ASSERT_TRUE(plan.ok()) << plan.error().text();
    const RunPlan run = test::runPlanOf(config, *read, {1, 4, 0});
    ASSERT_TRUE(previewText(run).ok());
    std::filesystem::resize_file(file, 1000);
    for (const Error& error :
         {previewText(run).error(), previewJson(run, {}).error(),
          batchesText(*plan, **read, 0, RowLength::OfPack).error(),
          batchesJson(*plan, **read, 1, RowLength::OfPack).error(), Plan::resolve(config, *read, {1, 4, 0}).error()}) {
      EXPECT_EQ(error.code, ErrorCode::Corrupt);
      EXPECT_NE(error.text().find("lengths.u32"), std::string::npos) << error.text();
    }
  }
}

TEST(LengthsFileTest, NamesTheLineThatIsNoLength) {
  const test::TempFolder folder;
  std::ofstream(folder / "a.txt") << "12\n-3\n";
  const auto wrong = openLengths(folder / "a.txt");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().text().find("line 2"), std::string::npos) << wrong.error().text();
  std::ofstream(folder / "a.json") << "[1, 2.5]";
  EXPECT_FALSE(openLengths(folder / "a.json").ok());
  EXPECT_EQ(openLengths(folder / "none.u16").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace batchwise
