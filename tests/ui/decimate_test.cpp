// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/decimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace batchwise {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<QPointF> noise(int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> value;
  std::vector<QPointF> points;
  for (int i = 0; i < count; ++i) points.emplace_back(i, value(random));
  return points;
}

TEST(DecimateTest, LeavesAtMostTwoPointsPerColumnAndTheNeighbours) {
  for (const int count : {1, 2, 999, 100'000}) {
    const auto points = noise(count);
    EXPECT_LE(decimate(points, 0, count, 500).size(), 2 * 500 + 2) << count;
  }
}

TEST(DecimateTest, KeepsTheLowestAndHighestValueOfEachColumn) {
  const auto points = noise(10'000);
  const auto drawn = decimate(points, 0, 10'000, 100);
  std::map<int, ValueRange> wanted, got;
  for (const auto& point : points) wanted[static_cast<int>(point.x() / 100)].include(point.y());
  for (const auto& point : drawn) got[static_cast<int>(point.x() / 100)].include(point.y());
  ASSERT_EQ(wanted.size(), got.size());
  for (const auto& [column, range] : wanted) {
    EXPECT_EQ(range.low, got[column].low) << column;
    EXPECT_EQ(range.high, got[column].high) << column;
  }
}

TEST(DecimateTest, KeepsOrderAndReachesBeyondTheEdges) {
  const auto points = noise(1000);
  const auto drawn = decimate(points, 400.5, 599.5, 50);
  ASSERT_GE(drawn.size(), 4);
  EXPECT_EQ(drawn.front().x(), 400);
  EXPECT_EQ(drawn.back().x(), 600);
  for (qsizetype i = 1; i < drawn.size(); ++i) EXPECT_GE(drawn[i].x(), drawn[i - 1].x());
}

TEST(DecimateTest, LeavesOutWhatIsNotFinite) {
  const std::vector<QPointF> points = {{0, 1}, {1, kNan}, {2, kInf}, {3, -kInf}, {4, 2}};
  EXPECT_EQ(decimate(points, 0, 4, 10), (QList<QPointF>{{0, 1}, {4, 2}}));
  EXPECT_EQ(nonFinitePositions(points), (std::vector<double>{1, 2, 3}));
  const ValueRange range = finiteRange(points);
  EXPECT_EQ(range.low, 1);
  EXPECT_EQ(range.high, 2);
}

TEST(DecimateTest, AnswersNothingForNothing) {
  EXPECT_TRUE(decimate({}, 0, 10, 10).isEmpty());
  EXPECT_TRUE(decimate(noise(5), 3, 2, 10).isEmpty());
  EXPECT_FALSE(finiteRange({}).found);
}

TEST(StaircaseTest, HoldsEachValueUntilTheNext) {
  const std::vector<QPointF> points = {{0, 8}, {1, 8}, {2, 8}, {3, 16}, {4, 16}};
  EXPECT_EQ(staircase(points), (QList<QPointF>{{0, 8}, {2, 8}, {3, 8}, {3, 16}, {4, 16}}));
}

TEST(RobustRangeTest, LeavesALoneSpikeOutAndTheBeginningOfARunIn) {
  std::vector<QPointF> points;
  for (int i = 0; i < 500; ++i) points.emplace_back(i, 2.0 + 8.0 * std::exp(-i / 20.0));
  const ValueRange calm = finiteRange(points);
  points[300].setY(1e6);
  points[310].setY(-40);
  const ValueRange robust = robustRange(points);
  EXPECT_LT(robust.high, 2 * calm.high);
  EXPECT_GE(robust.high, calm.high);
  EXPECT_GT(robust.low, -5);
  points.resize(14);
  points[7].setY(1e6);
  EXPECT_EQ(robustRange(points).high, 1e6);
  EXPECT_FALSE(robustRange({}).found);
}

TEST(NiceTicksTest, AreRoundNumbersInsideTheRange) {
  EXPECT_EQ(niceTicks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(niceTicks(0.9, 3.1, 3), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(niceTicks(1, 1, 5).empty());
  EXPECT_TRUE(niceTicks(0, kInf, 5).empty());
}

}  // namespace
}  // namespace batchwise
