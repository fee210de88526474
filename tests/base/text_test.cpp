// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/format.h"
#include "core/base/json.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

TEST(PartsTest, ATextIsTakenApartAtASeparator) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(partsOf("", ','), Parts());
  EXPECT_EQ(partsOf("a", ','), Parts{"a"});
  EXPECT_EQ(partsOf("a,,b,", ','), (Parts{"a", "", "b"})) << "behind a separator at the end there is none";
  std::string_view rest = "first\nsecond";
  EXPECT_EQ(takePart(rest, '\n'), "first");
  EXPECT_EQ(takePart(rest, '\n'), "second");
  EXPECT_EQ(takePart(rest, '\n'), "");
}

TEST(FormatTest, Values) {
  EXPECT_EQ(formatValue(2.31449), "2.314");
  EXPECT_EQ(formatValue(std::nan("")), "nan");
  EXPECT_EQ(formatValue(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(FormatTest, CountsUseSiPrefixes) {
  EXPECT_EQ(formatCount(950), "950");
  EXPECT_EQ(formatCount(41'234), "41.2k");
  EXPECT_EQ(formatCount(999'600), "1.00M");
  EXPECT_EQ(formatCount(0.5), "0.50");
}

TEST(FormatTest, BytesAreBinary) {
  EXPECT_EQ(formatBytes(512), "512 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(std::int64_t{1} << 30), "1.0 GiB");
  EXPECT_EQ(formatBytes(std::int64_t{11} << 28), "2.8 GiB");
  EXPECT_EQ(formatBytes(87'975'526), "83.9 MiB");
  EXPECT_EQ(formatBytes(std::int64_t{512} << 20), "512 MiB");
  EXPECT_EQ(formatBytes(std::int64_t{1023} << 20), "1.0 GiB") << "not 1.02e+03 MiB";
}

TEST(FormatTest, Durations) {
  EXPECT_EQ(formatDuration(0), "0.0 s");
  EXPECT_EQ(formatDuration(0.0004), "1 ms");
  EXPECT_EQ(formatDuration(0.0234), "23 ms");
  EXPECT_EQ(formatDuration(0.0996), "0.1 s");
  EXPECT_EQ(formatDuration(4.25), "4.2 s");
  EXPECT_EQ(formatDuration(45), "45 s");
  EXPECT_EQ(formatDuration(725), "12 min 5 s");
  EXPECT_EQ(formatDuration(3 * 3600 + 12 * 60), "3 h 12 min");
  EXPECT_EQ(formatDuration(52 * 3600), "2 d 4 h");
  EXPECT_EQ(formatDuration(-1), "unknown");
}

TEST(FormatTest, Rates) {
  EXPECT_EQ(formatRate(5e-4), "5.0e-4");
  EXPECT_EQ(formatRate(1.25e-5), "1.25e-5");
  EXPECT_EQ(formatRate(0), "0");
}

TEST(FormatTest, IntegersAreGrouped) {
  EXPECT_EQ(formatInteger(12'400), "12,400");
  EXPECT_EQ(formatInteger(-1'234'567), "-1,234,567");
  EXPECT_EQ(formatInteger(999), "999");
}

TEST(FormatTest, ExactTextReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-300, 123456789.125, -0.0})
    EXPECT_EQ(std::stod(formatExact(value)), value);
}

TEST(FormatTest, EveryNanIsWrittenTheSame) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(formatExact(nan), "nan");
  EXPECT_EQ(formatExact(-nan), "nan");
}

TEST(FormatTest, APercentageHasAllDigitsUpToAMillion) {
  EXPECT_EQ(formatPercent(0.09), "+9.0 %");
  EXPECT_EQ(formatPercent(-1.7), "−170 %");
  EXPECT_EQ(formatPercent(-0.996), "−99.60 %") << "not all of it";
  EXPECT_EQ(formatPercent(-1), "−100 %");
  EXPECT_EQ(formatPercent(9999), "+999900 %");
  EXPECT_EQ(formatPercent(1.279e17), "+1.279e+19 %");
}

TEST(NearestNameTest, FindsASlipAndRefusesAStranger) {
  const std::vector<std::string> known = {"optimizer.lr", "optimizer.eps", "scheduler.name"};
  EXPECT_EQ(nearestName("optimiser.lr", known), "optimizer.lr");
  EXPECT_EQ(nearestName("qqqqqqqqqqqq", known), "");
  EXPECT_EQ(nearestNameText("optimiser.lr", known), "; did you mean 'optimizer.lr'?");
  EXPECT_EQ(nearestNameText("qqqqqqqqqqqq", known), "");
}

TEST(FormatTextTest, ShowsValuesAsPeopleReadThem) {
  EXPECT_EQ(formatText("{} of {}: {}", 3, std::string("a"), "b"), "3 of a: b");
  EXPECT_EQ(formatText("{1} before {0}", 12400, 0.123456), "0.1235 before 12400") << "four digits, as formatValue()";
  EXPECT_EQ(formatText("'{}' {{}}", std::filesystem::path("/a/b")), "'/a/b' {}");
  EXPECT_STREQ(pluralText(1, "sample", "samples"), "sample");
  EXPECT_STREQ(pluralText(0, "sample", "samples"), "samples");
}

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
