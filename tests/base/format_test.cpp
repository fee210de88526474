// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace batchwise {
namespace {

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
  EXPECT_EQ(formatPercent(9999), "+999900 %");
  EXPECT_EQ(formatPercent(1.279e17), "+1.279e+19 %");
}

TEST(NearestNameTest, FindsASlipAndRefusesAStranger) {
  const std::vector<std::string> known = {"optimizer.lr", "optimizer.eps", "scheduler.name"};
  EXPECT_EQ(nearestName("optimiser.lr", known), "optimizer.lr");
  EXPECT_EQ(nearestName("qqqqqqqqqqqq", known), "");
}

TEST(FormatTextTest, ShowsValuesAsPeopleReadThem) {
  EXPECT_EQ(formatText("{} of {}: {}", 3, std::string("a"), "b"), "3 of a: b");
  EXPECT_EQ(formatText("{1} before {0}", 12400, 0.123456), "0.1235 before 12400") << "four digits, as formatValue()";
  EXPECT_EQ(formatText("'{}' {{}}", std::filesystem::path("/a/b")), "'/a/b' {}");
  EXPECT_STREQ(pluralText(1, "sample", "samples"), "sample");
  EXPECT_STREQ(pluralText(0, "sample", "samples"), "samples");
}

}  // namespace
}  // namespace batchwise
