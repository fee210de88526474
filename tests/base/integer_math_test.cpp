// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/integer_math.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

TEST(IntegerMathTest, PartsAreAsFewAndAsEvenAsCanBe) {
  EXPECT_EQ(evenPart(9830, 8793), 4915);  // not 8,793 and 1,037
  EXPECT_EQ(evenPart(8793, 8793), 8793);
  EXPECT_EQ(evenPart(0, 8793), 0);
  EXPECT_EQ(evenPart(5, 1), 1);
  for (const std::int64_t total : {1, 2, 7, 64, 100, 101}) {
    for (std::int64_t most = 1; most <= total + 1; ++most) {
      const std::int64_t part = evenPart(total, most), count = ceilDiv(total, most);
      EXPECT_LE(part, most);
      EXPECT_EQ(ceilDiv(total, part), count) << total << " in parts of " << most;
      EXPECT_LT(part * count - total, count) << total << " in parts of " << most;
    }
  }
}

}  // namespace
}  // namespace batchwise
