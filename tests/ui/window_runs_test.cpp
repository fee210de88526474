// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that train: several at once, in other processes, paused, stopped, killed; and the window that is closed
// meanwhile.
#include <signal.h>

#include "core/config/events/run_command.h"
#include "core/run/controllers/command_channel.h"
#include "tests/ui/window_fixture.h"

namespace batchwise {
namespace {

class WindowRunsTest : public test::WindowTest {
 protected:
  void startDemo() { QTest::mouseClick(button("tryDemo"), Qt::LeftButton); }
  void select(int row) {
    auto* list = window_.findChild<QAbstractItemView*>(QStringLiteral("runs"));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(row, 0)).center());
  }
  bool hasAction(const QString& text) { return action(text) != nullptr; }
};

TEST_F(WindowRunsTest, ButtonsThatAreOffSayWhy) {
  for (const char* name : {"Pause", "Stop and save", "Stop after", "Stop without", "Resume"}) {
    const QAction* off = action(QString::fromLatin1(name));
    ASSERT_NE(off, nullptr) << name;
    EXPECT_FALSE(off->isEnabled()) << name;
    EXPECT_GT(off->toolTip().size(), 15) << name;
  }
  EXPECT_TRUE(action(QStringLiteral("Pause"))->toolTip().contains(QStringLiteral("Select a run that is training")));
  EXPECT_TRUE(action(QStringLiteral("Resume"))->toolTip().contains(QStringLiteral("Select a run to resume")));
  startDemo();
  EXPECT_TRUE(action(QStringLiteral("Pause"))->toolTip().contains(QStringLiteral("first global batch")));
  EXPECT_TRUE(action(QStringLiteral("Stop and save"))->isEnabled());
}

TEST_F(WindowRunsTest, PausesContinuesAndStopsTheRunHere) {
  startDemo();
  beginRun();
  fake_.publish({test::rowAt(1)});
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Pause"))->isEnabled(); }));
  QAction* const pause = action(QStringLiteral("Pause"));
  pause->trigger();
  fake_.publish({RunNote{NoteLevel::Info, "paused", {}, true}});
  ASSERT_TRUE(test::comesTrue([&] { return pause->text().contains(QStringLiteral("Continue")); }));
  pause->trigger();
  fake_.publish({RunNote{NoteLevel::Info, "going on", {}, false}});
  ASSERT_TRUE(test::comesTrue([&] { return hasAction(QStringLiteral("Pause")); }));
  action(QStringLiteral("Stop after"))->trigger();
  EXPECT_FALSE(action(QStringLiteral("Stop and save"))->isEnabled());
  EXPECT_TRUE(action(QStringLiteral("Stop without"))->isEnabled());
  action(QStringLiteral("Stop without"))->trigger();
  EXPECT_EQ(fake_.commands, (std::vector<RunCommand>{RunCommand::Pause, RunCommand::Continue,
                                                     RunCommand::StopAfterBatch, RunCommand::Abort}));
}

TEST_F(WindowRunsTest, TheOnlyRunOfTheChartsIsPausedWhateverRowIsSelected) {
  const QString other = QString::fromStdString(storeStoppedRun());
  startDemo();
  const QString training = QString::fromStdString(beginRun());
  fake_.publish({test::rowAt(1)});
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Pause"))->isEnabled(); }));
  const QAction* resume = action(QStringLiteral("Resume"));
  EXPECT_TRUE(test::comesTrue([&] { return resume->toolTip().contains(QStringLiteral("selected run is training")); }));
  openPage("edit");
  launchWithPlan();  // another one beside it
  const QString second = QString::fromStdString(beginRun());
  ASSERT_TRUE(test::comesTrue([&] { return run_.trains(second); }));
  parts_.selection.select(other);
  EXPECT_TRUE(test::comesTrue([&] { return !action(QStringLiteral("Pause"))->isEnabled(); }));
  parts_.selection.setTicked({training});
  EXPECT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Pause"))->isEnabled(); }));
  parts_.selection.setTicked({training, other});
  EXPECT_TRUE(test::comesTrue([&] { return !action(QStringLiteral("Pause"))->isEnabled(); }))
      << "of several the selected";
}

TEST_F(WindowRunsTest, TheOnlyRunThatTrainsIsStoppedWhateverRunIsSelected) {
  const QString other = QString::fromStdString(storeStoppedRun());
  startDemo();
  const QString training = QString::fromStdString(beginRun());
  fake_.publish({test::rowAt(1)});
  ASSERT_TRUE(test::comesTrue([&] { return run_.trains(training); }));
  parts_.selection.select(other);
  QAction* const stop = action(QStringLiteral("Stop and save"));
  ASSERT_TRUE(test::comesTrue(
      [&] { return stop->isEnabled() && stop->toolTip().contains(QStringLiteral("demo: End the training")); }));
  stop->trigger();
  EXPECT_EQ(fake_.commands, (std::vector<RunCommand>{RunCommand::StopWithCheckpoint}));
}

TEST_F(WindowRunsTest, ARunWithoutACheckpointIsNotOfferedForResume) {
  const NewRun run = test::newDemoRun("early");
  const std::string id = *workspace_.workspace()->createRun(run);
  {
    auto writer = *RunWriter::open(workspace_.workspace(), id, {});
    RunFinished finished;
    finished.status = RunStatus::Stopped;
    writer->publish(finished);
    ASSERT_TRUE(writer->flush().ok());
  }
  const QString with = QString::fromStdString(storeStoppedRun());
  awaitRuns(2);
  const QAction* resume = action(QStringLiteral("Resume"));
  parts_.selection.select(QString::fromStdString(id));
  EXPECT_TRUE(test::comesTrue([&] { return resume->toolTip().contains(QStringLiteral("has no checkpoint")); }));
  EXPECT_FALSE(resume->isEnabled());
  parts_.selection.select(with);
  EXPECT_TRUE(test::comesTrue([&] { return resume->isEnabled(); }));
}

TEST_F(WindowRunsTest, ALaunchedRunJoinsAComparisonOnlyWhenAsked) {
  const QString compared = QString::fromStdString(storeStoppedRun());
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().find(compared) != nullptr; }));
  parts_.selection.setTicked({compared});
  button("tryDemo")->click();
  const QString launched = QString::fromStdString(beginRun());
  ASSERT_TRUE(test::comesTrue([&] { return offered("Add to the charts") != nullptr; }));
  EXPECT_EQ(parts_.selection.ticked(), QStringList{compared});
  takeOffer("Add to the charts");
  EXPECT_EQ(parts_.selection.ticked(), (QStringList{compared, launched}));
}

TEST_F(WindowRunsTest, TheSecondRunGetsItsOwnProcessAndTheChoiceIsRemembered) {
  startDemo();
  beginRun();
  openPage("runs");
  EXPECT_TRUE(action(QStringLiteral("Launch"))->isEnabled());
  action(QStringLiteral("Launch"))->trigger();
  EXPECT_EQ(places_.size(), 1u) << "elsewhere it shows what it would launch";
  EXPECT_TRUE(action(QStringLiteral("Launch"))->toolTip().contains(QStringLiteral("its own process")));
  launchWithPlan();
  EXPECT_EQ(places_, (std::vector<RunLocation>{RunLocation::ThisProcess, RunLocation::OwnProcess}));
  action(QStringLiteral("Train in its own"))->trigger();
  EXPECT_EQ(settings_.launchTarget(), QStringLiteral("process"));
}

TEST_F(WindowRunsTest, ARunOfAnotherProcessIsFollowedAndCommanded) {
  const NewRun run = test::newDemoRun("elsewhere", 400);
  const std::string id = *workspace_.workspace()->createRun(run);
  auto writer = *RunWriter::open(workspace_.workspace(), id, {});
  CommandMailbox commands;
  const auto listener = CommandListener::open(workspace_.workspace()->folder(), commands);
  ASSERT_TRUE(listener.ok());
  writer->publish(test::rowAt(1));
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
  select(0);
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Pause"))->isEnabled(); }));
  action(QStringLiteral("Pause"))->trigger();
  EXPECT_EQ(commands.waitFor(std::chrono::minutes(1)), RunCommand::Pause);
  writer->publish(RunNote{NoteLevel::Info, "paused", {}, true});
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(test::comesTrue([&] { return hasAction(QStringLiteral("Continue")); }));
  writer->publish(RunNote{NoteLevel::Info, "going on", {}, false});
  writer->publish(test::rowAt(2));
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(test::comesTrue(
      [&] { return hasAction(QStringLiteral("Pause")) && presenter_.selectedView().series.lastBatch() == 2; }));
  action(QStringLiteral("Stop and save"))->trigger();
  EXPECT_EQ(commands.waitFor(std::chrono::minutes(1)), RunCommand::StopWithCheckpoint);
  EXPECT_FALSE(action(QStringLiteral("Stop and save"))->isEnabled());
  RunFinished stopped;
  stopped.status = RunStatus::Stopped;
  stopped.at = test::rowAt(2).at;
  writer->publish(stopped);
  ASSERT_TRUE(writer->flush().ok());
  writer.reset();
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().at(0)->status == RunStatus::Stopped; }));
  writer = *RunWriter::open(workspace_.workspace(), id, {});
  EXPECT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Stop and save"))->isEnabled(); })) << "it is resumed";
  EXPECT_TRUE(action(QStringLiteral("Pause"))->isEnabled());
}

TEST_F(WindowRunsTest, AProcessThatDoesNotListenIsTold) {
  const NewRun run = test::newDemoRun("deaf");
  const std::string id = *workspace_.workspace()->createRun(run);
  auto writer = *RunWriter::open(workspace_.workspace(), id, {});
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().size() == 1; }));
  select(0);
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Stop and save"))->isEnabled(); }));
  action(QStringLiteral("Stop and save"))->trigger();
  ASSERT_TRUE(test::comesTrue([&] { return message().isVisible(); }));
  EXPECT_TRUE(message().text().contains(QStringLiteral("does not accept commands")));
  EXPECT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Stop and save"))->isEnabled(); }));
}

TEST_F(WindowRunsTest, RunsInTheirOwnProcessesLetTheWindowClose) {
  action(QStringLiteral("Train in its own"))->trigger();
  startDemo();
  ASSERT_TRUE(run_.busy());
  EXPECT_FALSE(run_.busyInThisProcess());
  window_.setClosingQuestion([] { return ClosingChoice::KeepTraining; });
  window_.close();
  EXPECT_FALSE(window_.isVisible());
  EXPECT_TRUE(fake_.commands.empty());
}

TEST_F(WindowRunsTest, TheEndOfOneRunDoesNotLeaveThePreparationOfAnother) {
  auto* pages = window_.findChild<WorkspacePages*>();
  startDemo();
  const QString first = QString::fromStdString(beginRun());
  ASSERT_TRUE(test::comesTrue([&] { return run_.trains(first); }));
  EventSink* const events = fake_.events;
  const auto ended = fake_.ended;
  openPage("edit");
  launchWithPlan();
  ASSERT_EQ(places_.size(), 2u);
  ASSERT_EQ(pages->openName(), QStringLiteral("runs"));
  RunFinished finished;
  finished.status = RunStatus::Finished;
  events->publish(finished);
  ended();
  ASSERT_TRUE(test::comesTrue([&] { return !run_.trains(first); }));
  EXPECT_EQ(pages->openName(), QStringLiteral("runs"));
  finished.status = RunStatus::Failed;
  fake_.events->publish(finished);
  fake_.ended();
  EXPECT_TRUE(test::comesTrue([&] { return pages->openName() == QStringLiteral("edit"); })) << "it could not start";
}

TEST_F(WindowRunsTest, ARunThatIsBeingResumedIsNotResumedOnceMoreAndCanBeStopped) {
  const std::string id = storeStoppedRun();
  awaitRuns(1);
  parts_.selection.select(QString::fromStdString(id));
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Resume"))->isEnabled(); }));
  LaunchRequest request;
  request.resumeRun = id;
  run_.launch(request);
  openPage("edit");
  launchWithPlan();  // another one beside it
  ASSERT_EQ(places_.size(), 2u);
  parts_.selection.select(QString::fromStdString(id));
  EXPECT_TRUE(test::comesTrue([&] {
    return action(QStringLiteral("Resume"))->toolTip().contains(QStringLiteral("selected run is training"));
  }));
  EXPECT_FALSE(action(QStringLiteral("Resume"))->isEnabled());
  ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Stop and save"))->isEnabled(); }));
  action(QStringLiteral("Stop and save"))->trigger();
  EXPECT_EQ(fake_.commands.size(), 1u);
  EXPECT_EQ(run_.progress(QString::fromStdString(id)).phase, RunPhase::Stopping);
  EXPECT_EQ(run_.progress().phase, RunPhase::Starting) << "the other one goes on";
}

TEST_F(WindowRunsTest, ASignalStopsOnlyWhatNeedsTheWindow) {
  startDemo();
  beginRun();
  openPage("edit");
  launchWithPlan();
  window_.closeWhenSaved();
  EXPECT_EQ(fake_.commands.size(), 1u);
}

}  // namespace
}  // namespace batchwise
