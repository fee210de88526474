// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/max_batch_search.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(MaxBatchSearchTest, ComesNearTheLargestWithFourSafeProbes) {
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

TEST(MaxBatchSearchTest, NeverLooksBeyondWhatIsOfUse) {
  MicrobatchSearch search;
  search.limitBytes = static_cast<std::int64_t>(80 * kGiB);
  search.most = 12;
  const auto found = searchMicrobatch(search, kShapes[0].probe());
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->units, 12);
  for (const ProbeRecord& probe : found->probes) EXPECT_LE(probe.units, 12);
}

TEST(MaxBatchSearchTest, CountsTheFixedPart) {
  // 20 GiB fixed and 1 GiB per row on 80 GiB: 60 without a reserve, not 80.
  const SimulatedDevice device{19 * kGiB, 1 * kGiB, 1 * kGiB, 1};
  MicrobatchSearch search;
  search.limitBytes = static_cast<std::int64_t>(80 * kGiB);
  search.reserve = 0.0;
  search.most = 1000;
  const auto found = searchMicrobatch(search, device.probe());
  ASSERT_TRUE(found.ok());
  EXPECT_GE(found->units, 59);
  EXPECT_LE(found->units, 60);
  search.rounding = SizeRounding::PowerOfTwo;
  EXPECT_EQ(searchMicrobatch(search, device.probe())->units, 32);
}

TEST(MaxBatchSearchTest, OneRowTooManyIsAnErrorWithFigures) {
  MicrobatchSearch search;
  search.limitBytes = static_cast<std::int64_t>(1 * kGiB);
  search.tokensPerUnit = 512;
  const auto found = searchMicrobatch(search, kShapes[2].probe());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::OutOfMemory);
  for (const char* part : {"512 tokens", "7 GiB", "922 MiB", "1 GiB", "0.1"})
    EXPECT_NE(found.error().message.text().find(part), std::string::npos) << found.error().message;
}

TEST(MaxBatchSearchTest, ARefusedProbeFallsBackToWhatFitted) {
  // A device that lies about its growth: nothing above 40 rows works, whatever the line says.
  const MicrobatchProbe probe = [](std::int64_t rows) -> Result<ProbeOutcome> {
    return ProbeOutcome{rows <= 40, static_cast<std::int64_t>(1000 + 10 * std::min<std::int64_t>(rows, 40)), 990};
  };
  MicrobatchSearch search;
  search.limitBytes = 3000;
  search.most = 1000;
  const auto found = searchMicrobatch(search, probe);
  ASSERT_TRUE(found.ok());
  EXPECT_LE(found->units, 40);
  EXPECT_GE(found->units, 1);
}

}  // namespace
}  // namespace batchwise
