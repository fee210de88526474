// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/time/run_length.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

const RunLength kRun{Time::of(2, TimeUnit::Epoch), 80, 10};

Timestamp at(std::int64_t batch, double seconds = 0) {
  Timestamp now;
  now.batch = batch;
  now.epoch = batch / 10;
  now.batchInEpoch = batch % 10;
  now.sample = batch * 8;
  now.seconds = seconds;
  return now;
}

TEST(IntervalSetTest, EachIntervalIsDueOnItsOwnClock) {
  const auto set =
      IntervalSet::resolve({*Time::parse("4ba"), *Time::parse("1ep"), *Time::parse("72sp")}, kRun, AtEnd::Fire, "f");
  ASSERT_TRUE(set.ok());
  std::vector<std::int64_t> due;
  for (std::int64_t batch = 1; batch <= 12; ++batch)
    if (set->anyDue(at(batch - 1), at(batch), false)) due.push_back(batch);
  EXPECT_EQ(due, (std::vector<std::int64_t>{4, 8, 9, 10, 12}));
}

TEST(IntervalSetTest, TheEndFiresUnlessItIsSilent) {
  const auto set = IntervalSet::resolve({*Time::parse("4ba"), *Time::parse("0ba")}, kRun, AtEnd::Fire, "f");
  EXPECT_TRUE(set->anyDue(at(16), at(17), true));
  EXPECT_FALSE(set->anyDue(at(16), at(17), false));
  const auto silent = IntervalSet::resolve({*Time::parse("4ba")}, kRun, AtEnd::Silent, "f");
  EXPECT_FALSE(silent->anyDue(at(16), at(17), true));
  const auto never = IntervalSet::resolve({*Time::parse("0ba")}, kRun, AtEnd::Fire, "f");
  EXPECT_FALSE(never->anyDue(at(16), at(17), true));
}

TEST(IntervalSetTest, TrainingSecondsAreAClock) {
  const auto set = IntervalSet::resolve({*Time::parse("1m")}, kRun, AtEnd::Silent, "f");
  EXPECT_FALSE(set->anyDue(at(1, 10.0), at(2, 59.9), false));
  EXPECT_TRUE(set->anyDue(at(2, 59.9), at(3, 60.0), false));
  EXPECT_TRUE(set->anyDue(at(3, 60.0), at(4, 200.0), false));
}

TEST(IntervalSetTest, NamesTheFieldOfATimeItCannotUse) {
  const auto wrong = IntervalSet::resolve({*Time::parse("-4ba")}, kRun, AtEnd::Fire, "checkpoint.interval");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().field, "checkpoint.interval");
}

}  // namespace
}  // namespace batchwise
