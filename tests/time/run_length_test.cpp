// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/time/run_length.h"

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

TEST(IntervalSetTest, SeveralIntervalsAtOnePlaceAreToldTogether) {
  const auto set =
      IntervalSet::resolve({*Time::parse("4ba"), *Time::parse("1ep"), *Time::parse("48sp")}, kRun, AtEnd::Fire, "f");
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->due(at(3), at(4), false), (std::vector<std::size_t>{0}));
  EXPECT_EQ(set->due(at(11), at(12), false), (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(set->due(at(4), at(5), false).empty());
}

TEST(IntervalSetTest, TheEndFiresOnceWhetherDueOrNot) {
  const auto set = IntervalSet::resolve({*Time::parse("4ba"), *Time::parse("0.3dur")}, kRun, AtEnd::Fire, "f");
  EXPECT_EQ(set->due(at(19), at(20), true), (std::vector<std::size_t>{0}));
  EXPECT_EQ(set->due(at(16), at(17), true), (std::vector<std::size_t>{0, 1}));
  const auto silent = IntervalSet::resolve({*Time::parse("4ba")}, kRun, AtEnd::Silent, "f");
  EXPECT_TRUE(silent->due(at(16), at(17), true).empty());
}

TEST(IntervalSetTest, TrainingSecondsAreAClock) {
  const auto set = IntervalSet::resolve({*Time::parse("1m")}, kRun, AtEnd::Silent, "f");
  EXPECT_TRUE(set->due(at(1, 10.0), at(2, 59.9), false).empty());
  EXPECT_FALSE(set->due(at(2, 59.9), at(3, 60.0), false).empty());
  EXPECT_FALSE(set->due(at(3, 60.0), at(4, 200.0), false).empty());
}

TEST(IntervalSetTest, NamesTheFieldOfATimeItCannotUse) {
  const auto wrong = IntervalSet::resolve({*Time::parse("-4ba")}, kRun, AtEnd::Fire, "checkpoint.interval");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().field, "checkpoint.interval");
}

}  // namespace
}  // namespace batchwise
