// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/microbatch_search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/checked.h"

namespace batchwise {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

/// A device as allocators behave: what stays, what a step takes whatever its size, what each row takes; large blocks
/// are rounded up, and a little goes lost between them.
struct SimulatedDevice {
  double residentBytes;
  double workspaceBytes;
  double rowBytes;
  double granularity;

  std::int64_t peak(std::int64_t rows) const {
    const double exact = residentBytes + workspaceBytes + rowBytes * static_cast<double>(rows) +
                         0.003 * rowBytes * static_cast<double>(rows) * std::sin(static_cast<double>(rows));
    return static_cast<std::int64_t>(std::ceil(exact / granularity) * granularity);
  }
  std::int64_t largestWithin(double bytes) const {
    std::int64_t rows = 0;
    while (static_cast<double>(peak(rows + 1)) <= bytes) ++rows;
    return rows;
  }
  MicrobatchProbe probe() const {
    return [this](std::int64_t rows) -> Result<ProbeOutcome> {
      return ProbeOutcome{true, peak(rows), static_cast<std::int64_t>(residentBytes)};
    };
  }
};

const std::vector<SimulatedDevice> kShapes = {
    {0.02 * kGiB, 0.01 * kGiB, 0.001 * kGiB, 512},        // tiny model, many rows
    {1.8 * kGiB, 0.3 * kGiB, 0.05 * kGiB, 2 * 1048576},   // base
    {5.4 * kGiB, 1.2 * kGiB, 0.4 * kGiB, 2 * 1048576},    // large, long rows
    {0.5 * kGiB, 0.0, 0.2 * kGiB, 2 * 1048576},           // no workspace
    {2.0 * kGiB, 0.9 * kGiB, 0.02 * kGiB, 20 * 1048576},  // a workspace like 45 rows, coarse blocks
};

TEST(MicrobatchSearchTest, ComesNearTheLargestWithFourSafeProbes) {
  for (const SimulatedDevice& shape : kShapes) {
    for (int step = 1; step <= 20; ++step) {
      MicrobatchSearch search;
      search.limitBytes = static_cast<std::int64_t>(4.0 * kGiB * step);
      search.most = 1'000'000;
      const double target = static_cast<double>(search.limitBytes) * 0.9;
      const std::int64_t largest = shape.largestWithin(target);
      const auto found = searchMicrobatch(search, shape.probe());
      if (largest == 0) {
        EXPECT_FALSE(found.ok());
        continue;
      }
      ASSERT_TRUE(found.ok()) << found.error().text();
      EXPECT_GE(static_cast<double>(found->units), std::floor(0.98 * static_cast<double>(largest)))
          << step << " of " << largest;
      EXPECT_LE(static_cast<double>(shape.peak(found->units)), static_cast<double>(search.limitBytes));
      EXPECT_LE(found->probes.size(), 4U);
      for (const ProbeRecord& probe : found->probes)
        EXPECT_LE(probe.outcome.peakBytes, search.limitBytes) << probe.units;
    }
  }
}

TEST(MicrobatchSearchTest, NeverLooksBeyondWhatIsOfUse) {
  MicrobatchSearch search;
  search.limitBytes = static_cast<std::int64_t>(80 * kGiB);
  search.most = 12;
  const auto found = test::checked(searchMicrobatch(search, kShapes[0].probe()));
  EXPECT_EQ(found->units, 12);
  for (const ProbeRecord& probe : found->probes) EXPECT_LE(probe.units, 12);
}

TEST(MicrobatchSearchTest, CountsTheFixedPart) {
  // 20 GiB fixed and 1 GiB per row on 80 GiB: 60 without a reserve, not 80.
  const SimulatedDevice device{19 * kGiB, 1 * kGiB, 1 * kGiB, 1};
  MicrobatchSearch search;
  search.limitBytes = static_cast<std::int64_t>(80 * kGiB);
  search.reserve = 0.0;
  search.most = 1000;
  const auto found = test::checked(searchMicrobatch(search, device.probe()));
  EXPECT_GE(found->units, 59);
  EXPECT_LE(found->units, 60);
  search.rounding = SizeRounding::PowerOfTwo;
  EXPECT_EQ(searchMicrobatch(search, device.probe())->units, 32);
}

TEST(MicrobatchSearchTest, OneRowTooManyIsAnErrorWithFigures) {
  MicrobatchSearch search;
  search.limitBytes = static_cast<std::int64_t>(1 * kGiB);
  search.tokensPerUnit = 512;
  const Error found = test::refused(searchMicrobatch(search, kShapes[2].probe()));
  EXPECT_EQ(found.code, ErrorCode::OutOfMemory);
  for (const char* part : {"512 tokens", "7.0 GiB", "922 MiB", "1.0 GiB", "0.1"})
    EXPECT_THAT(found.message, testing::HasSubstr(part));
}

TEST(MicrobatchSearchTest, ARefusedProbeFallsBackToWhatFitted) {
  // A device that lies about its growth: nothing above 40 rows works, whatever the line says.
  const MicrobatchProbe probe = [](std::int64_t rows) -> Result<ProbeOutcome> {
    return ProbeOutcome{rows <= 40, static_cast<std::int64_t>(1000 + 10 * std::min<std::int64_t>(rows, 40)), 990};
  };
  MicrobatchSearch search;
  search.limitBytes = 3000;
  search.most = 1000;
  const auto found = test::checked(searchMicrobatch(search, probe));
  EXPECT_LE(found->units, 40);
  EXPECT_GE(found->units, 1);
}

std::vector<std::int64_t> unitOf(const std::vector<std::uint32_t>& lengths, std::int64_t maxTokens,
                                 std::optional<std::int64_t> mostSequences = {}, PackCount count = PackCount::Real) {
  TrainConfig config;
  if (maxTokens > 0) config.batch.tokens.maxTokens = maxTokens;
  config.batch.tokens.maxBatchSize = mostSequences;
  config.batch.tokens.count = count;
  config.batch.tokens.sequencePickingOrder = PickingOrder::BySize;
  const auto unit = test::checked(worstCaseUnit(config, std::make_shared<ListedLengths>(lengths)));
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
  EXPECT_EQ(unitOf({4, 4, 4, 4, 16, 16}, 16, {}, PackCount::Padded).size(), 4u);
}

TEST(WorstCaseUnitTest, RefusesABudgetThatHoldsNothing) {
  TrainConfig config;
  config.batch.tokens.maxTokens = 2;
  EXPECT_FALSE(worstCaseUnit(config, std::make_shared<ListedLengths>(std::vector<std::uint32_t>{5})).ok());
}

TEST(MemoryLimitTest, TheConfiguredLimitComesBeforeThatOfTheDevice) {
  EXPECT_EQ(memoryLimit(5, 9).source, MemoryLimit::Source::Config);
  EXPECT_EQ(memoryLimit(5, 9).bytes, 5);
  EXPECT_EQ(memoryLimit({}, 9).source, MemoryLimit::Source::Device);
  EXPECT_EQ(memoryLimit({}, {}).source, MemoryLimit::Source::None);
  EXPECT_EQ(memoryLimit({}, {}).bytes, 0);
}

TEST(MemoryLimitTest, DevicesShareTheMemoryOfTheHost) {
  const auto limits = forecastLimits(50, 90, 3);
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].source, MemoryLimit::Source::Config);
  EXPECT_EQ(limits[0].bytes, 50);
  EXPECT_EQ(limits[1].source, MemoryLimit::Source::Host);
  EXPECT_EQ(limits[1].bytes, 30);
  EXPECT_TRUE(forecastLimits({}, {}, 1).empty());
}

}  // namespace
}  // namespace batchwise
