// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/time/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/config/time/run_length.h"

namespace batchwise {
namespace {

TEST(TimeTest, ReadsWhatItWrites) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 2000; ++round) {
    const Time whole = Time::of(static_cast<std::int64_t>(random()), static_cast<TimeUnit>(random() % 4));
    const Time share =
        Time::duration(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160));
    for (const Time& time : {whole, share}) {
      const auto again = Time::parse(time.text());
      ASSERT_TRUE(again.ok()) << time.text();
      EXPECT_EQ(*again, time) << time.text();
    }
  }
}

TEST(TimeTest, KeepsEveryDigitOf64Bits) {
  EXPECT_EQ(Time::parse("9223372036854775807tok")->count(), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(Time::parse("9223372036854775808tok").ok());
  EXPECT_EQ(Time::parse("-9223372036854775808tok")->count(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Time::parse("9223372036854775.807e3tok")->count(), std::numeric_limits<std::int64_t>::max());
}

TEST(TimeTest, TakesAnyAmountsOfHoursMinutesSeconds) {
  EXPECT_EQ(*Time::parse("90m"), Time::of(5400, TimeUnit::Second));
  EXPECT_EQ(*Time::parse("48h"), Time::of(172800, TimeUnit::Second));
  EXPECT_EQ(*Time::parse("1h120m"), Time::of(10800, TimeUnit::Second));
}

TEST(TimeTest, AFractionOfAnEpochStaysOne) {
  const auto half = Time::parse("0.5ep");
  ASSERT_TRUE(half.ok());
  EXPECT_FALSE(half->isWhole());
  EXPECT_EQ(half->text(), "0.5ep");
  EXPECT_TRUE(Time::parse("2.0ep")->isWhole());
  EXPECT_EQ(*multiply(*half, 2.0), Time::of(1, TimeUnit::Epoch));
}

TEST(TimeTest, SaysWhereTheTextIsNotUnderstood) {
  const auto wrong = Time::parse("12weeks");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("position 3"), std::string::npos) << wrong.error().message;
  EXPECT_NE(wrong.error().message.find("12weeks"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("1000ba"), std::string::npos);
}

TEST(TimeTest, ANumberThatNoDoubleHoldsIsTooSmallOrTooLarge) {
  const auto problemOf = [](const char* text) {
    const auto time = Time::parse(text);
    return time.ok() ? "read as " + time->text() : time.error().message;
  };
  for (const char* text : {"1e-400dur", "-1e-400dur", "0.00012e-390dur", "123e-400ep"})
    EXPECT_NE(problemOf(text).find("too small to be told from 0"), std::string::npos) << problemOf(text);
  for (const char* text : {"1e400dur", "0.001e400dur", "1e19ep", "1e400ba"})
    EXPECT_NE(problemOf(text).find("too large"), std::string::npos) << problemOf(text);
  EXPECT_EQ(Time::parse("0.0e-400dur").value(), Time::duration(0.0));
  EXPECT_EQ(Time::parse("0e-400ep").value(), Time::of(0, TimeUnit::Epoch));
}

TEST(TimeTest, RefusesSumsThatLeave64Bits) {
  const Time most = Time::of(std::numeric_limits<std::int64_t>::max(), TimeUnit::Token);
  EXPECT_FALSE(add(most, Time::of(1, TimeUnit::Token)).ok());
  EXPECT_FALSE(multiply(most, 2.0).ok());
  EXPECT_FALSE(multiply(most, 1.5).ok());
}

TEST(RunLengthTest, EpochsBecomeSamplesWhereGlobalBatchesDiffer) {
  const RunLength run{Time::of(4, TimeUnit::Epoch), 100, std::nullopt};
  EXPECT_EQ(*resolveTime(*Time::parse("0.5ep"), run, 1.0, "t"), Time::of(50, TimeUnit::Sample));
  EXPECT_EQ(*resolveTime(*Time::parse("0.1dur"), run, 1.0, "t"), Time::of(40, TimeUnit::Sample));
  const RunLength even{Time::of(4, TimeUnit::Epoch), 100, 13};
  EXPECT_EQ(*resolveTime(*Time::parse("0.5ep"), even, 1.0, "t"), Time::of(6, TimeUnit::Batch));
}

TEST(RunLengthTest, APartOfAnEpochIsThatShareOfItsSamples) {
  const RunLength run{*Time::parse("1.5ep"), 100, 13};
  EXPECT_EQ(*resolveEnd(run), Time::of(150, TimeUnit::Sample));
  EXPECT_EQ(*resolveInterval(*Time::parse("0.5ep"), run, "t"), Time::of(50, TimeUnit::Sample));
  EXPECT_FALSE(resolveEnd({*Time::parse("0.001ep"), 100, 13}).ok());
}

TEST(TimeTest, RefusesAnExponentWithTwoSigns) {
  for (const char* text : {"1000e+-1ba", "1000e-+1ba", "1000e++1ba", "1000e--1ba", "1000e+ba"})
    EXPECT_FALSE(Time::parse(text).ok()) << text;
  EXPECT_EQ(Time::parse("1000e+1ba")->count(), 10000);
  EXPECT_EQ(Time::parse("1000e-1ba")->count(), 100);
}

TEST(TimeTest, NamesTheFormsThatItIsGiven) {
  const auto wrong = Time::parse("5xx", "a time in ba");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "'5xx' is not a time: the unit is unknown at position 2; use a time in ba");
}

TEST(RunLengthTest, TheWholeRunIsExact) {
  const Time odd = Time::of(9007199254740993, TimeUnit::Token);
  const RunLength run{odd, std::nullopt, std::nullopt};
  EXPECT_EQ(*resolveTime(Time::duration(1.0), run, 1.0, "t"), odd);
}

}  // namespace
}  // namespace batchwise
