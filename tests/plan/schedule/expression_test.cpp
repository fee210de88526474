// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/schedule/expression.h"

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
  EXPECT_EQ(wrong.error().field, "batch.growth.increase_function");
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

TEST(ExpressionTest, CountsPositionsFromOne) {
  const auto positionIn = [](const char* text) {
    const auto wrong = Expression::parse(text, {"ba", "frac"}, "f");
    EXPECT_FALSE(wrong.ok()) << text;
    const std::string& message = wrong.error().message;
    const std::size_t at = message.rfind("position ");
    return at == std::string::npos ? 0 : std::stoi(message.substr(at + 9));
  };
  EXPECT_EQ(positionIn("max(a, 1)"), 5);
  EXPECT_EQ(positionIn("ba * ba + b"), 11);
  EXPECT_EQ(positionIn("ba + b"), 6);
  EXPECT_EQ(positionIn("min(1, ba/10"), 12);
  EXPECT_EQ(positionIn("1 +"), 3);
  EXPECT_EQ(positionIn(")"), 1);
  EXPECT_EQ(positionIn("ba ba"), 4);
  EXPECT_EQ(positionIn("1 2"), 3);
  EXPECT_EQ(positionIn("sqrt(1,2)"), 9);
}

TEST(ExpressionTest, AnAssignmentIsRefusedWithItsPosition) {
  for (const char* text : {"frac = 1", "frac == 1 ? 2 : frac = 3"}) {
    const auto parsed = Expression::parse(text, {"frac"}, "scheduler.expression");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find("would assign"), std::string::npos) << parsed.error().message;
  }
  EXPECT_TRUE(Expression::parse("frac <= 1 && frac != 0 || frac >= 2", {"frac"}, "scheduler.expression").ok());
}

}  // namespace
}  // namespace batchwise
