// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/expression.h"

#include <gtest/gtest.h>

#include <array>

namespace batchwise {
namespace {

double valueOf(const char* text, double epoch, double size) {
  const auto expression = Expression::parse(text, {"epoch", "size"}, "field");
  EXPECT_TRUE(expression.ok()) << (expression.ok() ? "" : expression.error().text());
  const std::array<double, 2> values = {epoch, size};
  return expression->evaluate(values).value();
}

TEST(ExpressionTest, ReadsRemaindersAndChoices) {
  EXPECT_EQ(valueOf("epoch % 3 == 0 ? size * 2 : size", 3, 32), 64);
  EXPECT_EQ(valueOf("epoch % 3 == 0 ? size * 2 : size", 4, 32), 32);
  EXPECT_EQ(valueOf("min(size, 48) + max(1, 2)", 0, 64), 50);
  EXPECT_EQ(valueOf("epoch + 7 % 4 * 2", 1, 0), 7);
}

TEST(ExpressionTest, NamesThePositionOfAnError) {
  const auto wrong = Expression::parse("size * (2 +", {"size"}, "batch.growth.increase_function");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("batch.growth.increase_function"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("position"), std::string::npos) << wrong.error().message;
}

TEST(ExpressionTest, NamesAVariableThatIsNotKnown) {
  const auto wrong = Expression::parse("size * epochs", {"epoch", "size"}, "f");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("'epochs' is not known at position 8"), std::string::npos)
      << wrong.error().message;
}

TEST(ExpressionTest, AResultMustBeFinite) {
  const auto expression = Expression::parse("1 / epoch", {"epoch"}, "f");
  ASSERT_TRUE(expression.ok());
  const std::array<double, 1> zero = {0.0};
  const auto value = expression->evaluate(zero);
  ASSERT_FALSE(value.ok());
  EXPECT_NE(value.error().message.find("epoch = 0"), std::string::npos) << value.error().message;
}

}  // namespace
}  // namespace batchwise
