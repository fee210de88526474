// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/store/records.h"

namespace batchwise {
namespace {

Timestamp everyClock() {
  Timestamp at;
  at.epoch = 1;
  at.batch = 2;
  at.step = 3;
  at.sample = 4;
  at.token = 5;
  at.seconds = 0.1;
  at.batchInEpoch = 6;
  at.unitInEpoch = 7;
  at.sampleInEpoch = 8;
  at.tokenInEpoch = 9;
  at.stepInBatch = 10;
  return at;
}

TEST(ClockTextTest, ComesBackToTheLastBit) {
  EXPECT_EQ(*timestampFromText(timestampText(everyClock())), everyClock());
  EXPECT_EQ(*timestampFromText("{}"), Timestamp{});
}

TEST(ClockTextTest, WhatIsMissingOrImpossibleIsNamed) {
  const std::string whole = timestampText(everyClock());
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = whole;
    return text.replace(text.find(old), old.size(), now);
  };
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
           {with("\"unit_in_epoch\":7", "\"unit_in_epoch\":-7"), "unit_in_epoch"},
           {with("\"unit_in_epoch\":7", "\"units\":7"), "unit_in_epoch"},
           {with("\"ba\":2", "\"ba\":2.5"), "ba"},
           {with("\"tok\":5", "\"tok\":9223372036854775807"), "tok"},
           {with("0.1", "-0.1"), "sec"},
           {with("0.1", "null"), "sec"},
           {"[]", "cannot be read"}}) {
    const auto read = timestampFromText(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
    EXPECT_NE(read.error().text().find(name), std::string::npos) << read.error().text();
  }
}

TEST(FreeRunNameTest, NumbersATakenNameWithinItsLimit) {
  const auto isTaken = [](const std::string& name) { return name == "ramp" || name == "ramp-2"; };
  EXPECT_EQ(freeRunName("other", isTaken), "other");
  EXPECT_EQ(freeRunName("ramp", isTaken), "ramp-3");
  const std::string longest(kMaxRunNameBytes, 'a');
  const std::string numbered = freeRunName(longest, [&](const std::string& name) { return name == longest; });
  EXPECT_EQ(numbered, longest.substr(0, kMaxRunNameBytes - 2) + "-2");
}

TEST(TextWithoutControlCharactersTest, KeepsLinesAndEndsAtACharacter) {
  EXPECT_EQ(withoutControlCharacters("a\x1B[31mb\n\tc\r\n\x7F", 100), "a[31mb\n\tc\r\n");
  EXPECT_EQ(withoutControlCharacters("gr\xC3\xBC\xC3\x9F", 5), "gr\xC3\xBC");
  EXPECT_EQ(withoutControlCharacters("a\xFFz", 100), "a\xEF\xBF\xBDz");
  EXPECT_EQ(withoutControlCharacters("abc", 0), "");
}

}  // namespace
}  // namespace batchwise
