// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/smoothing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/analysis/special_numbers.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

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

}  // namespace
}  // namespace batchwise::test
