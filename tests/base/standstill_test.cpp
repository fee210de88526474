// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/standstill.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

TEST(StandstillTest, OnlyALongTimeWithoutALookIsOne) {
  Standstill standstill(1.0, 100.0);
  EXPECT_EQ(standstill.woken(101.0), 0.0);
  EXPECT_EQ(standstill.woken(105.0), 0.0) << "a busy machine";
  EXPECT_EQ(standstill.woken(301.0), 200.0) << "but for the second that it would have slept";
}

TEST(StandstillTest, ALookThatTakesLongIsNone) {
  Standstill standstill(1.0, 100.0);
  EXPECT_EQ(standstill.woken(101.0), 0.0);
  standstill.looked(161.0);
  EXPECT_EQ(standstill.woken(162.0), 0.0);
  standstill.looked(162.0);
  EXPECT_EQ(standstill.woken(182.0), 19.0);
}

}  // namespace
}  // namespace batchwise
