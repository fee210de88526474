// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/axis_ticks.h"

#include <gmock/gmock.h>

#include <limits>

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RoundTicksTest, AreRoundAndInside) {
  EXPECT_THAT(axisTicks({.low = 0, .high = 10, .wanted = 5}), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 5.2, .wanted = 4}), ElementsAre(2, 4));
  EXPECT_THAT(axisTicks({.low = 3, .high = 3, .wanted = 4}), IsEmpty());
}

TEST(NiceTicksTest, AreRoundNumbersInsideTheRange) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 3.1, .wanted = 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(axisTicks({.low = 0, .high = kInf, .wanted = 5}), IsEmpty());
}

TEST(AxisTicksTest, MoreAreTriedWhereFewComeOut) {
  EXPECT_THAT(axisTicks({.low = 10.2, .high = 12.9, .wanted = 2}), ElementsAre(12));
  EXPECT_THAT(axisTicks({.low = 10.2, .high = 12.9, .wanted = 2, .fewest = 2}), ElementsAre(11, 12));
}

TEST(AxisTicksTest, AUnitMakesItsMultiplesRound) {
  EXPECT_THAT(axisTicks({.low = 0, .high = 600, .wanted = 5, .unit = durationTickUnit(600)}),
              ElementsAre(0, 120, 240, 360, 480, 600));
}

TEST(AxisTicksTest, ALogarithmicAxisHasPowersOfTenAndWhatFitsBetween) {
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 120, .wanted = 7, .logarithmic = true}),
              ElementsAre(1, 2, 5, 10, 20, 50, 100));
  EXPECT_THAT(axisTicks({.low = 0.9, .high = 120, .wanted = 4, .logarithmic = true}), ElementsAre(1, 10, 100));
  EXPECT_THAT(axisTicks({.low = 1, .high = 4, .wanted = 3, .logarithmic = true}), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace batchwise::test
