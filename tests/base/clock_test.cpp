// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

TEST(StallDetectorTest, OnlyALongTimeWithoutALookIsOne) {
  StallDetector standstill(1.0, 100.0);
  EXPECT_EQ(standstill.stalledSec(101.0), 0.0);
  EXPECT_EQ(standstill.stalledSec(105.0), 0.0) << "a busy machine";
  EXPECT_EQ(standstill.stalledSec(301.0), 200.0) << "but for the second that it would have slept";
}

TEST(StallDetectorTest, ALookThatTakesLongIsNone) {
  StallDetector standstill(1.0, 100.0);
  EXPECT_EQ(standstill.stalledSec(101.0), 0.0);
  standstill.polled(161.0);
  EXPECT_EQ(standstill.stalledSec(162.0), 0.0);
  standstill.polled(162.0);
  EXPECT_EQ(standstill.stalledSec(182.0), 19.0);
}

}  // namespace
}  // namespace batchwise
