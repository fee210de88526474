// SPDX-License-Identifier: GPL-3.0-or-later
// Submitting and following a run, with a cluster that does what the test says. What a real one does: slurm_run_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "core/config/config_file.h"
#include "core/run/slurm_run_controller.h"
#include "core/run/slurm_submission.h"
#include "core/store/journal.h"
#include "core/store/journal_run.h"
#include "core/store/workspace.h"
#include "tests/run/controller_test_support.h"
#include "tests/support/scripted_slurm.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

MetricsRow rowOf(std::int64_t batch) {
  MetricsRow row;
  row.at.batch = row.at.step = batch;
  row.loss = 5.0;
  return row;
}

class SlurmControllerTest : public testing::Test {
 protected:
  LaunchRequest request() const {
    LaunchRequest request;
    request.workspace = folder_ / "workspace";
    request.config = parseConfig(bundledConfig("demo"), "demo", {});
    EXPECT_TRUE(request.config.ok()) << request.config.errorText();
    return request;
  }
  // The id that the newest submission gave its run.
  std::string submittedRun() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "workspace/runs"))
      if (entry.path().extension() == ".sbatch") return entry.path().stem().string();
    return {};
  }
  std::unique_ptr<JournalWriter> beginJournal(const std::string& run) const {
    NewRun begun;
    begun.name = "far away";
    begun.configYaml = "version: 1\n";
    auto journal = JournalWriter::create(folder_ / "workspace", run, begun, {});
    EXPECT_TRUE(journal.ok()) << journal.error().text();
    RunStarted started;
    started.run = run;
    started.name = "far away";
    (*journal)->publish(started);
    return std::move(*journal);
  }
  template <typename Condition>
  static bool comes(const Condition& condition) {
    for (int looks = 0; looks < 1000 && !condition(); ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return condition();
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> texts;
    for (const RunNote& note : recorder_.of<RunNote>()) texts.push_back(note.text);
    return texts;
  }

  ScriptedSlurm slurm_;
  TempFolder folder_;
  EventRecorder recorder_;
};

TEST_F(SlurmControllerTest, SubmitsFollowsAndStops) {
  slurm_.setQueue("41|PENDING|Resources\n");
  SlurmOptions options;
  options.nodes = 2;
  const auto controller = makeSlurmRunController(recorder_, options);
  ASSERT_TRUE(controller->start(request()).ok());
  ASSERT_TRUE(comes([&] { return !recorder_.of<PhaseProgress>().empty(); }));
  EXPECT_EQ(recorder_.of<PhaseProgress>().back().phase, "in the queue: PENDING (Resources)");
  const std::string run = submittedRun();
  EXPECT_THAT(slurm_.calls("sbatch"), HasSubstr(run + ".sbatch"));

  auto journal = beginJournal(run);
  journal->publish(rowOf(1));
  std::ofstream(folder_ / ("workspace/runs/" + run + ".log"))
      << "batchwise: job 41\n{\"event\":\"metrics\"}\nsrun: a node is slow\nhalf a li" << std::flush;
  slurm_.setQueue("41|RUNNING|None\n");
  ASSERT_TRUE(
      comes([&] { return recorder_.of<MetricsRow>().size() == 1 && notes().back() == "job: srun: a node is slow"; }));
  EXPECT_EQ(recorder_.of<RunStarted>().back().run, run);
  EXPECT_THAT(notes(), Contains("job: srun: a node is slow"));
  EXPECT_THAT(notes(), Contains("job: batchwise: job 41"));
  const auto store = Workspace::open(folder_ / "workspace");
  ASSERT_TRUE(comes([&] { return (*store)->series(run, "loss").ok() && (*store)->series(run, "loss")->size() == 1; }));

  controller->command(RunCommand::Pause);
  ASSERT_TRUE(comes([&] { return notes().back().find("not paused") != std::string::npos; }));
  controller->command(RunCommand::StopWithCheckpoint);
  ASSERT_TRUE(comes([&] { return !slurm_.calls("scancel").empty(); }));
  EXPECT_EQ(slurm_.calls("scancel"), "--signal TERM --name batchwise-" + run + "\n");
  EXPECT_TRUE(fs::exists(slurmStopMark(folder_ / "workspace", run)));
  RunFinished stopped;
  stopped.status = RunStatus::Stopped;
  journal->publish(stopped);
  ASSERT_TRUE(journal->flush().ok());
  slurm_.setQueue("");
  const auto end = controller->wait();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->status, RunStatus::Stopped);
  for (const std::string& note : notes()) EXPECT_THAT(note, testing::Not(HasSubstr("half a li")));
}

TEST_F(SlurmControllerTest, WhatDoesNotFitIsToldAndNothingIsSubmitted) {
  SlurmOptions options;
  options.nodes = 9;
  const auto controller = makeSlurmRunController(recorder_, options);
  ASSERT_TRUE(controller->start(request()).ok());
  const auto end = controller->wait();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::Config);
  ASSERT_EQ(recorder_.of<RunFinished>().size(), 1U);
  EXPECT_EQ(recorder_.of<RunFinished>().front().status, RunStatus::Failed);
  EXPECT_THAT(recorder_.of<RunFinished>().front().reason, HasSubstr("partition main has 4 nodes"));
  EXPECT_EQ(slurm_.calls("sbatch"), "");
  EXPECT_FALSE(controller->running());
}

TEST_F(SlurmControllerTest, ARunInTheQueueIsFollowedFromNowOn) {
  const std::string run = newRecordId();
  ASSERT_TRUE(fs::create_directories(folder_ / "workspace/runs"));
  std::ofstream(folder_ / ("workspace/runs/" + run + ".sbatch")) << "#!/bin/bash\n";
  std::ofstream(folder_ / "workspace/runs/many.sbatch") << "#!/bin/bash\n#SBATCH --array=0-3\n";
  slurm_.setNames("batchwise-" + run + "\nbatchwise-" + run + "\nbatchwise-many\nbatchwise-elsewhere\nother\n");
  slurm_.setQueue("41|RUNNING|None\n");
  const auto queued = runsInSlurmQueue(folder_ / "workspace", SlurmClient());
  ASSERT_TRUE(queued.ok()) << queued.error().text();
  EXPECT_THAT(*queued, testing::ElementsAre(run));

  auto journal = beginJournal(run);
  for (std::int64_t batch = 1; batch <= 20; ++batch) journal->publish(rowOf(batch));
  ASSERT_TRUE(journal->flush().ok());
  LaunchRequest follow;
  follow.workspace = folder_ / "workspace";
  follow.resumeRun = run;
  const auto watcher = makeSlurmWatcher(recorder_);
  ASSERT_TRUE(watcher->start(follow).ok());
  ASSERT_TRUE(comes([&] { return recorder_.of<RunStarted>().size() == 1; }));
  journal->publish(rowOf(21));
  ASSERT_TRUE(journal->flush().ok());
  ASSERT_TRUE(comes([&] { return !recorder_.of<MetricsRow>().empty(); }));
  EXPECT_EQ(recorder_.of<MetricsRow>().front().at.batch, 21) << "what was there is in the database";

  // It is not put into the queue once more.
  EventRecorder other;
  const auto again = makeSlurmRunController(other, {});
  ASSERT_TRUE(again->start(follow).ok());
  const auto refused = again->wait();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("in the queue already, as job 41"));
  EXPECT_EQ(slurm_.calls("sbatch"), "");

  watcher->command(RunCommand::Abort);
  ASSERT_TRUE(comes([&] { return slurm_.calls("scancel") == "--name batchwise-" + run + "\n"; }));
  slurm_.setQueue("");
  const auto end = watcher->wait();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->status, RunStatus::Interrupted);
  EXPECT_THAT(end->reason, HasSubstr("ended before the run did"));
}

TEST_F(SlurmControllerTest, ARunThatWasSubmittedBeforeIsSubmittedAgainWithItsChanges) {
  const std::string run = newRecordId();
  ASSERT_TRUE(fs::create_directories(folder_ / "workspace/runs"));
  {
    auto journal = beginJournal(run);
    RunFinished stopped;
    stopped.status = RunStatus::Stopped;
    journal->publish(stopped);
  }
  LaunchRequest again = request();
  again.resumeRun = run;
  again.resumeCheckpoint = "one of them";
  const auto named = submitToSlurm({again}, {}, SlurmClient());
  ASSERT_FALSE(named.ok());
  EXPECT_THAT(named.error().text(), HasSubstr("newest checkpoint"));
  again.resumeCheckpoint.clear();
  const auto controller = makeSlurmRunController(recorder_, {});
  slurm_.setQueue("");
  ASSERT_TRUE(controller->start(again).ok());
  const auto end = controller->wait();  // its job is gone at once
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Interrupted) << "not the end of the segment before";
  EXPECT_TRUE(fs::exists(folder_ / ("workspace/runs/" + run + ".request.json")));
  EXPECT_TRUE(recorder_.of<RunStarted>().empty());
}

}  // namespace
}  // namespace batchwise::test
