// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/base/text.h"

namespace batchwise {
namespace {

TEST(PlainTextTest, OneLineOfPrintableTextIsFine) {
  for (const char* fine : {"", "a b", "=1+1", "<b>", "\xD7\xA9\xD7\x9C", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(plainLineProblem(fine, 20), "") << fine;
  EXPECT_EQ(plainLineProblem(std::string(21, 'x'), 20), "has 21 bytes; at most 20 are allowed");
}

TEST(PlainTextTest, WhatSteersTheReaderIsNot) {
  for (const char* bad : {"a\nb", "\x1B[0m", "\x7F", "\xC2\x85", "\xE2\x80\xA9", "\xE2\x80\xAE", "\xE2\x81\xA6",
                          "\xD8\x9C", "\xFF", "\xC3", "\xED\xA0\x80"})
    EXPECT_NE(plainLineProblem(bad, 20), "") << bad;
}

TEST(PlainTextTest, AMessageShowsWhatItCannotContain) {
  EXPECT_EQ(escapedForTerminal("a\tb\n\xD7\xA9"), "a\tb\n\xD7\xA9");
  EXPECT_EQ(escapedForTerminal("\x1B[31m\xE2\x80\xAEx"), "<U+001B>[31m<U+202E>x");
  EXPECT_EQ(escapedForTerminal("\xFF!"), "\xEF\xBF\xBD!");
}

TEST(PlainTextTest, LineEndsOfTablesStayAndLoneReturnsDoNot) {
  EXPECT_EQ(escapedForTerminal("a,b\r\nc\r"), "a,b\r\nc<U+000D>");
  EXPECT_EQ(escapedForTerminal("\xC2\x9B"
                               "2J\x7F\xE2\x80\xA8"),
            "<U+009B>2J<U+007F><U+2028>");
  EXPECT_EQ(escapedLine("a\nb\tc"), "a<U+000A>b<U+0009>c");
}

TEST(PlainTextTest, EscapedJsonSaysTheSame) {
  const std::string json = "{\"a\":\"\xE2\x80\xAE\xC2\x9B\x7F\xC3\xA9\\u001b\\n\"}\n";
  EXPECT_EQ(withEscapedControls(json), "{\"a\":\"\\u202E\\u009B\\u007F\xC3\xA9\\u001b\\n\"}\n");
  EXPECT_EQ(escapedForTerminal(withEscapedControls(json)), withEscapedControls(json));
}

TEST(PlainTextTest, ACharacterThatIsCutIsUnfinished) {
  for (const char* whole : {"", "a", "\xC3\xA9", "\xF0\x9F\x98\x80", "\x80\x80", "a\r\n"})
    EXPECT_EQ(incompleteTailBytes(whole), 0U);
  EXPECT_EQ(incompleteTailBytes("a\xC3"), 1U);
  EXPECT_EQ(incompleteTailBytes("a\xF0\x9F\x98"), 3U);
  EXPECT_EQ(incompleteTailBytes("\xE2\x80"), 2U);
  EXPECT_EQ(incompleteTailBytes("a\r"), 1U);
}

}  // namespace
}  // namespace batchwise
