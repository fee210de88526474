// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/time_reserve.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

TEST(TimeReserveTest, GrowsWithTheLongestStepAndCheckpoint) {
  TimeReserve reserve(3600.0, 100.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 10.0);
  reserve.recordPollGap(4.0);
  reserve.recordPollGap(2.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 16.0);
  reserve.recordCheckpoint(30.0);
  reserve.recordCheckpoint(20.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 76.0);
  EXPECT_FALSE(reserve.mustStop(100.0 + 3600.0 - 76.5));
  EXPECT_TRUE(reserve.mustStop(100.0 + 3600.0 - 76.0));
}

TEST(TimeReserveTest, AShortLimitKeepsATenthFree) {
  const TimeReserve reserve(20.0, 0.0);
  EXPECT_DOUBLE_EQ(reserve.reserveSec(), 2.0);
  EXPECT_FALSE(reserve.mustStop(17.0));
  EXPECT_TRUE(reserve.mustStop(18.0));
}

}  // namespace
}  // namespace batchwise
