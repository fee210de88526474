// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <cmath>

#include "core/analysis/group_curve.h"
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
  for (const Axis axis : {Axis::Batches, Axis::Steps, Axis::Samples, Axis::Tokens, Axis::Time})
    EXPECT_EQ(choiceFromName<Axis>(choiceName(axis)), axis);
  EXPECT_EQ(choiceFromName<Axis>("ba"), std::nullopt);
}

/// The definition, as a sum over all points before, in extended precision.
double definition(const Curve& curve, std::size_t at, double weight) {
  long double sum = 0, weights = 0, age = 0;
  for (std::size_t j = at + 1; j-- > 0;) {
    if (!std::isfinite(curve[j].y)) continue;
    const long double own = std::pow(static_cast<long double>(weight), age);
    sum += own * curve[j].y;
    weights += own;
    age += 1;
  }
  return static_cast<double>(sum / weights);
}

Curve roughCurve(std::uint64_t seed, int points) {
  Curve curve;
  double x = 0;
  for (int i = 0; i < points; ++i) {
    const auto draw = [&](std::uint64_t lane) {
      return static_cast<double>(randomBits(seed * 10 + lane, static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
    };
    x += 0.1 + draw(0) * draw(0) * 20;
    const double fate = draw(1);
    curve.push_back({x, fate < 0.05 ? kNan : fate < 0.08 ? kInf : fate < 0.1 ? -kInf : draw(2) * 10});
  }
  return curve;
}

TEST(SmoothingTest, AgreesWithTheDefinition) {
  for (int trial = 0; trial < repeats(10, 100); ++trial) {
    const Curve curve = roughCurve(static_cast<std::uint64_t>(trial), 200);
    for (const double weight : {0.0, 0.5, 0.9, 0.999}) {
      const Curve result = smoothed(curve, weight);
      ASSERT_EQ(result.size(), curve.size());
      for (std::size_t i = 0; i < curve.size(); ++i) {
        EXPECT_EQ(result[i].x, curve[i].x);
        if (std::isfinite(curve[i].y)) {
          EXPECT_NEAR(result[i].y, definition(curve, i, weight), 1e-11) << trial << " " << weight << " " << i;
        }
      }
    }
  }
}

/// smoothed() on both sides, from its formula.
double centeredDefinition(const Curve& curve, std::size_t at, double weight) {
  const double v = weight / (2 - weight);
  double sum = 0, weights = 0;
  for (std::size_t j = 0; j < curve.size(); ++j) {
    if (!std::isfinite(curve[j].y)) continue;
    const double share = std::pow(v, std::abs(static_cast<double>(j) - static_cast<double>(at)));
    sum += share * curve[j].y;
    weights += share;
  }
  return sum / weights;
}

TEST(SmoothingTest, CenteredAgreesWithTheDefinitionAndKeepsWhatIsNotFinite) {
  const Curve curve = roughCurve(7, 300);
  for (const double weight : {0.5, 0.9, 0.99}) {
    const Curve result = smoothed(curve, weight, Smoothing::Centered);
    for (std::size_t i = 0; i < curve.size(); ++i) {
      if (std::isfinite(curve[i].y)) {
        EXPECT_NEAR(result[i].y, centeredDefinition(curve, i, weight), 1e-11) << weight << " " << i;
      } else {
        EXPECT_EQ(std::isnan(result[i].y), std::isnan(curve[i].y)) << i;
      }
    }
  }
  EXPECT_TRUE(smoothed({}, 0.5, Smoothing::Centered).empty());
}

TEST(SmoothingTest, CenteredDoesNotLag) {
  Curve slope;
  for (int i = 0; i < 400; ++i) slope.push_back({1.0 * i, 10 - 0.01 * i});
  const double lag = 0.01 * 0.9 / (1 - 0.9);
  EXPECT_NEAR(smoothed(slope, 0.9)[200].y, slope[200].y + lag, 1e-6);
  EXPECT_NEAR(smoothed(slope, 0.9, Smoothing::Centered)[200].y, slope[200].y, 1e-9);
  EXPECT_EQ(smoothingOf(RunStatus::Running), Smoothing::Trailing);
  EXPECT_EQ(smoothingOf(RunStatus::Stopped), Smoothing::Centered);
}

TEST(SmoothingTest, AConstantStaysAndTheFirstValueIsKept) {
  const Curve constant{{1, 5}, {2, 5}, {10, 5}};
  for (const CurvePoint& point : smoothed(constant, 0.99)) EXPECT_DOUBLE_EQ(point.y, 5);
  EXPECT_EQ(smoothed(Curve{{1, 7}, {2, 0}}, 0.9)[0].y, 7);
}

TEST(SmoothingTest, WhatIsNotFiniteStaysVisibleAndSpoilsNothing) {
  const Curve curve{{1, kNan}, {2, 4}, {3, kInf}, {4, kNan}, {5, 2}, {6, -kInf}};
  const Curve result = smoothed(curve, 0.5);
  EXPECT_TRUE(std::isnan(result[0].y));
  EXPECT_EQ(result[1].y, 4);
  EXPECT_EQ(result[2].y, kInf);
  EXPECT_TRUE(std::isnan(result[3].y));
  EXPECT_DOUBLE_EQ(result[4].y, (0.5 * 4 + 2) / 1.5);
  EXPECT_EQ(result[5].y, -kInf);
  for (const CurvePoint& point : smoothed(Curve{{1, kNan}, {2, kNan}}, 0.5)) EXPECT_TRUE(std::isnan(point.y));
  EXPECT_TRUE(smoothed({}, 0.5).empty());
}

TEST(SmoothingTest, NothingIsSmoothedWithoutAWeight) {
  const Curve curve{{1, 3}, {2, 8}};
  EXPECT_EQ(smoothed(curve, 0)[1].y, 8);
}

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
    const double efficiency = center == Center::Mean ? 1.0 : 0.7429;
    const double error = deviation / std::sqrt(3.0 * efficiency);
    EXPECT_NEAR(reach(center, Band::Error), error, 1e-12);
    EXPECT_NEAR(reach(center, Band::Confidence95), error * 4.302652729749462, 1e-8);
    EXPECT_TRUE(std::isnan(reach(center, Band::None)));
  }
}

TEST(GroupTest, TheBandOfWhatCannotBeNegativeEndsAtZero) {
  const std::vector<Curve> members{{{0, 10}}, {{0, 90}}};
  const std::vector<double> grid{0};
  const auto lowest = [&](std::string_view series) {
    return groupCurves(members, grid, Center::Mean, Band::Confidence95, Interpolation::Linear, leastValue(series))
        .front()
        .low;
  };
  for (const char* series : {"loss", "eval.loss", "tokens_per_sec", "grad_norm", "memory.0.peak"})
    EXPECT_EQ(lowest(series), 0) << series;
  EXPECT_LT(lowest("attention_logit"), 0);
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
    EXPECT_EQ(choiceFromName<Band>(choiceName(band)), band);
  for (const Center center : {Center::Mean, Center::Median})
    EXPECT_EQ(choiceFromName<Center>(choiceName(center)), center);
  EXPECT_EQ(choiceFromName<Band>("sd"), std::nullopt);
}

}  // namespace
}  // namespace batchwise::test
