// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "tests/ui/short_names.h"
#include "ui/charts/long_series.h"

namespace batchwise {
namespace {

std::vector<QPointF> noise(int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> value;
  std::vector<QPointF> points;
  for (int i = 0; i < count; ++i) points.emplace_back(i, value(random));
  return points;
}

QList<QPointF> drawn(const LongSeries& points, double from, double to, int columns) {
  return decimate(points, evenEdges(from, to, columns));
}

TEST(DecimateTest, LeavesAtMostTwoPointsPerColumnAndTheNeighbors) {
  for (const int count : {1, 2, 999, 100'000})
    EXPECT_LE(drawn(LongSeries(noise(count)), 0, count, 500).size(), 2 * 500 + 2) << count;
}

TEST(DecimateTest, KeepsTheLowestAndHighestValueOfEachColumn) {
  const auto points = noise(10'000);
  std::map<int, ValueRange> wanted, got;
  for (const auto& point : points) wanted[static_cast<int>(point.x() / 100)].include(point.y());
  for (const auto& point : drawn(LongSeries(points), 0, 10'000, 100))
    got[static_cast<int>(point.x() / 100)].include(point.y());
  ASSERT_EQ(wanted.size(), got.size());
  for (const auto& [column, range] : wanted) {
    EXPECT_EQ(range.low, got[column].low) << column;
    EXPECT_EQ(range.high, got[column].high) << column;
  }
}

TEST(DecimateTest, KeepsOrderAndReachesBeyondTheEdges) {
  const auto points = drawn(LongSeries(noise(1000)), 400.5, 599.5, 50);
  ASSERT_GE(points.size(), 4);
  EXPECT_EQ(points.front().x(), 400);
  EXPECT_EQ(points.back().x(), 600);
  for (qsizetype i = 1; i < points.size(); ++i) EXPECT_GE(points[i].x(), points[i - 1].x());
}

/// The line as text: "0 4 | 9", with a bar for a gap.
std::string piecesOf(const QList<QPointF>& points) {
  std::string text;
  for (const QPointF& point : points)
    text += (text.empty() ? "" : " ") +
            (std::isnan(point.y()) ? std::string("|") : QString::number(point.y()).toStdString());
  return text;
}

TEST(DecimateTest, EndsTheLineAtWhatIsNotFinite) {
  const LongSeries points = {{0, 1}, {1, kNan}, {2, kInf}, {3, -kInf}, {4, 2}, {5, 3}};
  EXPECT_EQ(piecesOf(drawn(points, 0, 5, 100)), "1 | 2 3");
  EXPECT_EQ(piecesOf(drawn(points, 0, 5, 1)), "1 | 2 3");
  EXPECT_EQ(piecesOf(drawn({{0, kNan}, {1, kNan}}, 0, 1, 10)), "");
}

TEST(DecimateTest, LeavesOutWhatALogarithmicAxisCannotShow) {
  const LongSeries points = {{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, -1}, {5, 5}};
  const auto edges = evenEdges(0, 5, 2);
  EXPECT_EQ(piecesOf(decimate(points, edges, std::numeric_limits<double>::denorm_min())), "1 | 3 2 | 5");
}

TEST(DecimateTest, DrawsTheExtremesOfAColumnWithManyGaps) {
  std::vector<QPointF> points = noise(10'000);
  for (std::size_t i = 0; i < points.size(); i += 2) points[i].setY(kNan);
  points[5001].setY(50);
  points[7001].setY(-50);
  const auto line = drawn(LongSeries(points), 0, 10'000, 10);
  EXPECT_LE(line.size(), 10 * 24);
  ValueRange got;
  for (qsizetype i = 0; i < line.size(); ++i) {
    got.include(line[i].y());
    const bool joined = i > 0 && !std::isnan(line[i].y()) && !std::isnan(line[i - 1].y());
    EXPECT_FALSE(joined) << i;  // no two of these values are neighbors
  }
  EXPECT_EQ(got.low, -50);
  EXPECT_EQ(got.high, 50);
}

TEST(EveryPointTest, IsWhatWideColumnsOfOnePointLeave) {
  auto points = noise(50);
  points[20].setY(std::numeric_limits<double>::quiet_NaN());
  points[30].setY(-5);
  const LongSeries series{std::span(std::as_const(points))};
  const QList<QPointF> all = everyPoint(series, {3, 40}, -2);
  ASSERT_EQ(all.size(), 37);
  for (qsizetype i = 0; i < all.size(); ++i) {
    const QPointF& given = points[static_cast<std::size_t>(i) + 3];
    if (given.y() >= -2)
      EXPECT_EQ(all[i], given) << i;
    else
      EXPECT_TRUE(std::isnan(all[i].y())) << i;
  }
}

TEST(DecimateTest, AnswersNothingForNothing) {
  EXPECT_TRUE(drawn({}, 0, 10, 10).isEmpty());
  EXPECT_TRUE(drawn(LongSeries(noise(5)), 3, 2, 10).isEmpty());
  EXPECT_FALSE(LongSeries().range(0, 0).found);
}

TEST(StaircaseTest, HoldsEachValueUntilTheNext) {
  const QList<QPointF> points = {{0, 8}, {1, 8}, {2, 8}, {3, 16}, {4, 16}};
  EXPECT_EQ(staircase(points), (QList<QPointF>{{0, 8}, {3, 8}, {3, 16}, {4, 16}}));
  EXPECT_EQ(piecesOf(staircase({{0, 8}, {2, kNan}, {3, 4}})), "8 8 | 4");
}

TEST(StaircaseTest, StaysRightWhenItIsDrawnInColumns) {
  LongSeries sizes;
  for (int i = 0; i < 100'000; ++i) sizes.append(i, i < 33'333 ? 8 : i < 70'001 ? 16 : 32);
  const auto steps = staircase(drawn(sizes, 0, 100'000, 50));
  EXPECT_EQ(steps, (QList<QPointF>{{0, 8}, {33'333, 8}, {33'333, 16}, {70'001, 16}, {70'001, 32}, {99'999, 32}}));
}

ValueRange robust(const std::vector<QPointF>& points) {
  return robustRange(LongSeries(points), {0, points.size()});
}

TEST(RobustRangeTest, LeavesALoneSpikeOutAndTheBeginningOfARunIn) {
  std::vector<QPointF> points;
  for (int i = 0; i < 500; ++i) points.emplace_back(i, 2.0 + 8.0 * std::exp(-i / 20.0));
  ValueRange calm;
  for (const QPointF& point : points) calm.include(point.y());
  points[300].setY(1e6);
  points[310].setY(-40);
  const ValueRange range = robust(points);
  EXPECT_LT(range.high, 2 * calm.high);
  EXPECT_GE(range.high, calm.high);
  EXPECT_GT(range.low, -5);
  points.resize(14);
  points[7].setY(1e6);
  EXPECT_EQ(robust(points).high, 1e6);
  EXPECT_FALSE(robust({}).found);
}

TEST(RobustRangeTest, TheLastPointsOfAShortRunAreInWhateverTheirNumber) {
  for (const int last : {3, 4, 5}) {
    std::vector<QPointF> points;
    for (int i = 0; i < 29; ++i) points.emplace_back(i, i < 29 - last ? 100 + i % 3 : 200);
    EXPECT_EQ(robust(points).high, 200) << last;
    points.back().setY(1e6);
    EXPECT_LT(robust(points).high, 1000) << "a lone spike at the end";
  }
}

}  // namespace
}  // namespace batchwise
