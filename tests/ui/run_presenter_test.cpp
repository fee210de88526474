// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/run_presenter.h"

#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtTest/QSignalSpy>

#include "tests/support/manual_clock.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/waiting.h"

namespace batchwise {
namespace {

class RunPresenterTest : public ::testing::Test {
 protected:
  RunStarted started() const {
    RunStarted event;
    event.run = "abcdefabcdef";
    event.name = "demo";
    event.plannedBatches = 400;
    return event;
  }
  bool waitForPhase(RunPhase phase) {
    return test::comesTrue([&] { return presenter_.progress().phase == phase; });
  }

  ManualClock clock_;
  test::FakeRun fake_;
  std::vector<RunLocation> places_;
  RunPresenter presenter_{[this](RunLocation place, EventSink& events) {
                            places_.push_back(place);
                            return std::make_unique<test::FakeRunController>(fake_, events);
                          },
                          clock_};
};

TEST_F(RunPresenterTest, MakesTheControllerAtTheFirstLaunchOnly) {
  EXPECT_EQ(fake_.events, nullptr);
  presenter_.launch({});
  EXPECT_NE(fake_.events, nullptr);
  EXPECT_EQ(presenter_.progress().phase, RunPhase::Starting);
}

TEST_F(RunPresenterTest, GoesThroughThePhasesOfARun) {
  QSignalSpy begun(&presenter_, &RunPresenter::started), ended(&presenter_, &RunPresenter::finished);
  QSignalSpy phases(&presenter_, &RunPresenter::phaseChanged);
  presenter_.launch({});
  fake_.publish({PhaseProgress{"reading text", 1, 4, "MB"}});
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.progress().activity == QStringLiteral("Reading text"); }));
  EXPECT_DOUBLE_EQ(presenter_.progress().activityTotal, 4);
  fake_.publish({started()});
  ASSERT_TRUE(test::comesTrue([&] { return begun.count() == 1; }));
  EXPECT_EQ(presenter_.progress().run, QStringLiteral("abcdefabcdef"));
  fake_.publish({test::rowAt(1), test::rowAt(2)});
  ASSERT_TRUE(waitForPhase(RunPhase::Training));
  presenter_.command({}, RunCommand::StopWithCheckpoint);
  EXPECT_EQ(fake_.commands, (std::vector<RunCommand>{RunCommand::StopWithCheckpoint}));
  EXPECT_EQ(presenter_.progress().phase, RunPhase::Stopping);
  fake_.finish(RunStatus::Stopped);
  ASSERT_TRUE(waitForPhase(RunPhase::Idle));
  EXPECT_EQ(ended.count(), 1);
  EXPECT_EQ(phases.count(), 5) << "launch, id, training, stop and end, not each event";
}

TEST_F(RunPresenterTest, ForeseesTheEndFromTheRecentSpeed) {
  presenter_.launch({});
  fake_.publish({started()});
  for (int batch = 1; batch <= 100; ++batch) {
    clock_.advanceMs(250);
    fake_.publish({test::rowAt(batch)});
    ASSERT_TRUE(test::comesTrue([&] { return presenter_.progress().batches == batch; }));
  }
  ASSERT_TRUE(presenter_.progress().secondsLeft.has_value());
  EXPECT_NEAR(*presenter_.progress().secondsLeft, 300 * 0.25, 0.1);
  EXPECT_DOUBLE_EQ(*presenter_.progress().tokensPerSec, 41'200);
  EXPECT_EQ(presenter_.progress().fullestDevice->name, "cpu:0");
}

TEST_F(RunPresenterTest, TellsWhyALaunchIsRefusedAndIsIdleAgain) {
  QSignalSpy failed(&presenter_, &RunPresenter::failed);
  fake_.refuse = Error::unsupported("the trainer is not there");
  presenter_.launch({});
  ASSERT_EQ(failed.count(), 1);
  EXPECT_TRUE(failed[0][0].toString().contains(QStringLiteral("the trainer is not there")));
  EXPECT_FALSE(presenter_.busy());
}

TEST_F(RunPresenterTest, TheSecondRunHasItsOwnProcess) {
  presenter_.launch({});
  EXPECT_TRUE(presenter_.busyInThisProcess());
  presenter_.launch({});
  EXPECT_EQ(places_, (std::vector<RunLocation>{RunLocation::ThisProcess, RunLocation::OwnProcess}));
  EXPECT_EQ(presenter_.progress().place, RunLocation::OwnProcess);
  presenter_.stopAndSaveInThisProcess();
  EXPECT_EQ(fake_.commands.size(), 1u);
  presenter_.stopAndSaveAll();
  EXPECT_EQ(fake_.commands.size(), 3u);
}

TEST_F(RunPresenterTest, NamesTheRunOnThisMachineBesideOneOnTheCluster) {
  LaunchRequest here, far;
  here.config.config.name = "here";
  far.config.config.name = "far";
  EXPECT_TRUE(presenter_.nameOnThisMachine().isEmpty());
  presenter_.launch(here);
  presenter_.launch(far, RunLocation::Slurm);
  EXPECT_EQ(presenter_.progress().name, QStringLiteral("far"));
  EXPECT_EQ(presenter_.nameOnThisMachine(), QStringLiteral("here"));
}

TEST_F(RunPresenterTest, RefusesToTrainOneRunTwice) {
  QSignalSpy failed(&presenter_, &RunPresenter::failed);
  LaunchRequest request;
  request.resumeRun = started().run;
  presenter_.launch(request);
  fake_.publish({started()});
  ASSERT_TRUE(test::comesTrue([&] { return presenter_.trains(QStringLiteral("abcdefabcdef")); }));
  presenter_.launch(request);
  EXPECT_EQ(failed.count(), 1);
  EXPECT_EQ(fake_.requests.size(), 1u);
}

TEST_F(RunPresenterTest, ARunThatIsBeingResumedIsKnownBeforeItStarts) {
  QSignalSpy failed(&presenter_, &RunPresenter::failed);
  const QString id = QString::fromStdString(started().run);
  LaunchRequest resumed, fork, other;
  resumed.resumeRun = fork.resumeRun = started().run;
  resumed.config.config.name = "resumed";
  other.config.config.name = "other";
  fork.fork = true;
  presenter_.launch(fork);
  EXPECT_FALSE(presenter_.trains(id)) << "a fork is another run";
  EXPECT_TRUE(presenter_.launch(resumed));
  EXPECT_TRUE(presenter_.trains(id));
  EXPECT_FALSE(presenter_.launch(resumed)) << "two would write one run";
  EXPECT_EQ(failed.count(), 1);
  EXPECT_EQ(fake_.requests.size(), 2u);
  presenter_.launch(other);
  EXPECT_EQ(presenter_.progress(id).name, QStringLiteral("resumed"));
  presenter_.command(id, RunCommand::StopWithCheckpoint);
  EXPECT_EQ(presenter_.progress(id).phase, RunPhase::Stopping);
  EXPECT_EQ(presenter_.progress().phase, RunPhase::Starting) << "the other one goes on";
}

TEST_F(RunPresenterTest, KnowsThatARunIsPaused) {
  presenter_.launch({});
  fake_.publish({started(), test::rowAt(1), RunNote{NoteLevel::Info, "paused", {}, true}});
  ASSERT_TRUE(waitForPhase(RunPhase::Paused));
  EXPECT_FALSE(presenter_.progress().tokensPerSec.has_value());
  fake_.publish({RunNote{NoteLevel::Info, "going on", {}, false}});
  EXPECT_TRUE(waitForPhase(RunPhase::Training));
}

TEST_F(RunPresenterTest, IsFreeOnlyWhenTheControllerIs) {
  presenter_.launch({});
  RunFinished finished;
  finished.status = RunStatus::Failed;
  fake_.publish({finished});
  QCoreApplication::processEvents();
  EXPECT_TRUE(presenter_.busy());
  fake_.ended();
  EXPECT_TRUE(waitForPhase(RunPhase::Idle));
}

}  // namespace
}  // namespace batchwise
