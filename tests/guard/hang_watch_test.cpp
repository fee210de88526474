// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/hang_watch.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/guard/hang_monitor.h"

namespace batchwise {
namespace {

TEST(HangWatchTest, TheLimitFollowsTheMedianOfEachSection) {
  HangWatch watch(60.0, 10.0);
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Step), 600.0);  // nothing known yet
  double now = 0;
  for (const double took : {1.0, 100.0, 2.0, 3.0, 2.0}) {
    watch.enter(RunSection::Step, now);
    now += took;
  }
  watch.enter(RunSection::Evaluation, now);
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Step), 60.0);  // ten times the median of 2 s is less than the minimum
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Evaluation), 600.0);
  for (int i = 0; i < 9; ++i) {
    watch.enter(RunSection::Step, now);
    now += 20.0;
  }
  watch.enter(RunSection::Checkpoint, now);
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Step), 200.0);
}

TEST(HangWatchTest, TellsEachStageOnce) {
  HangWatch watch(60.0, 10.0);
  EXPECT_FALSE(watch.check(1e6));  // nothing is under way
  watch.enter(RunSection::Setup, 1000.0);
  EXPECT_FALSE(watch.check(1600.0));
  const auto late = watch.check(1601.0);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->section, RunSection::Setup);
  EXPECT_EQ(late->stage, HangWatch::Stage::Late);
  EXPECT_DOUBLE_EQ(late->seconds, 601.0);
  EXPECT_DOUBLE_EQ(late->limitSec, 600.0);
  EXPECT_FALSE(watch.check(2199.0));
  const auto hung = watch.check(2201.0);
  ASSERT_TRUE(hung);
  EXPECT_EQ(hung->stage, HangWatch::Stage::Hung);
  EXPECT_FALSE(watch.check(9999.0));
}

TEST(HangWatchTest, ASignOfLifeAndAPauseStopTheClock) {
  HangWatch watch(60.0, 10.0);
  watch.enter(RunSection::Evaluation, 0.0);
  watch.alive(500.0);
  EXPECT_FALSE(watch.check(1000.0));
  ASSERT_TRUE(watch.check(1101.0));
  watch.alive(1102.0);
  ASSERT_TRUE(watch.check(1703.0));  // told again for a new stretch
  watch.rest();
  EXPECT_FALSE(watch.check(1e6));
  for (int i = 0; i < 4; ++i) watch.enter(RunSection::Step, 1e6 + i);
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Step), 60.0);  // the pause is not taken for a step
}

TEST(HangMonitorTest, LooksWithTheClockThatItIsGiven) {
  ManualClock clock;
  std::vector<HangWatch::Overdue> reports;
  HangMonitor monitor(HangWatch(60.0, 10.0), clock, [&](const HangWatch::Overdue& one) { reports.push_back(one); });
  monitor.enter(RunSection::Checkpoint);
  clock.advanceMs(599'000);
  monitor.look();
  EXPECT_TRUE(reports.empty());
  clock.advanceMs(2'000);
  monitor.look();
  monitor.look();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(runSectionName(reports.front().section), "a checkpoint");
  monitor.alive();
  clock.advanceMs(1'201'000);
  monitor.look();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports.back().stage, HangWatch::Stage::Hung);
  monitor.rest();
  clock.advanceMs(9'000'000);
  monitor.look();
  EXPECT_EQ(reports.size(), 2u);
}

}  // namespace
}  // namespace batchwise
