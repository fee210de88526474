// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace batchwise::test {
namespace {

using testing::HasSubstr;

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(StrictJsonTest, DepthIsLimitedBeforeAnythingIsBuilt) {
  EXPECT_TRUE(parseJson(nested(16)).ok());
  EXPECT_THAT(parseJson(nested(17)).error().text(), HasSubstr("nested more than 16 levels deep"));
  EXPECT_TRUE(parseJson(nested(3), {.depth = 3}).ok());
  EXPECT_FALSE(parseJson(nested(4), {.depth = 3}).ok());
  EXPECT_THAT(parseJson(std::string(16U << 20, '[')).error().text(), HasSubstr("nested"));
  EXPECT_TRUE(parseJson(R"({"brackets in a text": "[[[[[[[[[[[[[[[[[[\"[["})").ok());
}

TEST(StrictJsonTest, SizeAndNumberOfValuesAreLimited) {
  EXPECT_THAT(parseJson("[1, 2, 3, 4]", {.bytes = 10}).error().text(), HasSubstr("more than 10 bytes"));
  EXPECT_TRUE(parseJson("[1, 2, 3, 4]", {.values = 5}).ok());
  EXPECT_THAT(parseJson("[1, 2, 3, 4]", {.values = 4}).error().text(), HasSubstr("more than 4 values"));
}

TEST(StrictJsonTest, NamesAreThereOnceWhereThatIsAskedFor) {
  const std::string twice = R"({"a": 1, "b": {"a": 2}, "a": 3})";
  EXPECT_TRUE(parseJson(twice).ok());
  EXPECT_THAT(parseStrictJson(twice, {}).error().text(), HasSubstr("\"a\" is given twice"));
  EXPECT_TRUE(parseStrictJson(R"({"a": 1, "b": {"a": 2}})", {}).ok());
}

TEST(StrictJsonTest, WhatIsNoJsonIsNoValue) {
  for (const char* text : {"", "{", "[1,]", "nothing", "{\"a\": 1} x"}) {
    EXPECT_FALSE(parseJson(text).ok()) << text;
    EXPECT_TRUE(parseJsonOrDiscarded(text).is_discarded()) << text;
  }
  EXPECT_FALSE(parseJson(std::string("{}\0", 3)).ok());
  EXPECT_TRUE(parseJsonOrDiscarded("{}").is_object());
}

}  // namespace
}  // namespace batchwise::test
