// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/long_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/test_environment.h"
#include "tests/ui/short_names.h"

namespace batchwise {
namespace {

constexpr double kLowest = std::numeric_limits<double>::lowest();

/// Uneven x, equal values, gaps and spikes.
std::vector<QPointF> mixedPoints(std::size_t count) {
  std::mt19937 random(11);
  std::vector<QPointF> points;
  double x = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x += i < count / 2 ? 1.0 : static_cast<double>(random() % 3);
    double y = std::round(static_cast<double>(random() % 2000) - 1000) / 10;
    if (random() % 500 == 0) y = random() % 2 == 0 ? kNan : kInf;
    if (random() % 3000 == 0) y = -1e9;
    points.emplace_back(x, y);
  }
  return points;
}

TEST(LongSeriesTest, AnswersForEveryStretchWhatLookingAtEachPointDoes) {
  const auto points = mixedPoints(30'000);
  const LongSeries series{std::span(points)};
  std::mt19937 random(5);
  for (int round = 0; round < test::repeats(200, 2000); ++round) {
    std::size_t from = random() % points.size(), to = random() % (points.size() + 1);
    if (from > to) std::swap(from, to);
    const double least = round % 2 == 0 ? kLowest : 0.05;
    ValueRange all;
    std::size_t nonFinite = 0, outside = 0, first = to;
    for (std::size_t i = from; i < to; ++i) {
      const double y = points[i].y();
      if (y >= least) all.include(y);
      if (!std::isfinite(y)) ++nonFinite;
      if (std::isfinite(y) && std::abs(y) > 99) ++outside;
      if (first == to && !(std::abs(y) <= 99)) first = i;
    }
    const ValueRange got = series.range(from, to, least);
    ASSERT_EQ(got.found, all.found) << from << ' ' << to;
    EXPECT_EQ(got.low, all.low) << from << ' ' << to;
    EXPECT_EQ(got.high, all.high) << from << ' ' << to;
    EXPECT_EQ(series.countNonFinite(from, to), nonFinite);
    EXPECT_EQ(series.countOutside(from, to, -99, 99), outside);
    EXPECT_EQ(series.firstOutside(from, to, -99, 99), first);
  }
}

TEST(LongSeriesTest, FindsPlacesOnAnUnevenAxis) {
  const auto points = mixedPoints(20'000);
  const LongSeries series{std::span(points)};
  for (double x = -1; x < points.back().x() + 2; x += 7.5) {
    const auto before = [](const QPointF& point, double at) { return point.x() < at; };
    const auto behind = [](double at, const QPointF& point) { return at < point.x(); };
    EXPECT_EQ(series.firstAtOrAfter(x),
              static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), x, before) - points.begin()));
    EXPECT_EQ(series.firstAfter(x),
              static_cast<std::size_t>(std::upper_bound(points.begin(), points.end(), x, behind) - points.begin()));
  }
}

TEST(LongSeriesTest, ACopyKeepsItsPointsWhileTheOtherGrows) {
  LongSeries series;
  for (int i = 0; i < 10'000; ++i) series.append(i, i);
  const LongSeries before = series;
  series.append(10'000, 5e5);
  EXPECT_EQ(before.size(), 10'000u);
  EXPECT_EQ(before.range(0, before.size()).high, 9999);
  EXPECT_EQ(before.back(), QPointF(9999, 9999));
}

TEST(LongSeriesTest, AMillionPointsTakeSomeNineBytesEach) {
  LongSeries even;
  for (int i = 0; i < 1'000'000; ++i) even.append(i, i % 97);
  EXPECT_LT(even.bytes(), 9'500'000u);
}

}  // namespace
}  // namespace batchwise
