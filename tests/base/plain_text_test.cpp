// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/plain_text.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

TEST(PlainTextTest, OneLineOfPrintableTextIsFine) {
  for (const char* fine : {"", "a b", "=1+1", "<b>", "\xD7\xA9\xD7\x9C", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(whyNoPlainLine(fine, 20), "") << fine;
  EXPECT_EQ(whyNoPlainLine(std::string(21, 'x'), 20), "has 21 bytes; at most 20 are allowed");
}

TEST(PlainTextTest, WhatSteersTheReaderIsNot) {
  for (const char* bad : {"a\nb", "\x1B[0m", "\x7F", "\xC2\x85", "\xE2\x80\xA9", "\xE2\x80\xAE", "\xE2\x81\xA6",
                          "\xD8\x9C", "\xFF", "\xC3", "\xED\xA0\x80"})
    EXPECT_NE(whyNoPlainLine(bad, 20), "") << bad;
}

TEST(PlainTextTest, AMessageShowsWhatItCannotContain) {
  EXPECT_EQ(shownSafely("a\tb\n\xD7\xA9"), "a\tb\n\xD7\xA9");
  EXPECT_EQ(shownSafely("\x1B[31m\xE2\x80\xAEx"), "<U+001B>[31m<U+202E>x");
  EXPECT_EQ(shownSafely("\xFF!"), "\xEF\xBF\xBD!");
}

}  // namespace
}  // namespace batchwise
