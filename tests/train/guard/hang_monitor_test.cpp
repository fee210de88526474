// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/hang_monitor.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"

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
  watch.heartbeat(500.0);
  EXPECT_FALSE(watch.check(1000.0));
  ASSERT_TRUE(watch.check(1101.0));
  watch.heartbeat(1102.0);
  ASSERT_TRUE(watch.check(1703.0));  // told again for a new stretch
  watch.suspend();
  EXPECT_FALSE(watch.check(1e6));
  for (int i = 0; i < 4; ++i) watch.enter(RunSection::Step, 1e6 + i);
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Step), 60.0);  // the pause is not taken for a step
}

TEST(HangWatchTest, TimeInWhichTheProcessStoodStillCountsForNothing) {
  HangWatch watch(60.0, 10.0);
  double now = 0;
  for (int i = 0; i < 4; ++i) watch.enter(RunSection::Step, now += 1.0);
  watch.excludeStall(5000.0, now + 5000.0);
  EXPECT_FALSE(watch.check(now + 5000.0 + 59.0));
  EXPECT_TRUE(watch.check(now + 5000.0 + 61.0));
  watch.enter(RunSection::Step, now + 5002.0);
  EXPECT_DOUBLE_EQ(watch.limitSec(RunSection::Step), 60.0);  // not ten times the standstill
}

/// Is stopped for 7 s in a step whose limit is 4 s. 1 if the step is called late once it goes on, 2 if the time is not
/// known at once or counted twice, else 0.
int lateInAProcessOfItsOwn() {
  const SystemClock clock;
  std::atomic<bool> late = false;
  HangMonitor monitor(HangWatch(4.0, 10.0), clock, [&late](const HangWatch::Overdue&) { late = true; });
  for (int i = 0; i < 4; ++i) monitor.enter(RunSection::Step);
  monitor.start();
  ::raise(SIGSTOP);
  const double atOnceSec = monitor.stalledSec();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  if (atOnceSec < 5 || monitor.stalledSec() > atOnceSec + 2) return 2;
  return late || monitor.stalledInStepsSec() < 5 ? 1 : 0;
}

TEST(HangMonitorTest, AProcessThatWasStoppedIsNotTakenForHung) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(lateInAProcessOfItsOwn());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  std::this_thread::sleep_for(std::chrono::seconds(7));
  ::kill(child, SIGCONT);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(HangMonitorTest, LooksWithTheClockThatItIsGiven) {
  ManualClock clock;
  std::vector<HangWatch::Overdue> reports;
  HangMonitor monitor(HangWatch(60.0, 10.0), clock, [&](const HangWatch::Overdue& one) { reports.push_back(one); });
  monitor.enter(RunSection::Checkpoint);
  clock.advanceMs(599'000);
  monitor.poll();
  EXPECT_TRUE(reports.empty());
  clock.advanceMs(2'000);
  monitor.poll();
  monitor.poll();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(runSectionText(reports.front().section), "a checkpoint");
  monitor.heartbeat();
  clock.advanceMs(1'201'000);
  monitor.poll();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports.back().stage, HangWatch::Stage::Hung);
  monitor.suspend();
  clock.advanceMs(9'000'000);
  monitor.poll();
  EXPECT_EQ(reports.size(), 2u);
}

}  // namespace
}  // namespace batchwise
