// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in the queue of a Slurm cluster that the test starts on this machine.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "core/store/journal/journal.h"
#include "core/store/workspace.h"
#include "tests/app/program.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string firstLineOf(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SlurmRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = new TempFolder;
    const std::string script = (sourceRoot() / "tests/integration/local_slurm.sh").string();
    const std::string folder = cluster_->path().string();
    started_ = shell(script + " start " + folder + " >" + folder + "/why 2>/dev/null") == 0;
    setenv("SLURM_CONF", (folder + "/slurm.conf").c_str(), 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
  static void TearDownTestSuite() {
    const std::string folder = cluster_->path().string();
    shell((sourceRoot() / "tests/integration/local_slurm.sh").string() + " stop " + folder + " >/dev/null 2>&1");
    std::this_thread::sleep_for(std::chrono::seconds(1));  // for what writes into the folder
    delete cluster_;
  }
  void SetUp() override {
    if (!started_) GTEST_SKIP() << "no Slurm here: " << firstLineOf(*cluster_ / "why");
  }

  std::filesystem::path workspacePath() const { return folder_ / "workspace"; }
  std::shared_ptr<Workspace> workspace() const {
    auto opened = Workspace::open(workspacePath());
    EXPECT_TRUE(opened.ok());
    return *opened;
  }
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--workspace", workspacePath().string()});
    return runProgram(folder_.path(), arguments);
  }
  // The bundled run, made small, on two ranks.
  std::vector<std::string> submitting(std::vector<std::string> more, int ranks = 2) const {
    std::vector<std::string> arguments = {"submit", "demo", "--ranks-per-node", std::to_string(ranks)};
    for (const char* assignment :
         {"devices={use: cpu, threads: 1}", "model={preset: tiny}", "tokenizer={train: {vocab_size: 1000}}",
          "data.max_seq_len=32", "batch.global_train_batch_size=32", "eval.interval=1000ba"})
      arguments.insert(arguments.end(), {"--set", assignment});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  RunDetail synced(const std::string& id) const {
    const auto done = syncJournals(*workspace());
    EXPECT_TRUE(done.ok());
    const auto detail = workspace()->findRun(id);
    EXPECT_TRUE(detail.ok()) << log(id);
    return detail.ok() ? *detail : RunDetail{};
  }
  std::string log(const std::string& id) const { return contentOf(workspacePath() / "runs" / (id + ".log")); }

  // Looks every quarter of a second, up to `seconds`.
  static bool waitUntil(int seconds, const std::function<bool()>& condition) {
    for (int looks = 0; looks < 4 * seconds; ++looks) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
    return condition();
  }
  bool reaches(const std::string& id, std::int64_t batch) const {
    return waitUntil(120, [&] {
      const auto done = syncJournals(*workspace());
      const auto detail = workspace()->findRun(id);
      return done.ok() && detail.ok() && detail->summary.at.batch >= batch;
    });
  }
  /// A squeue that fails, as on a busy machine, prints nothing either.
  static bool queueIsEmpty(int seconds) {
    return waitUntil(seconds, [] { return shell("jobs=$(squeue -h) && test -z \"$jobs\"") == 0; });
  }
  std::map<std::int64_t, double> lossesOf(const std::string& id) const {
    const auto points = workspace()->series(id, "loss");
    EXPECT_TRUE(points.ok());
    std::map<std::int64_t, double> losses;
    for (const SeriesPoint& point : *points) losses[point.batch] = point.value;
    return losses;
  }

  static inline TempFolder* cluster_ = nullptr;
  static inline bool started_ = false;
  TempFolder folder_;
};

TEST_F(SlurmRunTest, APreemptedRunIsQueuedAgainAndGoesOnBitForBit) {
  // A rate that does not depend on the length of the run: a shorter one has the same curve.
  const std::vector<std::string> same = {"--set", "scheduler={name: constant}", "--json"};
  std::vector<std::string> endless = {"--set", "max_duration=100000ba"};
  endless.insert(endless.end(), same.begin(), same.end());
  const ProgramResult submitted = run(submitting(endless));
  ASSERT_EQ(submitted.exitCode, 0) << submitted.err;
  const std::string id = submitted.json().at("runs").at(0);
  ASSERT_TRUE(reaches(id, 3)) << log(id);
  // A job of a partition that comes first takes both cores.
  ASSERT_EQ(shell("sbatch -p urgent -n 2 -o /dev/null --wrap 'sleep 1' >/dev/null"), 0);
  ASSERT_TRUE(waitUntil(90, [&] { return synced(id).segments.size() == 2; })) << log(id);
  const std::int64_t from = synced(id).segments.back().from.batch;
  EXPECT_GT(from, 0);
  ASSERT_TRUE(reaches(id, from + 3)) << log(id);
  EXPECT_THAT(log(id), HasSubstr("bit for bit"));
  shell("scancel --name batchwise-" + id);
  ASSERT_TRUE(queueIsEmpty(60));
  const RunDetail cancelled = synced(id);
  EXPECT_THAT(cancelled.summary.status, testing::AnyOf(RunStatus::Stopped, RunStatus::Interrupted)) << log(id);

  // Goes on here, by one process that plays both devices.
  const ProgramResult here =
      run({"resume", id, "--set", "max_duration=" + std::to_string(cancelled.summary.at.batch + 3) + "ba", "--set",
           "devices={use: 'cpu:2', threads: 1}", "--json"});
  EXPECT_EQ(here.exitCode, 0) << here.err;

  // The same without interruption.
  std::vector<std::string> whole = submitting(same);
  whole[0] = "train";
  whole.erase(whole.begin() + 2, whole.begin() + 4);
  whole.insert(whole.end(), {"--set", "max_duration=" + std::to_string(from + 3) + "ba", "--name", "whole",
                             "--workspace", workspacePath().string()});
  const ProgramResult uninterrupted =
      RunningProgram(folder_.path(), whole, {"mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"}).wait();
  ASSERT_EQ(uninterrupted.exitCode, 0) << uninterrupted.err;
  const auto expected = lossesOf(workspace()->findRun("whole")->summary.id);
  const auto losses = lossesOf(id);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(from + 3));
  for (const auto& [batch, loss] : expected)
    EXPECT_EQ(losses.at(batch), loss) << "global batch " << batch << " of " << from;
}

TEST_F(SlurmRunTest, AJobThatDiedBeforeItsFirstCheckpointBeginsAgainByItself) {
  // Held until it is as if its first start had died between the journal and the checkpoint.
  const ProgramResult submitted = run(submitting({"--set", "max_duration=4ba", "--sbatch=--hold", "--json"}, 1));
  ASSERT_EQ(submitted.exitCode, 0) << submitted.err;
  const std::string id = submitted.json().at("runs").at(0);
  {
    NewRun begun;
    begun.name = "begun";
    begun.configYaml = "version: 1\n";
    const auto journal = JournalWriter::create(workspacePath(), id, begun, {});
    ASSERT_TRUE(journal.ok()) << journal.error().text();
    MetricsRow row;
    row.at.batch = row.at.step = 9;
    (*journal)->publish(row);
  }
  ASSERT_EQ(shell("scontrol release " + std::string(submitted.json().at("job"))), 0);
  ASSERT_TRUE(queueIsEmpty(120));
  const RunDetail ended = synced(id);
  EXPECT_EQ(ended.summary.status, RunStatus::Finished) << log(id);
  ASSERT_EQ(ended.segments.size(), 2U);
  EXPECT_EQ(ended.segments.back().from.batch, 0);
  EXPECT_EQ(lossesOf(id).size(), 4U);
}

TEST_F(SlurmRunTest, WhoWaitsSeesTheRunAndStopsIt) {
  std::vector<std::string> arguments = submitting({"--set", "max_duration=100000ba", "--wait", "--json"}, 1);
  arguments.insert(arguments.end(), {"--workspace", workspacePath().string()});
  RunningProgram waiting(folder_.path(), arguments);
  ASSERT_TRUE(waiting.waitFor("\"event\":\"metrics\"")) << waiting.wait().err;
  waiting.signal(SIGINT);
  const ProgramResult result = waiting.wait();
  EXPECT_EQ(result.exitCode, 3) << result.out << result.err;
  EXPECT_EQ(result.jsonLines().back().at("status"), "stopped");
  EXPECT_TRUE(queueIsEmpty(30)) << "no further job follows one that was stopped";
}

TEST_F(SlurmRunTest, AJobThatIsStoppedWhileItWaitsDidNotFail) {
  std::vector<std::string> arguments = submitting({"--sbatch=--hold", "--wait", "--json"}, 1);
  arguments.insert(arguments.end(), {"--workspace", workspacePath().string()});
  RunningProgram waiting(folder_.path(), arguments);
  ASSERT_TRUE(waiting.waitFor("in the queue: PENDING")) << waiting.wait().err;
  waiting.signal(SIGINT);
  const ProgramResult result = waiting.wait();
  EXPECT_EQ(result.exitCode, 1) << "stopped without a checkpoint: " << result.out << result.err;
  EXPECT_EQ(result.jsonLines().back().at("status"), "stopped");
  EXPECT_TRUE(queueIsEmpty(30));
}

TEST_F(SlurmRunTest, ShortlyBeforeItsTimeLimitAJobSavesAndTheNextOneGoesOn) {
  const ProgramResult submitted =
      run(submitting({"--set", "max_duration=100000ba", "--time", "30", "--chain", "1", "--json"}, 1));
  ASSERT_EQ(submitted.exitCode, 0) << submitted.err;
  const std::string id = submitted.json().at("runs").at(0);
  ASSERT_TRUE(reaches(id, 3)) << log(id);
  // What Slurm sends when the end is near (--signal=USR1@180 of the script).
  ASSERT_EQ(shell("scancel --signal USR1 --name batchwise-" + id), 0);
  ASSERT_TRUE(waitUntil(60, [&] { return synced(id).segments.size() == 2; })) << log(id);
  const RunDetail going = synced(id);
  EXPECT_GE(going.segments.back().from.batch, 3);
  ASSERT_TRUE(reaches(id, going.segments.back().from.batch + 3)) << log(id);
  // The chain has had its one further job.
  ASSERT_EQ(shell("scancel --signal USR1 --name batchwise-" + id), 0);
  EXPECT_TRUE(queueIsEmpty(60));
  EXPECT_EQ(synced(id).segments.size(), 2U);
  EXPECT_EQ(synced(id).summary.status, RunStatus::Stopped);
}

TEST_F(SlurmRunTest, WhatCannotBeIsRefusedBeforeAnythingIsQueued) {
  const auto refused = [this](std::vector<std::string> more, const std::string& why) {
    const ProgramResult result = run(submitting(std::move(more)));
    EXPECT_EQ(result.exitCode, 2) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"--partition", "night"}, "the cluster has main, urgent");
  refused({"--nodes", "2"}, "partition main has 1 nodes");
  refused({"--time", "2:00:00"}, "a limit of 60 minutes");
  refused({"--time", "soon"}, "h:mm:ss");
  refused({"--gpus-per-node", "2"}, "has 0 GPUs per node");
  refused({"--set", "devices.use=cpu:5"}, "the job has 2 ranks");
  EXPECT_TRUE(queueIsEmpty(1));
}

TEST_F(SlurmRunTest, ASweepIsAnArrayOfRuns) {
  const ProgramResult submitted = run(
      submitting({"--set", "max_duration=3ba", "--over", "optimizer.lr=1e-3,2e-3", "--name", "sweep", "--json"}, 1));
  ASSERT_EQ(submitted.exitCode, 0) << submitted.err;
  const auto ids = submitted.json().at("runs").get<std::vector<std::string>>();
  ASSERT_EQ(ids.size(), 2U);
  ASSERT_TRUE(queueIsEmpty(120));
  for (const std::string& id : ids) EXPECT_EQ(synced(id).summary.status, RunStatus::Finished);
  EXPECT_THAT(synced(ids[1]).summary.name, HasSubstr("lr=0.002"));
}

}  // namespace
}  // namespace batchwise::test
