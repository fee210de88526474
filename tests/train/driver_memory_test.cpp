// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/driver_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace batchwise::test {
namespace {

constexpr std::array<char, 16> kUuid = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, static_cast<char>(0xFF)};

TEST(DriverMemoryTest, IsThatOfTheGpuWithThisName) {
  const auto driver = NvmlLibrary::load(BATCHWISE_MADE_UP_DRIVER);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->usedBytes(nvmlUuid(kUuid.data())), std::int64_t{5} << 30);
  EXPECT_EQ(driver->usedBytes("GPU-00000000-0000-0000-0000-000000000000"), 0);
}

TEST(DriverMemoryTest, NoLibraryIsNoHarm) {
  EXPECT_EQ(NvmlLibrary::load("libno-such-driver.so.1"), nullptr);
  EXPECT_EQ(NvmlLibrary::load("libm.so.6"), nullptr) << "a library without these functions";
}

}  // namespace
}  // namespace batchwise::test
