// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/curve.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/analysis/special_numbers.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

TEST(OnAxisTest, JoinsByGlobalBatch) {
  struct Case {
    const char* what;
    std::vector<SeriesPoint> values, clock;
    std::vector<std::pair<double, double>> expected;
  };
  const std::vector<Case> cases = {
      {"equal rows", {{1, 4}, {2, 3}}, {{1, 100}, {2, 250}}, {{100, 4}, {250, 3}}},
      {"fewer values than clock rows", {{2, 3}}, {{1, 100}, {2, 250}, {3, 300}}, {{250, 3}}},
      {"between two clock rows", {{3, 3}}, {{2, 100}, {6, 200}}, {{125, 3}}},
      {"before the first clock row", {{1, 5}}, {{2, 100}}, {{50, 5}}},
      {"at the start of the run", {{0, 9}}, {{2, 100}}, {{0, 9}}},
      {"behind the last clock row", {{1, 5}, {9, 1}}, {{1, 100}}, {{100, 5}}},
      {"no clock", {{1, 5}}, {}, {}},
      {"no values", {}, {{1, 5}}, {}}};
  for (const Case& one : cases) {
    const Curve curve = onAxis(one.values, one.clock);
    ASSERT_EQ(curve.size(), one.expected.size()) << one.what;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      EXPECT_DOUBLE_EQ(curve[i].x, one.expected[i].first) << one.what;
      EXPECT_DOUBLE_EQ(curve[i].y, one.expected[i].second) << one.what;
    }
  }
}

TEST(OnAxisTest, KeepsWhatIsNotFinite) {
  const std::vector<SeriesPoint> values{{1, kNan}, {2, kInf}}, clock{{1, 10}, {2, 20}};
  const Curve curve = onAxis(values, clock);
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_TRUE(std::isnan(curve[0].y));
  EXPECT_EQ(curve[1].y, kInf);
}

TEST(ValueAtTest, FollowsTheRuleBetweenPoints) {
  const Curve curve{{1, 10}, {3, 20}, {3, 30}, {5, kNan}, {6, 40}, {8, kInf}, {9, 50}, {11, 60}};
  struct Case {
    double x;
    std::optional<double> linear, held;
  };
  const std::vector<Case> cases = {{0.5, std::nullopt, std::nullopt},
                                   {1, 10, 10},
                                   {2, 15, 10},
                                   {2.5, 17.5, 10},
                                   {3, 30, 30},
                                   {4, std::nullopt, 30},
                                   {5, std::nullopt, std::nullopt},
                                   {5.5, std::nullopt, std::nullopt},
                                   {6, 40, 40},
                                   {7, std::nullopt, 40},
                                   {8, std::nullopt, std::nullopt},
                                   {10, 55, 50},
                                   {11, 60, 60},
                                   {11.5, std::nullopt, std::nullopt}};
  CurveReader linear(curve, Interpolation::Linear), held(curve, Interpolation::Previous);
  for (const Case& one : cases) {
    EXPECT_EQ(linear.at(one.x), one.linear) << one.x;
    EXPECT_EQ(held.at(one.x), one.held) << one.x;
    EXPECT_EQ(valueAt(curve, one.x), one.linear) << one.x;
    EXPECT_EQ(valueAt(curve, one.x, Interpolation::Previous), one.held) << one.x;
  }
  EXPECT_EQ(valueAt({}, 1), std::nullopt);
}

TEST(ValueAtTest, AgreesWithASlowReferenceAtRandomUnevenX) {
  for (int trial = 0; trial < repeats(50, 500); ++trial) {
    auto draw = [&, n = std::uint64_t{0}]() mutable {
      return static_cast<double>(randomBits(static_cast<std::uint64_t>(trial), n++) >> 11) * 0x1p-53;
    };
    Curve curve;
    double x = 0;
    for (int i = 0; i < 40; ++i) {
      x += draw() * draw() * 10;
      curve.push_back({x, draw() < 0.1 ? kNan : draw() * 100 - 50});
    }
    for (int i = 0; i < 100; ++i) {
      const double at = draw() * (x + 2);
      std::optional<double> expected;
      for (std::size_t k = 0; k + 1 < curve.size(); ++k) {
        if (at < curve[k].x || at > curve[k + 1].x) continue;
        const double y = curve[k].y + (curve[k + 1].y - curve[k].y) * (at - curve[k].x) / (curve[k + 1].x - curve[k].x);
        if (std::isfinite(y)) expected = y;
      }
      const auto found = valueAt(curve, at);
      ASSERT_EQ(found.has_value(), expected.has_value()) << trial << " at " << at;
      if (found) {
        EXPECT_NEAR(*found, *expected, 1e-11) << trial << " at " << at;
      }
    }
  }
}

TEST(CommonEndTest, IsTheEndOfTheShortest) {
  const std::vector<Curve> curves{{{1, 0}, {9, 0}}, {}, {{1, 0}, {5, kNan}}, {{1, 0}, {5, 0}}};
  const auto end = commonEnd(curves);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->x, 5);
  EXPECT_EQ(end->shortest, 2U);
  EXPECT_FALSE(end->allEqual);
  EXPECT_TRUE(commonEnd(std::vector<Curve>{{{1, 0}}, {{1, 3}}})->allEqual);
  EXPECT_FALSE(commonEnd(std::vector<Curve>{{}, {}}).has_value());
}

TEST(AxisTest, NamesReadBack) {
  for (const Axis axis : {Axis::Steps, Axis::Samples, Axis::Tokens, Axis::Time})
    EXPECT_EQ(axisFromName(axisName(axis)), axis);
  EXPECT_EQ(axisFromName("ba"), std::nullopt);
}

}  // namespace
}  // namespace batchwise::test
