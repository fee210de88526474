// SPDX-License-Identifier: GPL-3.0-or-later
// Launching on a cluster from the window, with a cluster that does what the test says.
#include <QtTest/QSignalSpy>
#include <fstream>

#include "core/store/journal/journal.h"
#include "core/store/workspace_folder.h"
#include "tests/support/scripted_slurm.h"
#include "tests/ui/watched_application.h"
#include "tests/ui/window_fixture.h"
#include "ui/edit/slurm_window.h"
#include "ui/window/resume_commands.h"
#include "ui/window/workspace_commands.h"

namespace batchwise {
namespace {

// Before the window, which looks for Slurm when it is made.
class ScriptedCluster {
 protected:
  test::ScriptedSlurm slurm_;
};

class WindowSlurmTest : protected ScriptedCluster, public test::WindowTest {
 protected:
  SlurmWindow* openWindow() {
    action(QStringLiteral("Train on the Slurm"))->trigger();
    auto* dialog = window_.findChild<SlurmWindow*>();
    EXPECT_NE(dialog, nullptr);
    auto* partitions = dialog->findChild<QComboBox*>(QStringLiteral("slurmPartition"));
    EXPECT_TRUE(test::comesTrue([&] { return partitions->count() == 2; }));
    return dialog;
  }
  void resume() {
    ASSERT_TRUE(test::comesTrue([&] { return action(QStringLiteral("Resume"))->isEnabled(); }));
    action(QStringLiteral("Resume"))->trigger();
    ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<ResumeDialog*>() != nullptr; }));
    window_.findChild<ResumeDialog*>()->findChild<QPushButton*>(QStringLiteral("resumeNow"))->click();
    ASSERT_TRUE(test::comesTrue([&] { return window_.findChild<ResumeDialog*>() == nullptr; }));
  }
  template <typename Widget>
  static Widget& in(QWidget* dialog, const char* name) {
    return *dialog->findChild<Widget*>(QString::fromLatin1(name));
  }
};

TEST_F(WindowSlurmTest, WhatIsAskedForIsCheckedAgainstTheClusterAndKept) {
  SlurmWindow* dialog = openWindow();
  auto& accept = in<QPushButton>(dialog, "slurmAccept");
  auto& problem = in<QLabel>(dialog, "slurmProblem");
  EXPECT_TRUE(accept.isEnabled());
  in<QSpinBox>(dialog, "slurmNodes").setValue(9);
  EXPECT_FALSE(accept.isEnabled());
  EXPECT_TRUE(problem.text().contains(QStringLiteral("main has 4 nodes"))) << problem.text().toStdString();
  in<QSpinBox>(dialog, "slurmNodes").setValue(2);
  in<QLineEdit>(dialog, "slurmTime").setText(QStringLiteral("2:00:00"));
  EXPECT_TRUE(problem.text().contains(QStringLiteral("a limit of 60 minutes")));
  in<QLineEdit>(dialog, "slurmTime").setText(QStringLiteral("soon"));
  EXPECT_TRUE(problem.text().contains(QStringLiteral("h:mm:ss")));
  in<QComboBox>(dialog, "slurmPartition").setEditText(QStringLiteral("dusk"));
  in<QLineEdit>(dialog, "slurmTime").setText(QStringLiteral("0:45:00"));
  EXPECT_TRUE(problem.text().contains(QStringLiteral("main, night")));
  in<QComboBox>(dialog, "slurmPartition").setEditText(QStringLiteral("main"));
  in<QSpinBox>(dialog, "slurmGpus").setValue(2);
  EXPECT_FALSE(in<QSpinBox>(dialog, "slurmRanks").isEnabled());
  ASSERT_TRUE(accept.isEnabled()) << problem.text().toStdString();
  accept.click();
  const SlurmOptions kept = settings_.slurm();
  EXPECT_EQ(kept.partition, "main");
  EXPECT_EQ(kept.nodes, 2);
  EXPECT_EQ(kept.gpusPerNode, 2);
  EXPECT_EQ(kept.ranksPerNode, 2);
  EXPECT_EQ(kept.limitMinutes, 45);
  EXPECT_EQ(settings_.launchTarget(), QStringLiteral("slurm"));
}

TEST_F(WindowSlurmTest, ARunOnTheClusterIsLaunchedAndLeavesTheWindowFree) {
  openWindow()->close();
  openPage("edit");
  launchWithPlan();
  ASSERT_EQ(places_, (std::vector<RunLocation>{RunLocation::Slurm}));
  fake_.publish({PhaseProgress{"in the queue: PENDING (Resources)", 0, 0, {}}});
  ASSERT_TRUE(test::comesTrue([&] { return run_.progress().activity.contains(QStringLiteral("PENDING")); }));
  beginRun();
  fake_.publish({test::rowAt(1)});
  ASSERT_TRUE(test::comesTrue([&] { return run_.progress().phase == RunPhase::Training; }));
  EXPECT_FALSE(action(QStringLiteral("Pause"))->isEnabled());
  EXPECT_TRUE(action(QStringLiteral("Pause"))->toolTip().contains(QStringLiteral("cluster")));
  EXPECT_FALSE(run_.busyOnThisMachine());
  action(QStringLiteral("Stop and save"))->trigger();
  EXPECT_EQ(fake_.commands, (std::vector<RunCommand>{RunCommand::StopWithCheckpoint}));
  bool asked = false;
  window_.setClosingQuestion([&asked] {
    asked = true;
    return ClosingChoice::Cancel;
  });
  EXPECT_TRUE(window_.close());
  EXPECT_FALSE(asked) << "its job goes on without the window";
}

TEST_F(WindowSlurmTest, JobsOfAnEarlierWindowAreFollowedAndJournalsTakenIn) {
  const std::string run = newRecordId();
  const auto folder = workspace_.workspace()->folder();
  std::filesystem::create_directories(folder / "runs");
  std::ofstream(folder / "runs" / (run + ".sbatch")) << "#!/bin/bash\nruns=(" << run << ")\n";
  slurm_.setNames("41|batchwise-" + run + "\n");
  const NewRun begun = test::newDemoRun("far away");
  auto journal = JournalWriter::create(folder, run, begun, {});
  ASSERT_TRUE(journal.ok());
  (*journal)->publish(test::rowAt(1));
  ASSERT_TRUE((*journal)->flush().ok());
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().find(QString::fromStdString(run)) != nullptr; }));
  (*journal)->publish(test::rowAt(2));
  ASSERT_TRUE((*journal)->flush().ok());
  ASSERT_TRUE(test::comesTrue([&] { return workspace_.runs().find(QString::fromStdString(run))->at.batch == 2; }));

  workspace_.open(QString::fromStdString(folder.string()));  // as the next window does
  ASSERT_TRUE(test::comesTrue([&] { return !places_.empty(); }));
  EXPECT_EQ(places_, (std::vector<RunLocation>{RunLocation::SlurmJob}));
  EXPECT_EQ(fake_.requests.back().resumeRun, run);
}

TEST_F(WindowSlurmTest, ARunThatWasLaunchedHereIsNotFollowedOnceMore) {
  openWindow()->close();
  openPage("edit");
  launchWithPlan();
  ASSERT_EQ(fake_.requests.size(), 1U);
  const std::string launched = fake_.requests.front().runId, other = newRecordId();
  ASSERT_FALSE(launched.empty()) << "its job is known by the id of the run";
  const auto folder = workspace_.workspace()->folder();
  std::filesystem::create_directories(folder / "runs");
  for (const std::string& run : {launched, other})
    std::ofstream(folder / "runs" / (run + ".sbatch")) << "#!/bin/bash\nruns=(" << run << ")\n";
  slurm_.setNames("41|batchwise-" + launched + "\n42|batchwise-" + other + "\n");
  workspace_.open(QString::fromStdString(folder.string()));  // looks at the queue, as a window in another language does
  ASSERT_TRUE(QTest::qWaitFor([&] { return fake_.requests.size() > 1; }));
  ASSERT_EQ(fake_.requests.size(), 2U);
  EXPECT_EQ(fake_.requests.back().resumeRun, other);
}

TEST_F(WindowSlurmTest, ARunWithATaskOfAnArrayIsNotResumedHereToo) {
  const std::string run = storeStoppedRun();
  const auto folder = workspace_.workspace()->folder();
  std::filesystem::create_directories(folder / "runs");
  std::ofstream(slurmRequestFile(folder, run)) << "{}";
  std::ofstream(folder / "runs" / "many.sbatch") << "#!/bin/bash\nruns=(many " << run << ")\n";
  selectStored(run);
  slurm_.setNames("42_1|batchwise-many\n");
  ASSERT_NO_FATAL_FAILURE(resume());
  EXPECT_TRUE(test::comesTrue([&] { return message().text().contains(QStringLiteral("is on a Slurm cluster")); }));
  EXPECT_TRUE(places_.empty());
  slurm_.setNames("");
  ASSERT_NO_FATAL_FAILURE(resume());
  EXPECT_TRUE(test::comesTrue([&] { return places_ == std::vector<RunLocation>{RunLocation::ThisProcess}; }));
}

TEST_F(WindowSlurmTest, ARunThatWaitsInTheQueueIsNotSubmittedToo) {
  const std::string run = storeStoppedRun();
  selectStored(run);
  const auto store = workspace_.workspace();
  ASSERT_TRUE(RunQueue(store).requeue({{run, store->findRun(run)->configYaml}}).ok());
  workspace_.refresh();
  ASSERT_TRUE(test::comesTrue([&] { return parts_.queue.waits(QString::fromStdString(run)); }));
  openWindow()->close();
  ASSERT_NO_FATAL_FAILURE(resume());
  EXPECT_TRUE(message().text().contains(QStringLiteral("waits in the queue of this machine")));
  EXPECT_TRUE(places_.empty());
  parts_.queue.removeWaiting({QString::fromStdString(run)});
  ASSERT_TRUE(test::comesTrue([&] { return !parts_.queue.waits(QString::fromStdString(run)); }));
  ASSERT_NO_FATAL_FAILURE(resume());
  EXPECT_EQ(places_, std::vector<RunLocation>{RunLocation::Slurm});
}

TEST_F(WindowSlurmTest, RunsOfTheClusterAreLeftOnceAnotherWorkspaceIsOpen) {
  openWindow()->close();
  openPage("edit");
  launchWithPlan();
  ASSERT_TRUE(run_.busy());
  const auto file = folder_ / "no folder";
  std::ofstream(file) << "text";
  QSignalSpy failed(&workspace_, &WorkspacePresenter::switchFailed);
  auto* files = window_.findChild<WorkspaceCommands*>();
  files->switchTo(QString::fromStdString(file.string()));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !failed.isEmpty(); }));
  EXPECT_TRUE(run_.busy()) << "the window stays where it is, and so does what it follows";
  files->openFolder(pathOf("other"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !run_.busy(); }));
}

TEST_F(WindowSlurmTest, TheQueueTrainsOnThisMachineWhateverTheClusterDoes) {
  openWindow()->close();
  action(QStringLiteral("New run"))->trigger();  // shows the page with the buttons
  QAction* enqueue = action(QStringLiteral("Add to the queue"));
  EXPECT_FALSE(enqueue->isEnabled());
  EXPECT_TRUE(enqueue->toolTip().contains(QStringLiteral("this machine")));
  EXPECT_FALSE(button("enqueue")->isEnabled());
  action(QStringLiteral("Train in this program"))->trigger();
  EXPECT_TRUE(enqueue->isEnabled()) << enqueue->toolTip().toStdString();
  EXPECT_TRUE(QTest::qWaitFor([&] { return button("enqueue")->isEnabled(); }));

  const std::string far = newRecordId();
  const NewRun begun = test::newDemoRun("far away");
  const auto folder = workspace_.workspace()->folder();
  std::filesystem::create_directories(folder / "runs");
  auto journal = JournalWriter::create(folder, far, begun, {});
  ASSERT_TRUE(journal.ok());
  (*journal)->publish(test::rowAt(1));
  ASSERT_TRUE((*journal)->flush().ok());
  const auto trains = [&] {
    const RunSummary* run = workspace_.runs().find(QString::fromStdString(far));
    return run != nullptr && run->status == RunStatus::Running;
  };
  ASSERT_TRUE(QTest::qWaitFor(trains));
  EXPECT_FALSE(workspace_.anyLocalRunTraining());
  enqueue->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return parts_.queue.waiting() == 1; }));
  parts_.queue.start();
  EXPECT_TRUE(QTest::qWaitFor([&] { return places_ == std::vector<RunLocation>{RunLocation::ThisProcess}; }, 8000));
}

TEST_F(WindowSlurmTest, WhatThisMachineLacksDoesNotPreventALaunchOnTheCluster) {
  openWindow()->close();
  action(QStringLiteral("New run"))->trigger();
  edit_.draft().setYaml(QStringLiteral("data: {train: [nowhere/*.txt]}\nmax_duration: 9ba\n"));
  ASSERT_TRUE(test::comesTrue([&] { return !edit_.blockingProblem().isEmpty(); }));
  EXPECT_TRUE(action(QStringLiteral("Launch"))->isEnabled());
  EXPECT_TRUE(button("launch")->isEnabled()) << button("launch")->toolTip().toStdString();
  action(QStringLiteral("Train in this program"))->trigger();
  EXPECT_FALSE(action(QStringLiteral("Launch"))->isEnabled());
  EXPECT_FALSE(button("launch")->isEnabled());
}

TEST_F(WindowSlurmTest, AClusterThatDoesNotAnswerDoesNotHoldTheWindowUp) {
  slurm_.hang("sinfo");
  action(QStringLiteral("Train on the Slurm"))->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !slurm_.calls("sinfo").empty(); }));
  QPointer<SlurmWindow> dialog = window_.findChild<SlurmWindow*>();
  const auto& application = test::WatchedApplication::self();
  test::WatchedApplication::self().startWatching();
  dialog->close();
  ASSERT_TRUE(QTest::qWaitFor([&] { return dialog == nullptr; }));
  EXPECT_LT(application.blocked().ms, 100) << application.blocked().what.toStdString();
}

class WindowWithoutSlurmTest : public test::WindowTest {};

TEST_F(WindowWithoutSlurmTest, TheClusterIsOfferedOnlyWhereThereIsOne) {
  EXPECT_EQ(action(QStringLiteral("Train on the Slurm"))->isVisible(), SlurmClient::isAvailable());
  EXPECT_EQ(action(QStringLiteral("Slurm job"))->isVisible(), SlurmClient::isAvailable());
}

}  // namespace
}  // namespace batchwise
