// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/message.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/messages.h"

namespace batchwise {
namespace {

constexpr MessageTemplate<countMessagePlaces("run '{run}' has {rows:integer} {rows?row|rows}")> kRows{
    "test.rows", "run '{run}' has {rows:integer} {rows?row|rows}"};

TEST(MessageTest, FillsPlacesFormatsAndPlurals) {
  EXPECT_EQ(kRows("a", 1).text(), "run 'a' has 1 row");
  EXPECT_EQ(kRows("a", 12'400).text(), "run 'a' has 12,400 rows");
  const std::vector<MessageArgument> arguments = {{"x", 0.012345}, {"b", std::int64_t{1} << 30}, {"s", 725.0}};
  EXPECT_EQ(fillMessage("{x} {x:rate} {x:exact} {b:bytes} {b:count} {s:duration}", arguments),
            "0.01235 1.23e-2 0.012345 1.0 GiB 1.07G 12 min 5 s");
}

TEST(MessageTest, NumbersWithoutAnIntegerDoNotEndTheProgram) {
  EXPECT_EQ(fillMessage("{x:integer}", {{"x", std::numeric_limits<double>::quiet_NaN()}}), "0");
  EXPECT_EQ(fillMessage("{x:integer}", {{"x", 1e300}}), formatInteger(9223372036854774784));
  EXPECT_EQ(fillMessage("{x:integer} {x}", {{"x", 31927}}), "31,927 31927");
  EXPECT_FALSE(fillMessage("{x:bytes}", {{"x", -std::numeric_limits<double>::infinity()}}).empty());
}

TEST(MessageTest, BracesAndUnknownPlacesStayAsTheyAre) {
  EXPECT_EQ(fillMessage("{{\"a\": 1} {missing} {open", {}), "{\"a\": 1} {missing} {open");
  EXPECT_EQ(fillMessage("{x}", {{"x", "{y}"}, {"y", "twice"}}), "{y}") << "what is filled in is not a template";
}

TEST(MessageTest, KnowsItsEntryAndItsArguments) {
  const Message message = kRows("a", 3);
  EXPECT_EQ(message.id(), "test.rows");
  EXPECT_TRUE(kRows.made(message));
  EXPECT_FALSE(messages::inContext.made(message));
  ASSERT_NE(message.argument("rows"), nullptr);
  EXPECT_EQ(*message.argument("rows")->integer(), 3);
  EXPECT_EQ(message.argument("column"), nullptr);
  EXPECT_TRUE(Message::verbatim("what the system says").id().empty());
}

TEST(MessageTest, AnotherWordingFillsInTheSameArguments) {
  const Message nested = messages::inContext("file.yaml", kRows("a", 2));
  const auto other = [](const Message& message) {
    return kRows.made(message) ? fillMessage("{rows} {rows?row|rows} of {run}", message.arguments()) : message.text();
  };
  EXPECT_EQ(nested.text(), "file.yaml: run 'a' has 2 rows");
  EXPECT_EQ(fillMessage("{where}: {message}", nested.arguments(), other), "file.yaml: 2 rows of a");
}

TEST(MessageTest, JsonKeepsIdArgumentsAndText) {
  const Message before = messages::inContext(kRows("a", 2), Message::verbatim("0.5"));
  nlohmann::json object = {{"text", before.text()}};
  addMessageTo(object, before);
  EXPECT_EQ(object["code"], "base.in_context");
  EXPECT_EQ(object["args"]["where"]["code"], "test.rows");
  EXPECT_EQ(object["args"]["where"]["args"]["rows"], 2);
  const Message after = messageFromJson(nlohmann::json::parse(object.dump()), object["text"]);
  EXPECT_EQ(after, before);
}

TEST(MessageTest, JsonOfAnEarlierVersionOrOfAnotherProgramIsItsText) {
  EXPECT_EQ(messageFromJson({{"text", "stored long ago"}}, "stored long ago"), Message::verbatim("stored long ago"));
  for (const char* args : {R"({"a": [1]})", R"({"a": {"code": "x"}})", R"({"a": null})", R"({"a": {"text": 3}})"}) {
    const nlohmann::json object = {{"code", "base.in_context"}, {"args", nlohmann::json::parse(args)}};
    EXPECT_EQ(messageFromJson(object, "text"), Message::verbatim("text")) << args;
  }
  nlohmann::json deep = {{"text", "t"}};
  for (int i = 0; i < 100; ++i) deep = {{"text", "t"}, {"code", "x"}, {"args", {{"a", deep}}}};
  EXPECT_EQ(messageFromJson(deep, "t"), Message::verbatim("t")) << "messages within messages have an end";
}

TEST(MessageTest, OneThatNestsDeeplyStaysReadable) {
  Message ranks = "rank 1";
  for (int rank = 2; rank <= 64; ++rank) ranks = messages::listItems(ranks, "rank " + std::to_string(rank));
  nlohmann::json object = {{"text", ranks.text()}};
  addMessageTo(object, ranks);
  const nlohmann::json read = parseJsonOrDiscarded(object.dump());
  ASSERT_TRUE(read.is_object()) << "within the limits of all that is stored";
  const Message after = messageFromJson(read, read["text"]);
  EXPECT_EQ(after.id(), ranks.id());
  EXPECT_EQ(fillMessage("{first}, {second}", after.arguments()), ranks.text());
}

TEST(MessageTest, CountsThePlacesOfATemplate) {
  static_assert(countMessagePlaces("no place {{ at all") == 0);
  static_assert(countMessagePlaces("{a} {b:bytes} {a?x|y}") == 2);
  static_assert(countMessagePlaces("{open") == -1);
  EXPECT_EQ(messagePlaces("{b} {a} {b:bytes}"), (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace batchwise
