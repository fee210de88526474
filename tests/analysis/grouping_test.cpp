// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/grouping.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/analysis/special_numbers.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

TEST(GridTest, HoldsEveryXOnceOrThinsThem) {
  const std::vector<Curve> members{{{1, 0}, {4, 0}}, {{1, 0}, {2, 0}, {4, 0}, {7, 0}}};
  EXPECT_EQ(gridOf(members, 100), (std::vector<double>{1, 2, 4, 7}));
  EXPECT_EQ(gridOf(members, 3), (std::vector<double>{1, 4, 7}));
  EXPECT_EQ(gridOf(members, 2), (std::vector<double>{1, 7}));
  EXPECT_TRUE(gridOf({}, 2).empty());
  std::vector<Curve> one(1);
  for (int i = 0; i < 1000; ++i) one[0].push_back({static_cast<double>(i), 0});
  for (std::size_t most = 2; most < 1100; most += 7) {
    const std::vector<double> grid = gridOf(one, most);
    EXPECT_LE(grid.size(), most);
    EXPECT_EQ(grid.front(), 0);
    EXPECT_EQ(grid.back(), 999);
  }
}

TEST(GroupTest, MeansAtUnevenXAreThoseOfTheLines) {
  // Two straight lines through different x: the mean of the lines, not of the points.
  const std::vector<Curve> members{{{0, 0}, {1, 1}, {10, 10}}, {{0, 4}, {5, 9}, {10, 14}}};
  const std::vector<double> grid = gridOf(members, 100);
  const auto group = groupCurves(members, grid, Center::Mean, Band::Deviation, Interpolation::Linear);
  ASSERT_EQ(group.size(), 4U);
  for (const GroupPoint& point : group) {
    EXPECT_DOUBLE_EQ(point.center, point.x + 2);
    EXPECT_DOUBLE_EQ(point.high - point.center, std::sqrt(8.0));
    EXPECT_DOUBLE_EQ(point.center - point.low, std::sqrt(8.0));
    EXPECT_EQ(point.count, 2U);
  }
}

TEST(GroupTest, CountsOnlyWhoHasAValueThere) {
  const std::vector<Curve> members{{{0, 1}, {4, 1}}, {{2, 3}, {3, kNan}, {6, 3}}, {{0, 5}, {8, 5}}};
  const std::vector<double> grid{-1, 0, 2, 3, 4, 6, 8, 9};
  const auto group = groupCurves(members, grid, Center::Mean, Band::Deviation, Interpolation::Linear);
  std::vector<std::tuple<double, double, std::size_t>> found;
  for (const GroupPoint& point : group) found.emplace_back(point.x, point.center, point.count);
  EXPECT_EQ(found, (std::vector<std::tuple<double, double, std::size_t>>{
                       {0, 3, 2}, {2, 3, 3}, {3, 3, 2}, {4, 3, 2}, {6, 4, 2}, {8, 5, 1}}));
  EXPECT_TRUE(std::isnan(group.back().low)) << "one member has no spread";
  EXPECT_TRUE(std::isnan(group.back().high));
}

TEST(GroupTest, BandsFollowTheirFormulas) {
  const std::vector<Curve> members{{{0, 2}}, {{0, 4}}, {{0, 9}}};
  const std::vector<double> grid{0};
  const double deviation = std::sqrt(13.0);
  const auto reach = [&](Center center, Band band) {
    const GroupPoint point = groupCurves(members, grid, center, band, Interpolation::Linear).front();
    EXPECT_DOUBLE_EQ(point.center, center == Center::Mean ? 5 : 4);
    return point.high - point.center;
  };
  for (const Center center : {Center::Mean, Center::Median}) {
    EXPECT_NEAR(reach(center, Band::Deviation), deviation, 1e-12);
    EXPECT_NEAR(reach(center, Band::Error), deviation / std::sqrt(3.0), 1e-12);
    EXPECT_NEAR(reach(center, Band::Confidence95), deviation / std::sqrt(3.0) * 4.302652729749462, 1e-8);
    EXPECT_TRUE(std::isnan(reach(center, Band::None)));
  }
}

TEST(GroupTest, AgreesWithASlowReference) {
  for (int trial = 0; trial < repeats(10, 100); ++trial) {
    auto draw = [&, n = std::uint64_t{0}]() mutable {
      return static_cast<double>(randomBits(static_cast<std::uint64_t>(trial), n++) >> 11) * 0x1p-53;
    };
    std::vector<Curve> members(5);
    for (Curve& member : members) {
      double x = draw() * 5;
      for (int i = 0; i < 30; ++i) {
        x += draw() * 3 + 0.01;
        member.push_back({x, draw() < 0.05 ? kNan : draw()});
      }
    }
    const std::vector<double> grid = gridOf(members, 1000);
    std::size_t next = 0;
    const auto group = groupCurves(members, grid, Center::Mean, Band::Deviation, Interpolation::Linear);
    for (const double x : grid) {
      std::vector<long double> values;
      for (const Curve& member : members)
        if (const auto value = valueAt(member, x)) values.push_back(*value);
      if (values.empty()) continue;
      ASSERT_LT(next, group.size());
      const GroupPoint& point = group[next++];
      EXPECT_EQ(point.x, x);
      ASSERT_EQ(point.count, values.size());
      long double sum = 0, squares = 0;
      for (const long double value : values) sum += value;
      const long double mean = sum / static_cast<long double>(values.size());
      for (const long double value : values) squares += (value - mean) * (value - mean);
      EXPECT_NEAR(point.center, static_cast<double>(mean), 1e-13);
      if (values.size() > 1) {
        EXPECT_NEAR(point.high - point.low,
                    static_cast<double>(2 * std::sqrt(squares / static_cast<long double>(values.size() - 1))), 1e-12);
      }
    }
    EXPECT_EQ(next, group.size());
  }
}

TEST(GroupTest, NamesReadBack) {
  for (const Band band : {Band::None, Band::Deviation, Band::Error, Band::Confidence95})
    EXPECT_EQ(bandFromName(bandName(band)), band);
  for (const Center center : {Center::Mean, Center::Median}) EXPECT_EQ(centerFromName(centerName(center)), center);
  EXPECT_EQ(bandFromName("sd"), std::nullopt);
}

}  // namespace
}  // namespace batchwise::test
