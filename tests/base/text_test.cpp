// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace batchwise {
namespace {

TEST(JoinedTest, SeparatesItemsAndOnlyThem) {
  const std::vector<std::string> names = {"a", "", "c"};
  EXPECT_EQ(joined(names), "a, , c");
  EXPECT_EQ(joined(names, "-"), "a--c");
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector{1, 20}, " x ", [](int n) { return std::to_string(n); }), "1 x 20");
}

TEST(NumberFromTest, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(numberFrom<std::int64_t>("-12"), -12);
  EXPECT_EQ(numberFrom<double>("1e-4"), 1e-4);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "1,000"})
    EXPECT_FALSE(numberFrom<std::int64_t>(text)) << text;
  EXPECT_FALSE(numberFrom<std::int64_t>("1.5"));
  EXPECT_FALSE(numberFrom<std::int64_t>("9223372036854775808"));
  EXPECT_FALSE(numberFrom<std::uint32_t>("-1"));
}

TEST(NumberNamedTest, IsNothingIfTheNameOrTheNumberIsMissing) {
  const std::map<std::string, std::string> values = {{"rate", "0.5"}, {"count", "7"}, {"name", "auto"}};
  EXPECT_EQ(numberNamed(values, "rate"), 0.5);
  EXPECT_EQ(numberNamed<std::int64_t>(values, "count"), 7);
  EXPECT_FALSE(numberNamed(values, "name"));
  EXPECT_FALSE(numberNamed(values, "other"));
}

}  // namespace
}  // namespace batchwise
