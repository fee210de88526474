// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/statistics.h"

#include <gmock/gmock.h>

#include <cmath>

namespace batchwise::test {
namespace {

TEST(StatisticsTest, MeanMedianAndDeviation) {
  EXPECT_DOUBLE_EQ(meanOf(std::vector{1.0, 2.0, 6.0}), 3);
  EXPECT_DOUBLE_EQ(medianOf({6, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(medianOf({6, 1, 2, 4}), 3);
  EXPECT_DOUBLE_EQ(medianOf({6}), 6);
  EXPECT_DOUBLE_EQ(deviationOf(std::vector{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}), std::sqrt(32.0 / 7));
  EXPECT_TRUE(std::isnan(deviationOf(std::vector{2.0})));
}

TEST(StatisticsTest, ADeviationFarFromZeroLosesNothing) {
  EXPECT_NEAR(deviationOf(std::vector{1e9 + 1, 1e9 + 2, 1e9 + 3}), 1, 1e-9);
}

TEST(StudentTest, AgreesWithTheTable) {
  // scipy.stats.t.ppf(0.975, df)
  const std::vector<std::pair<int, double>> table = {
      {1, 12.706204736174698}, {2, 4.302652729749462},   {3, 3.182446305283708},
      {4, 2.776445105197793},  {5, 2.570581835636197},   {10, 2.228138851986273},
      {30, 2.042272456301238}, {100, 1.983971518523552}, {1000, 1.962339080825307}};
  for (const auto& [degrees, expected] : table) EXPECT_NEAR(studentT95(degrees), expected, 1e-9) << degrees;
}

}  // namespace
}  // namespace batchwise::test
