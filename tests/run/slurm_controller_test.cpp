// SPDX-License-Identifier: GPL-3.0-or-later
// Submitting and following a run, with a cluster that does what the test says. What a real one does: slurm_run_test.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/run/controllers/child_process.h"
#include "core/run/run_controller.h"
#include "core/run/slurm/slurm_array.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/run/trainer.h"
#include "core/store/journal/journal.h"
#include "core/store/recording/run_writer.h"
#include "core/store/run_queue.h"
#include "core/store/workspace.h"
#include "tests/run/controller_test_support.h"
#include "tests/support/checked.h"
#include "tests/support/manual_clock.h"
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
    auto journal = checked(JournalWriter::create(folder_ / "workspace", run, begun, {}));
    RunStarted started;
    started.run = run;
    started.name = "far away";
    (*journal)->publish(started);
    return std::move(*journal);
  }
  // What the jobs of a run read.
  LaunchRequest requestOf(const std::string& run) const {
    const auto text = checked(readFile(folder_ / ("workspace/runs/" + run + ".request.json"), 1 << 20));
    return *checked(requestFromText(*text));
  }
  void endJournal(const std::string& run) const {
    beginJournal(run)->publish(RunFinished{RunStatus::Stopped, {}, {}, {}});
  }
  // The id of a run whose files have a folder already.
  std::string newRun() const {
    EXPECT_TRUE(fs::create_directories(folder_ / "workspace/runs"));
    return newRecordId();
  }
  LaunchRequest follow(const std::string& run) const {
    LaunchRequest request;
    request.workspace = folder_ / "workspace";
    request.resumeRun = run;
    return request;
  }
  // A run of its own whose job waits in the queue.
  std::unique_ptr<RunController> waiting(EventRecorder& recorder, const SlurmOptions& options = {}) {
    slurm_.setQueue("41|PENDING|Resources\n");
    auto controller = makeSlurmRunController(recorder, options);
    EXPECT_TRUE(controller->start(request()).ok());
    EXPECT_TRUE(comes([&] { return !recorder.of<PhaseProgress>().empty(); }));
    return controller;
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
  SlurmOptions options;
  options.nodes = 2;
  const auto controller = waiting(recorder_, options);
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
  EXPECT_TRUE(fs::exists(slurmStopFile(folder_ / "workspace", run)));
  journal->publish(RunFinished{RunStatus::Stopped, {}, {}, {}});
  ASSERT_TRUE(journal->flush().ok());
  slurm_.setQueue("");
  EXPECT_EQ(checked(controller->wait())->status, RunStatus::Stopped);
  for (const std::string& note : notes()) EXPECT_THAT(note, testing::Not(HasSubstr("half a li")));
}

TEST_F(SlurmControllerTest, WhatDoesNotFitIsToldAndNothingIsSubmitted) {
  SlurmOptions options;
  options.nodes = 9;
  const auto controller = makeSlurmRunController(recorder_, options);
  ASSERT_TRUE(controller->start(request()).ok());
  EXPECT_EQ(refused(controller->wait()).code, ErrorCode::Config);
  ASSERT_EQ(recorder_.of<RunFinished>().size(), 1U);
  EXPECT_EQ(recorder_.of<RunFinished>().front().status, RunStatus::Failed);
  EXPECT_THAT(recorder_.of<RunFinished>().front().reason, HasSubstr("partition main has 4 nodes"));
  EXPECT_EQ(slurm_.calls("sbatch"), "");
}

TEST_F(SlurmControllerTest, ARunInTheQueueIsFollowedFromNowOn) {
  const std::string run = newRun();
  std::ofstream(folder_ / ("workspace/runs/" + run + ".sbatch")) << "#!/bin/bash\nruns=(" << run << ")\n";
  std::ofstream(folder_ / "workspace/runs/many.sbatch") << "#!/bin/bash\nruns=(many more)\n";
  slurm_.setNames("41|batchwise-" + run + "\n42_1|batchwise-many\n43|batchwise-elsewhere\n44|other\n");
  slurm_.setQueue("41|RUNNING|None\n");
  EXPECT_THAT(*checked(jobsOfRuns(folder_ / "workspace", SlurmClient())),
              testing::UnorderedElementsAre(std::pair(run, "41"), std::pair("more", "42_1")));

  auto journal = beginJournal(run);
  for (std::int64_t batch = 1; batch <= 20; ++batch) journal->publish(rowOf(batch));
  for (const bool paused : {true, false, true}) journal->publish(RunNote{NoteLevel::Info, "a pause", {}, paused});
  ASSERT_TRUE(journal->flush().ok());
  const auto watcher = makeSlurmWatcher(recorder_);
  ASSERT_TRUE(watcher->start(follow(run)).ok());
  ASSERT_TRUE(comes([&] { return recorder_.of<RunStarted>().size() == 1 && !recorder_.of<RunNote>().empty(); }));
  ASSERT_EQ(recorder_.of<RunNote>().size(), 1U);
  EXPECT_EQ(recorder_.of<RunNote>().front().paused, true);
  journal->publish(rowOf(21));
  ASSERT_TRUE(journal->flush().ok());
  ASSERT_TRUE(comes([&] { return !recorder_.of<MetricsRow>().empty(); }));
  EXPECT_EQ(recorder_.of<MetricsRow>().front().at.batch, 21) << "what was there is in the database";

  // It is not put into the queue once more.
  EventRecorder other;
  const auto again = makeSlurmRunController(other, {});
  ASSERT_TRUE(again->start(follow(run)).ok());
  EXPECT_THAT(refused(again->wait()).text(), HasSubstr("is already in the queue, as job 41"));
  EXPECT_EQ(slurm_.calls("sbatch"), "");

  watcher->command(RunCommand::Abort);
  ASSERT_TRUE(comes([&] { return slurm_.calls("scancel") == "--name batchwise-" + run + "\n"; }));
  slurm_.setQueue("");
  const auto end = checked(watcher->wait());
  EXPECT_EQ(end->status, RunStatus::Interrupted);
  EXPECT_THAT(end->reason, HasSubstr("ended before the run did"));
}

TEST_F(SlurmControllerTest, ATaskOfAnArrayThatWaitsIsNotSubmittedOnceMore) {
  const std::string run = newRun();
  endJournal(run);
  std::ofstream(folder_ / "workspace/runs/many.sbatch") << "#!/bin/bash\nruns=(many " << run << ")\n";
  slurm_.setNames("42_1|batchwise-many\n");
  LaunchRequest again = request();
  again.resumeRun = run;
  EXPECT_THAT(refused(submitToSlurm({again}, {}, SlurmClient())).text(), HasSubstr("in the queue, as job 42_1"));
  slurm_.setNames("42_0|batchwise-many\n");
  EXPECT_TRUE(submitToSlurm({again}, {}, SlurmClient()).ok()) << "its task has ended";
  slurm_.setNames("43_1|batchwise-" + run + "\n");
  slurm_.setQueue("43_1|PENDING|Resources\n");
  EXPECT_THAT(refused(submitToSlurm({again}, {}, SlurmClient())).text(),
              HasSubstr("was submitted with others, of which job 43_1 is in the queue"));
}

TEST_F(SlurmControllerTest, ARunIsOnTheClusterWhileAJobOfItIsThere) {
  const std::string run = newRun();
  const fs::path workspace = folder_ / "workspace", request = workspace / ("runs/" + run + ".request.json");
  const auto isThere = [&](RunStatus status) { return anyOnSlurm(workspace, {{run, status}}, SlurmClient()); };
  std::ofstream(workspace / "runs/many.sbatch") << "#!/bin/bash\nruns=(many " << run << ")\n";
  slurm_.setNames("42_1|batchwise-many\n");
  EXPECT_FALSE(*checked(isThere(RunStatus::Interrupted))) << "it was never submitted from here";
  std::ofstream(request) << "{}";
  for (const RunStatus status : {RunStatus::Created, RunStatus::Running, RunStatus::Stopped, RunStatus::Interrupted})
    EXPECT_TRUE(*checked(isThere(status))) << choiceName(status);
  slurm_.setNames("42_0|batchwise-many\n");
  EXPECT_FALSE(*checked(isThere(RunStatus::Interrupted))) << "its task has ended";
  EXPECT_TRUE(*checked(isThere(RunStatus::Created))) << "nobody else has begun it";
  slurm_.fail("squeue", "squeue: error: Unable to contact slurm controller");
  EXPECT_THAT(refused(isThere(RunStatus::Interrupted)).text(),
              testing::AllOf(HasSubstr("Unable to contact"), HasSubstr(request.native())));
}

TEST_F(SlurmControllerTest, ARunThatWasSubmittedBeforeIsSubmittedAgainWithItsChanges) {
  const std::string run = newRun();
  endJournal(run);
  LaunchRequest again = request();
  again.resumeRun = run;
  again.resumeCheckpoint = "one of them";
  EXPECT_THAT(refused(submitToSlurm({again}, {}, SlurmClient())).text(), HasSubstr("newest checkpoint"));
  again.resumeCheckpoint.clear();
  const auto controller = makeSlurmRunController(recorder_, {});
  slurm_.setQueue("");
  std::ofstream(folder_ / ("workspace/runs/" + run + ".log")) << "words of the job before\n";
  slurm_.setAccounting("FAILED|127:0|node7\n");
  ASSERT_TRUE(controller->start(again).ok());
  const auto end = controller->wait();  // its job is gone at once
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Interrupted) << "not the end of the segment before";
  EXPECT_THAT(end->reason, HasSubstr("it left no output"));
  EXPECT_TRUE(fs::exists(folder_ / ("workspace/runs/" + run + ".request.json")));
  EXPECT_TRUE(recorder_.of<RunStarted>().empty());
}

TEST_F(SlurmControllerTest, ARunThatIsStoppedWhileItWaitsIsStoppedAndDidNotFail) {
  const auto controller = waiting(recorder_);
  controller->command(RunCommand::StopWithCheckpoint);
  ASSERT_TRUE(
      comes([&] { return slurm_.calls("scancel") == "--state PENDING --name batchwise-" + submittedRun() + "\n"; }));
  slurm_.setQueue("");
  const auto end = checked(controller->wait());
  EXPECT_EQ(end->status, RunStatus::Stopped);
  EXPECT_THAT(end->reason, HasSubstr("before the run started"));
}

TEST_F(SlurmControllerTest, AStopThatTheClusterDidNotHearIsAskedForAgainAndPolitely) {
  slurm_.setQueue("41|RUNNING|None\n");
  const auto controller = makeSlurmRunController(recorder_, {});
  ASSERT_TRUE(controller->start(request()).ok());
  ASSERT_TRUE(comes([&] { return !slurm_.calls("sbatch").empty(); }));
  const std::string run = submittedRun();
  auto journal = beginJournal(run);
  ASSERT_TRUE(journal->flush().ok());
  std::ofstream(folder_ / ("workspace/runs/" + run + ".log")) << "{\"event\":\"run_started\"}\n" << std::flush;
  ASSERT_TRUE(comes([&] { return !recorder_.of<RunStarted>().empty(); }));
  slurm_.fail("squeue", "squeue: error: Unable to contact slurm controller");
  controller->command(RunCommand::StopWithCheckpoint);
  ASSERT_TRUE(comes([&] { return notes().back().find("retried") != std::string::npos; }));
  EXPECT_THAT(notes().back(), HasSubstr("Unable to contact"));
  EXPECT_EQ(slurm_.calls("scancel"), "") << "nobody is ended by force";
  EXPECT_TRUE(fs::exists(slurmStopFile(folder_ / "workspace", run)));
  slurm_.answerAgain();
  ASSERT_TRUE(comes([&] { return !slurm_.calls("scancel").empty(); }));
  EXPECT_EQ(slurm_.calls("scancel"), "--signal TERM --name batchwise-" + run + "\n");
  controller->command(RunCommand::Abort);
  ASSERT_TRUE(comes([&] { return slurm_.calls("scancel").find("\n--name batchwise-") != std::string::npos; }));
}

TEST_F(SlurmControllerTest, TheControllerOfTheClusterIsAskedSeldom) {
  const std::string run = newRun();
  endJournal(run);
  slurm_.setQueue("42|PENDING|Dependency\n");
  ManualClock clock;
  const auto watcher = makeSlurmWatcher(recorder_, clock);
  ASSERT_TRUE(watcher->start(follow(run)).ok());
  ASSERT_TRUE(comes([&] { return !recorder_.of<RunStarted>().empty(); }));
  std::ofstream log(folder_ / ("workspace/runs/" + run + ".log"));
  const auto askedAfterSec = [&](std::int64_t sec) {
    clock.advanceMs(sec * 1000);
    for (int look = 0; look < 2; ++look) {  // the second one is wholly after the advance
      const std::size_t before = notes().size();
      log << "a line\n" << std::flush;
      EXPECT_TRUE(comes([&] { return notes().size() > before; }));
    }
    const std::string calls = slurm_.calls("squeue");
    return std::ranges::count(calls, '\n');
  };
  EXPECT_EQ(askedAfterSec(0), 1);
  EXPECT_EQ(askedAfterSec(1), 2) << "at first each second";
  EXPECT_EQ(askedAfterSec(19), 2) << "though its segment has ended";
  slurm_.setQueue("42|RUNNING|None\n");
  EXPECT_EQ(askedAfterSec(1), 3);
  EXPECT_EQ(askedAfterSec(1), 4) << "it has changed";
  watcher->command(RunCommand::StopWithCheckpoint);
  EXPECT_EQ(askedAfterSec(0), 5);
  EXPECT_EQ(askedAfterSec(19), 5) << "though a stop is wanted";
  EXPECT_EQ(askedAfterSec(1), 6);
}

TEST_F(SlurmControllerTest, APoliteStopCancelsHeldJobsAndSignalsAllOthers) {
  const std::string run = newRun();
  const auto journal = beginJournal(run);
  ASSERT_TRUE(journal->flush().ok());
  slurm_.setQueue("41|RESIZING|None\n");
  const auto watcher = makeSlurmWatcher(recorder_);
  ASSERT_TRUE(watcher->start(follow(run)).ok());
  watcher->command(RunCommand::StopWithCheckpoint);
  ASSERT_TRUE(comes([&] { return !slurm_.calls("scancel").empty(); }));
  EXPECT_EQ(slurm_.calls("scancel"), "--signal TERM --name batchwise-" + run + "\n");
  slurm_.setQueue("41|REQUEUE_HOLD|None\n");
  ASSERT_TRUE(comes([&] { return slurm_.calls("scancel").find("\n--name batchwise-") != std::string::npos; }));
  slurm_.setQueue("");
  EXPECT_EQ(checked(watcher->wait())->status, RunStatus::Stopped);
}

TEST_F(SlurmControllerTest, AJobThatDoesNotRunLeavesTheReasonOfTheOneBefore) {
  const std::string run = newRun();
  beginJournal(run)->publish(RunFinished{RunStatus::Interrupted, "its node failed", {}, {}});
  const auto store = Workspace::open(folder_ / "workspace");
  ASSERT_TRUE(store.ok() && syncJournals(**store).ok());
  LaunchRequest again = request();
  again.resumeRun = run;
  for (const bool byUser : {false, true}) {
    EventRecorder recorder;
    const auto controller = makeSlurmRunController(recorder, {});
    const std::string before = slurm_.calls("sbatch");
    ASSERT_TRUE(controller->start(again).ok());
    ASSERT_TRUE(comes([&] { return slurm_.calls("sbatch") != before; }));
    slurm_.setQueue("41|PENDING|Resources\n");
    ASSERT_TRUE(comes([&] { return !recorder.of<PhaseProgress>().empty(); }));
    if (byUser) {
      controller->command(RunCommand::StopWithCheckpoint);
      ASSERT_TRUE(comes([&] { return !slurm_.calls("scancel").empty(); }));
    }
    slurm_.setQueue("");
    const auto end = checked(controller->wait());
    EXPECT_EQ(end->status, byUser ? RunStatus::Stopped : RunStatus::Interrupted);
    EXPECT_THAT(end->reason, HasSubstr(byUser ? "stopped before the run continued" : "may have been canceled"));
    EXPECT_EQ((*store)->findRun(run)->summary.reason, "its node failed");
  }
}

TEST_F(SlurmControllerTest, AJournalThatCannotBeReadIsToldOnce) {
  const std::string run = newRecordId();
  ASSERT_TRUE(fs::create_directories(folder_ / ("workspace/runs/" + run + ".jsonl")));
  slurm_.setQueue("41|RUNNING|None\n");
  std::atomic<int> looks = 0;
  LaunchRequest counted = follow(run);
  counted.eventsBlockedReason = [&looks] { return ++looks, ""; };
  const auto watcher = makeSlurmWatcher(recorder_);
  ASSERT_TRUE(watcher->start(counted).ok());
  ASSERT_TRUE(comes([&] { return looks > 2; }));
  EXPECT_THAT(notes(), testing::ElementsAre(HasSubstr("cannot be read further")));
}

TEST_F(SlurmControllerTest, AJobThatIsGoneBeforeItsRunBeganIsToldWithWhatTheClusterKnows) {
  struct Case {
    const char* name;
    const char* log;         // none: empty
    const char* ended;       // as the controller tells it
    const char* accounting;  // none: it is disabled
    RunStatus status;
    std::vector<const char*> reason;
  };
  const Case cases[] = {
      {"canceled while it waits", "", "", "", RunStatus::Interrupted, {"canceled"}},
      {"died without a word",  // between two looks
       "",
       "JobId=41 JobName=batchwise-x JobState=FAILED Reason=JobLaunchFailure Restarts=0 ExitCode=0:53 "
       "ReqNodeList=(null) NodeList=node7 BatchHost=node7\n",
       "",
       RunStatus::Failed,
       {"its Slurm job 41 ended before the run started: FAILED (JobLaunchFailure), signal 53; it left no output"}},
      {"died with a word",
       "batchwise: job 41\n{}\nlibmpi.so: not found\n",
       "",
       "FAILED|127:0|node7\n",
       RunStatus::Failed,
       {"FAILED, exit code 127", "'batchwise: job 41' / 'libmpi.so: not found'"}}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EventRecorder recorder;
    const auto controller = waiting(recorder);
    if (*one.log != '\0') std::ofstream(folder_ / ("workspace/runs/" + submittedRun() + ".log")) << one.log;
    slurm_.setEnded(one.ended);
    if (*one.accounting != '\0') slurm_.setAccounting(one.accounting);
    slurm_.setQueue("");
    const auto end = checked(controller->wait());
    EXPECT_EQ(end->status, one.status);
    for (const char* words : one.reason) EXPECT_THAT(end->reason, HasSubstr(words));
    fs::remove_all(folder_ / "workspace/runs");  // so that the next submission is the only one
  }
}

TEST_F(SlurmControllerTest, TheLimitOfAJobIsThatOfItsOwnSubmission) {
  SlurmOptions options;
  options.limitMinutes = 30;
  LaunchRequest first = request();
  first.runId = newRecordId();
  const auto submitted = checked(submitToSlurm({first}, options, SlurmClient()));
  EXPECT_THAT(submitted->runs, testing::ElementsAre(first.runId)) << "who submits it knows its id";
  EXPECT_EQ(requestOf(first.runId).timeLimitSec, 1780.0);
  EXPECT_FALSE(requestOf(first.runId).config.config.launch.timeLimit.has_value());

  endJournal(first.runId);
  const LaunchRequest again = follow(first.runId);  // as it was
  options.limitMinutes = 45;
  ASSERT_TRUE(submitToSlurm({again}, options, SlurmClient()).ok());
  EXPECT_EQ(requestOf(first.runId).timeLimitSec, 2680.0);
  EXPECT_EQ(requestOf(first.runId).config.config.name, first.config.config.name);
  LaunchRequest changed = again;
  changed.config = requestOf(first.runId).config;
  options.limitMinutes = 0;
  ASSERT_TRUE(submitToSlurm({changed}, options, SlurmClient()).ok());
  EXPECT_EQ(requestOf(first.runId).timeLimitSec, std::nullopt);
}

TEST_F(SlurmControllerTest, TheNewestCheckpointMayBeNamedAndAnotherMayNot) {
  const std::string run = newRecordId();
  for (const char* folder : {"workspace/runs", "workspace/checkpoints"})
    ASSERT_TRUE(fs::create_directories(folder_ / folder));
  CheckpointRecord older, newer;
  {
    auto journal = beginJournal(run);
    for (CheckpointRecord* record : {&older, &newer}) {
      record->id = newRecordId();
      record->file = "checkpoints/" + record->id + ".ckpt";
      std::ofstream(folder_ / ("workspace/" + record->file)) << "weights";
      record->at.batch = record->at.step = record == &older ? 3 : 6;
      ASSERT_TRUE(journal->addCheckpoint(*record).ok());
    }
  }
  LaunchRequest again = request();
  again.resumeRun = run;
  again.resumeCheckpoint = older.id;
  EXPECT_FALSE(submitToSlurm({again}, {}, SlurmClient()).ok());
  again.resumeCheckpoint = newer.id;  // as the window names it
  const auto submitted = checked(submitToSlurm({again}, {}, SlurmClient()));
  EXPECT_EQ(requestOf(run).resumeCheckpoint, "") << "the next job goes on from a later one";
}

TEST_F(SlurmControllerTest, AStretchedRunIsStretchedByItsFirstJobAlone) {
  const std::string run = newRun();
  endJournal(run);
  LaunchRequest longer = request();
  longer.resumeRun = run;
  longer.stretch = true;
  ASSERT_TRUE(submitToSlurm({longer}, {}, SlurmClient()).ok());
  EXPECT_TRUE(requestOf(run).stretch);
  EXPECT_EQ(requestOf(run).firstSegment, 1) << "a checkpoint of segment 0 is from before";
}

TEST_F(SlurmControllerTest, ARunThatGoesOnAsItWasMayBeStretchedToo) {
  LaunchRequest first = request();
  first.runId = newRecordId();
  ASSERT_TRUE(submitToSlurm({first}, {}, SlurmClient()).ok());
  endJournal(first.runId);
  LaunchRequest again = follow(first.runId);
  again.stretch = true;
  const auto submitted = checked(submitToSlurm({again}, {}, SlurmClient()));
  EXPECT_TRUE(requestOf(first.runId).stretch);
  EXPECT_EQ(requestOf(first.runId).firstSegment, 1);
  EXPECT_EQ(requestOf(first.runId).resumeRun, first.runId);
  EXPECT_EQ(requestOf(first.runId).config.config.name, first.config.config.name);
}

TEST_F(SlurmControllerTest, AClusterThatRefusesEveryAnswerIsTold) {
  const auto controller = waiting(recorder_);
  slurm_.fail("squeue", "squeue: error: Unable to contact slurm controller");
  ASSERT_TRUE(comes([&] { return !notes().empty() && notes().back().find("what became") != std::string::npos; }));
  EXPECT_THAT(notes().back(), HasSubstr("Unable to contact"));
}

TEST_F(SlurmControllerTest, AClusterThatDoesNotAnswerHoldsNobodyUp) {
  slurm_.hang("squeue");
  std::stop_source stop;
  std::jthread asking([&] {
    const auto jobs = SlurmClient(stop.get_token()).jobs("any");
    ASSERT_FALSE(jobs.ok());
    EXPECT_EQ(jobs.error().code, ErrorCode::Stopped) << "it was not waited for half a minute: " << jobs.error().text();
  });
  ASSERT_TRUE(comes([&] { return !slurm_.calls("squeue").empty(); }));
  stop.request_stop();
  asking.join();

  auto controller = makeSlurmRunController(recorder_, {});
  ASSERT_TRUE(controller->start(request()).ok());
  ASSERT_TRUE(comes([&] { return slurm_.calls("squeue").find("--name batchwise-") != std::string::npos; }));
  controller.reset();
  EXPECT_FALSE(slurm_.hasAnswered("squeue")) << "whoever closes it waits for the cluster";
}

TEST_F(SlurmControllerTest, WhatNobodyCanTakeStaysInTheJournalUntilThen) {
  slurm_.setQueue("41|RUNNING|None\n");
  const auto controller = makeSlurmRunController(recorder_, {});
  LaunchRequest slow = request();
  slow.runId = newRecordId();
  std::atomic<bool> held = true;
  std::atomic<int> asked = 0;
  slow.eventsBlockedReason = [&] {
    ++asked;
    return held ? "nobody reads" : "";
  };
  ASSERT_TRUE(controller->start(slow).ok());
  ASSERT_TRUE(comes([&] { return !slurm_.calls("sbatch").empty(); }));
  endJournal(slow.runId);
  slurm_.setQueue("");
  const int before = asked;
  ASSERT_TRUE(comes([&] { return asked > before + 3; }));
  EXPECT_TRUE(recorder_.of<RunStarted>().empty());
  EXPECT_TRUE(recorder_.of<RunFinished>().empty()) << "what the job said last is not known yet";
  held = false;
  EXPECT_EQ(checked(controller->wait())->status, RunStatus::Stopped);
  EXPECT_EQ(recorder_.of<RunStarted>().size(), 1u);
}

TEST_F(SlurmControllerTest, OutputThatComesFasterThanItIsShownIsLeftOutAndCounted) {
  slurm_.setQueue("41|RUNNING|None\n");
  const auto controller = makeSlurmRunController(recorder_, {});
  LaunchRequest known = request();
  known.runId = newRecordId();
  ASSERT_TRUE(controller->start(known).ok());
  ASSERT_TRUE(comes([&] { return !slurm_.calls("sbatch").empty(); }));
  std::string much;
  for (int line = 1; line <= 5000; ++line) much += "{\"event\":\"metrics\"}\nline " + std::to_string(line) + "\n";
  const fs::path log = folder_ / ("workspace/runs/" + known.runId + ".log");
  std::ofstream(log.string() + ".new") << much;
  fs::rename(log.string() + ".new", log);
  ASSERT_TRUE(comes([&] { return !notes().empty() && notes().back() == "job: line 5000"; }))
      << testing::PrintToString(notes());
  EXPECT_THAT(notes(), Contains(HasSubstr("job: 4950 lines of its output are left out here")));
  EXPECT_THAT(notes(), Contains("job: line 4951"));
  EXPECT_THAT(notes(), testing::Not(Contains("job: line 4950")));
}

TEST(LogTailTest, ReadsEachLineOnceWithoutHalfOnes) {
  TempFolder folder;
  LogTail tail(3, 5);
  tail.follow(folder / "log");
  EXPECT_EQ(tail.poll().bytes, 0) << "there is no file yet";
  std::ofstream log(folder / "log");
  log << "one\n\n{}\nhalf" << std::flush;
  EXPECT_THAT(tail.poll().lines, testing::ElementsAre("one"));
  log << " and more\n" << std::flush;
  EXPECT_THAT(tail.poll().lines, testing::ElementsAre("half ")) << "cut";
  EXPECT_THAT(tail.poll().lines, testing::IsEmpty());
  log << "1\n2\n3\n4\n" << std::flush;
  const LogTail::NewLines newLines = tail.poll();
  EXPECT_THAT(newLines.lines, testing::ElementsAre("2", "3", "4"));
  EXPECT_EQ(newLines.dropped, 1);
  log << "unseen\n" << std::flush;
  tail.skip();
  log << "seen\n" << std::flush;
  EXPECT_THAT(tail.poll().lines, testing::ElementsAre("seen"));
}

TEST(LogTailTest, TheLastLinesAreWholeOnes) {
  TempFolder folder;
  EXPECT_TRUE(lastLines(folder / "none", 3, 10).empty());
  std::ofstream(folder / "log") << "one\n{}\ntwo\nthree\n";
  EXPECT_THAT(lastLines(folder / "log", 2, 10), testing::ElementsAre("two", "three"));
  EXPECT_THAT(lastLines(folder / "log", 2, 10, 11), testing::ElementsAre("three"));
  EXPECT_TRUE(lastLines(folder / "log", 2, 10, 17).empty());
  std::ofstream(folder / "long") << std::string(200'000, 'x') << "\nend\n";
  EXPECT_THAT(lastLines(folder / "long", 2, 10), testing::ElementsAre("end"));
  EXPECT_THAT(lastLines(folder / "long", 2, 10, 7), testing::ElementsAre("end"));
}

class SlurmArrayTest : public SlurmControllerTest {
 protected:
  SlurmArrayTest() {
    array_.workspace = workspace_;
    array_.say = [this](const std::string& text) { said_.push_back(text); };
  }
  LoadedConfig named(const std::string& name) const {
    return parseConfig(bundledConfig("demo"), "demo", {}, {"name=" + name});
  }
  RunStatus statusOf(const std::string& run) const { return workspace_->findRun(run)->summary.status; }
  void train(const std::string& run) const {  // as its task does
    auto journal = beginJournal(run);
    journal->publish(rowOf(1));
    journal->publish(RunFinished{RunStatus::Finished, "reached its planned length", {}, {}});
  }

  std::shared_ptr<Workspace> workspace_ = *checked(Workspace::open(folder_ / "workspace"));
  RunQueue queue_{workspace_};
  std::vector<std::string> said_;
  SlurmArray array_;
};

TEST_F(SlurmArrayTest, RunsOfTheQueueAreSubmittedOnceAndWaitedForByTheNextCall) {
  const auto runs = *checked(queue_.add({named("one"), named("two"), named("three")}));
  const auto lost = array_.train(runs);
  ASSERT_FALSE(lost.ok()) << "no job came";
  EXPECT_THAT(lost.error().text(),
              HasSubstr("the job of run one has ended before it got any further (it has not begun)"));
  EXPECT_TRUE(queue_.read()->entries.empty()) << "nobody else trains them";
  EXPECT_EQ(statusOf(runs[0]), RunStatus::Created);
  const auto script = readFile(folder_ / ("workspace/runs/" + runs[0] + ".sbatch"), 1 << 20);
  EXPECT_THAT(*script, HasSubstr("#SBATCH --array=0-2\n"));
  EXPECT_THAT(*script, HasSubstr("runs=(" + runs[0] + " " + runs[1] + " " + runs[2] + ")\n"));
  EXPECT_EQ(requestOf(runs[1]).runId, runs[1]);

  const std::string once = slurm_.calls("sbatch"), name = "|batchwise-" + runs[0] + "\n";
  slurm_.setNames("41_0" + name + "41_1" + name + "41_2" + name);
  std::stop_source stop;
  array_.stop = stop.get_token();
  std::jthread user([&] { std::this_thread::sleep_for(std::chrono::milliseconds(800)), stop.request_stop(); });
  EXPECT_EQ(array_.train(runs).error().code, ErrorCode::Stopped);
  array_.stop = {};
  train(runs[0]);
  train(runs[1]);
  array_.unneeded = [&]() -> Result<std::vector<std::string>> {
    slurm_.setNames(slurm_.calls("scancel").empty() ? "41_2" + name : "");
    return std::vector{runs[2]};
  };
  const auto waited = checked(array_.train(runs));
  EXPECT_EQ(slurm_.calls("sbatch"), once);
  EXPECT_EQ(slurm_.calls("scancel"), "41_2\n");
  for (const int i : {0, 1}) EXPECT_EQ(statusOf(runs[static_cast<std::size_t>(i)]), RunStatus::Finished);
  EXPECT_FALSE(workspace_->findRun(runs[2]).ok()) << "canceled before it began";
}

TEST_F(SlurmArrayTest, WhatIsLeftOnTheClusterIsWaitedForBeforeMoreIsSubmitted) {
  const auto runs = *checked(queue_.add({named("one"), named("two")}));
  EXPECT_FALSE(array_.train(runs).ok()) << "no job came";
  const std::string once = slurm_.calls("sbatch");
  slurm_.setNames("41_1|batchwise-" + runs[0] + "\n");
  array_.unneeded = [&]() -> Result<std::vector<std::string>> {
    slurm_.setNames("");
    return std::vector<std::string>();
  };
  const auto waited = checked(array_.train(runs));
  EXPECT_EQ(slurm_.calls("sbatch"), once) << "the script of the first run tells which the task is";
}

TEST_F(SlurmArrayTest, ARunThatTrainsHereIsNotSubmitted) {
  const auto runs = *checked(queue_.add({named("one")}));
  const auto turn = *checked(queue_.takeNext());
  EXPECT_EQ(array_.train(runs).error().code, ErrorCode::Busy);
  EXPECT_EQ(slurm_.calls("sbatch"), "");
}

TEST_F(SlurmArrayTest, WhatIsNotSubmittedWaitsInTheQueueAgain) {
  const auto runs = *checked(queue_.add({named("one"), named("two")}));
  slurm_.fail("sbatch", "sbatch: error: Invalid account");
  EXPECT_THAT(array_.train(runs).error().text(), HasSubstr("Invalid account"));
  EXPECT_EQ(queue_.read()->waiting(), 2);
}

TEST_F(SlurmArrayTest, WhatSbatchHasSubmittedWithoutAnAnswerIsNotGivenBack) {
  const auto runs = *checked(queue_.add({named("one")}));
  slurm_.fail("sbatch", "sbatch: error: Socket timed out on send/recv operation");
  int looks = 0;
  array_.unneeded = [&]() -> Result<std::vector<std::string>> {
    if (++looks == 2) slurm_.setNames("");
    return std::vector{runs[0]};
  };
  slurm_.fail("scancel", "scancel: error: Unable to contact slurm controller");
  slurm_.setNames("41|batchwise-" + runs[0] + "\n");  // no job of ours before its script is there
  const auto waited = array_.train(runs);
  EXPECT_TRUE(waited.ok()) << waited.error().text();
  EXPECT_EQ(slurm_.calls("sbatch").find('\n'), slurm_.calls("sbatch").size() - 1) << "it is submitted once";
  EXPECT_EQ(slurm_.calls("scancel"), "41\n41\n") << "what could not be canceled is canceled again";
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_THAT(said_[0], HasSubstr("the runs are on the cluster, though: Slurm: sbatch: error: Socket timed out"));
  EXPECT_THAT(said_[1], HasSubstr("`scancel 41` does it too: Slurm: scancel: error: Unable to contact"));
}

TEST_F(SlurmArrayTest, AForkCarriesWhatItsJobMustKnowOfTheParent) {
  NewRun begun;
  begun.name = "parent";
  begun.configYaml = begun.resolvedYaml = "version: 1\n";
  begun.resolvedValues = {{"data.samples_per_epoch", "100"}};
  begun.plannedBatches = 9;
  const std::string parent = *checked(workspace_->createRun(begun));
  CheckpointRecord record;
  {
    const auto writer = *checked(RunWriter::open(workspace_, parent, {}));
    writer->publish(rowOf(5));
    record.id = parent + "-0-5";
    record.at.batch = 5;
    record.file = "checkpoints/" + record.id + ".sqlite";
    std::ofstream(workspace_->folder() / record.file) << "weights";
    ASSERT_TRUE(writer->addCheckpoint(record).ok());
    writer->publish(RunFinished{RunStatus::Stopped, "by the user", rowOf(5).at, {}});
  }
  const auto runs = *checked(queue_.add({named("branch")}, ForkOrigin{parent, record.id}));
  EXPECT_FALSE(array_.train(runs).ok()) << "no job came";
  const LaunchRequest request = requestOf(runs[0]);
  EXPECT_TRUE(request.fork);
  EXPECT_EQ(request.resumeRun, parent);
  EXPECT_EQ(request.resumeCheckpoint, record.id);
  const auto origin = checked(readJournalRun(forkOriginFile(workspace_->folder(), parent)));
  EXPECT_EQ(origin->run.summary.name, "parent");
  EXPECT_EQ(origin->run.summary.at.batch, 5);
  EXPECT_EQ(origin->run.summary.plannedBatches, 9);
  EXPECT_EQ(origin->run.resolvedValues, begun.resolvedValues);
  ASSERT_EQ(origin->checkpoints.size(), 1U);
  EXPECT_EQ(origin->checkpoints[0].file, record.file);
  EXPECT_TRUE(origin->losses.empty());
  EXPECT_TRUE(checked(syncJournals(*workspace_))->notes.empty()) << "it is no journal";
}

}  // namespace
}  // namespace batchwise::test
