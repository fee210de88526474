// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/memory_limit.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

using Source = MemoryLimit::Source;

TEST(MemoryLimitTest, TheConfiguredLimitComesBeforeThatOfTheDevice) {
  EXPECT_EQ(memoryLimit(5, 9).source, Source::Config);
  EXPECT_EQ(memoryLimit(5, 9).bytes, 5);
  EXPECT_EQ(memoryLimit({}, 9).source, Source::Device);
  EXPECT_EQ(memoryLimit({}, {}).source, Source::None);
  EXPECT_EQ(memoryLimit({}, {}).bytes, 0);
}

TEST(MemoryLimitTest, DevicesShareTheMemoryOfTheHost) {
  const auto limits = forecastLimits(50, 90, 3);
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].source, Source::Config);
  EXPECT_EQ(limits[0].bytes, 50);
  EXPECT_EQ(limits[1].source, Source::Host);
  EXPECT_EQ(limits[1].bytes, 30);
  EXPECT_TRUE(forecastLimits({}, {}, 1).empty());
}

}  // namespace
}  // namespace batchwise
