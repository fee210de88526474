// SPDX-License-Identifier: GPL-3.0-or-later
// One run on several processes, one device each, started by Open MPI.
#include <gmock/gmock.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "core/store/workspace.h"
#include "tests/app/program.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> mpirun(int ranks) {
  return {"mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none"};
}

class MpiRunTest : public testing::Test {
 protected:
  MpiRunTest() {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
  }

  // The bundled run, made small; `where` is the name of the workspace.
  std::vector<std::string> training(const std::string& where, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"train", "demo", "--json", "--workspace", (folder_ / where).string()};
    for (const char* assignment :
         {"devices={use: cpu, threads: 1}", "model={preset: tiny}", "tokenizer={train: {vocab_size: 1000}}",
          "data.max_seq_len=32", "batch.global_train_batch_size=32", "eval.interval=20ba", "checkpoint.interval=20ba"})
      arguments.insert(arguments.end(), {"--set", assignment});
    for (std::string& assignment : more) arguments.insert(arguments.end(), {"--set", std::move(assignment)});
    return arguments;
  }
  std::vector<std::string> resuming(const std::string& where) const {
    return {"resume", "latest", "--json", "--workspace", (folder_ / where).string()};
  }
  std::shared_ptr<Workspace> workspace(const std::string& where) const {
    auto opened = Workspace::open(folder_ / where);
    EXPECT_TRUE(opened.ok());
    return *opened;
  }

  TempFolder folder_;
};

// Losses by global batch, the last told counts.
std::map<std::int64_t, double> lossesOf(const ProgramResult& result) {
  std::map<std::int64_t, double> losses;
  for (const json& event : result.jsonLines())
    if (event.is_object() && event.at("event") == "metrics") losses[event.at("ba")] = event.at("loss");
  return losses;
}

std::ptrdiff_t countOf(const ProgramResult& result, const std::string& event) {
  const auto lines = result.jsonLines();
  return std::count_if(lines.begin(), lines.end(), [&event](const json& line) { return line.at("event") == event; });
}

json lastEvent(const ProgramResult& result) {
  const auto lines = result.jsonLines();
  EXPECT_FALSE(lines.empty()) << result.err;
  return lines.empty() ? json::object() : lines.back();
}

// Equal at the first step but for rounding, close afterwards.
void expectSameCurve(const std::map<std::int64_t, double>& one, const std::map<std::int64_t, double>& several) {
  ASSERT_FALSE(one.empty());
  ASSERT_EQ(one.size(), several.size());
  for (const auto& [batch, loss] : one)
    EXPECT_NEAR(several.at(batch), loss, loss * (batch == 1 ? 1e-5 : 1e-3)) << "global batch " << batch;
}

// The process of a rank below mpirun.
pid_t processOf(pid_t launcher, int rank) {
  const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0';
  std::ifstream children("/proc/" + std::to_string(launcher) + "/task/" + std::to_string(launcher) + "/children");
  for (pid_t child = 0; children >> child;) {
    if (contentOf("/proc/" + std::to_string(child) + "/environ").find(wanted) != std::string::npos) return child;
  }
  return -1;
}

TEST_F(MpiRunTest, HasTheLossCurveOfOneProcess) {
  const std::string duration = "max_duration=" + std::to_string(repeats(12, 100)) + "ba";
  const ProgramResult one = runProgram(folder_.path(), training("one", {duration}));
  ASSERT_EQ(one.exitCode, 0) << one.err;
  for (const int ranks : isFullTier() ? std::vector{2, 4} : std::vector{2}) {
    const std::string where = "mpi" + std::to_string(ranks);
    const ProgramResult several = RunningProgram(folder_.path(), training(where, {duration}), mpirun(ranks)).wait();
    ASSERT_EQ(several.exitCode, 0) << several.err;
    expectSameCurve(lossesOf(one), lossesOf(several));
    const json end = lastEvent(several);
    for (const char* clock : {"ba", "sp", "tok", "steps"}) EXPECT_EQ(end.at(clock), lastEvent(one).at(clock)) << clock;
    for (const char* event : {"run_started", "metrics", "eval", "run_finished"})  // what does not depend on the clock
      EXPECT_EQ(countOf(several, event), countOf(one, event)) << event << ": one rank alone tells";
    for (const json& event : several.jsonLines()) {
      if (event.at("event") == "metrics") {
        EXPECT_EQ(event.at("devices").size(), static_cast<std::size_t>(ranks));
      }
    }
  }
}

// The second stage has other lengths, masks and sizes; the run is long enough to be stopped in on a busy machine.
TEST_F(MpiRunTest, StopsTogetherAndResumesBitForBitOnBothSidesOfTheBoundaryBetweenTwoStages) {
  const std::vector<std::string> stages = {
      "max_duration=60ba",
      "stages=[{until: 6ba}, {until: 60ba, data.max_seq_len: 16, data.mlm_probability: 0.4, "
      "batch: {global_train_batch_size: 16}}]"};
  const ProgramResult one = runProgram(folder_.path(), training("one", stages));
  ASSERT_EQ(one.exitCode, 0) << one.err;
  const ProgramResult two = RunningProgram(folder_.path(), training("two", stages), mpirun(2)).wait();
  ASSERT_EQ(two.exitCode, 0) << two.err;
  EXPECT_THAT(two.out, HasSubstr("stage 2 of 2 starts"));
  expectSameCurve(lossesOf(one), lossesOf(two));
  for (const char* clock : {"ba", "sp", "tok", "steps"}) EXPECT_EQ(lastEvent(two).at(clock), lastEvent(one).at(clock));
  // Stopped in either stage, it goes on bit for bit.
  for (const char* batch : {"\"ba\":3,", "\"ba\":9,"}) {
    const std::string where = std::string("stopped") + batch[5];
    RunningProgram begun(folder_.path(), training(where, stages), mpirun(2));
    ASSERT_TRUE(begun.waitFor(batch)) << begun.wait().err;
    begun.signal(SIGUSR1);  // which mpirun hands on to every rank
    const ProgramResult stopped = begun.wait();
    ASSERT_EQ(stopped.exitCode, 3) << stopped.err;
    EXPECT_EQ(lastEvent(stopped).at("status"), "stopped");
    const ProgramResult rest = RunningProgram(folder_.path(), resuming(where), mpirun(2)).wait();
    ASSERT_EQ(rest.exitCode, 0) << rest.err;
    EXPECT_THAT(rest.out, HasSubstr("bit for bit"));
    const auto expected = lossesOf(two);
    for (const auto& [at, loss] : lossesOf(rest)) EXPECT_EQ(loss, expected.at(at)) << "global batch " << at;
    EXPECT_EQ(lastEvent(rest).at("ba"), 60);
  }
}

TEST_F(MpiRunTest, ALostRankIsNamedAndTheRunGoesOnLater) {
  RunningProgram program(folder_.path(), training("lost", {"max_duration=100000ba", "checkpoint.interval=2ba"}),
                         mpirun(2));
  ASSERT_TRUE(program.waitFor("\"event\":\"checkpoint_saved\"")) << program.wait().err;
  const pid_t other = processOf(program.process(), 1);
  ASSERT_GT(other, 0);
  kill(other, SIGKILL);
  const ProgramResult ended = program.wait();
  EXPECT_NE(ended.exitCode, 0);
  const auto run = workspace("lost")->findRun("latest");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->summary.status, RunStatus::Interrupted);
  EXPECT_THAT(run->summary.reason, HasSubstr("rank 1 (process " + std::to_string(other)));
  EXPECT_THAT(run->summary.reason, HasSubstr("was lost in"));
  std::vector<std::string> shorter = resuming("lost");
  shorter.insert(shorter.end(), {"--set", "max_duration=" + std::to_string(run->summary.at.batch + 30) + "ba"});
  EXPECT_EQ(RunningProgram(folder_.path(), shorter, mpirun(2)).wait().exitCode, 0);
}

TEST_F(MpiRunTest, TheFirstRankLostEndsTheOthers) {
  RunningProgram program(folder_.path(), training("first", {"max_duration=100000ba"}), mpirun(2));
  ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
  kill(processOf(program.process(), 0), SIGKILL);
  EXPECT_NE(program.wait().exitCode, 0);  // or the test's time runs out
  EXPECT_EQ(workspace("first")->findRun("latest")->summary.status, RunStatus::Interrupted);
}

TEST_F(MpiRunTest, ALateRankIsWaitedForAndAHungOneIsNamed) {
  RunningProgram late(folder_.path(), training("late", {"max_duration=100000ba", "guard.hang={minimum: 30}"}),
                      mpirun(2));
  ASSERT_TRUE(late.waitFor("\"event\":\"metrics\"")) << late.wait().err;
  const pid_t slow = processOf(late.process(), 1);
  kill(slow, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(slow, SIGCONT);
  late.signal(SIGUSR1);
  EXPECT_EQ(late.wait().exitCode, 3);

  RunningProgram hung(folder_.path(), training("hung", {"max_duration=100000ba", "guard.hang={minimum: 4, factor: 1}"}),
                      mpirun(2));
  for (int rows = 0; rows < 4; ++rows)  // enough for a limit that does not allow for first times
    ASSERT_TRUE(hung.waitFor("\"ba\":" + std::to_string(rows + 2) + ",")) << hung.wait().err;
  const pid_t stuck = processOf(hung.process(), 1);
  kill(stuck, SIGSTOP);
  EXPECT_EQ(hung.wait().exitCode, 1);
  const auto run = workspace("hung")->findRun("latest");
  EXPECT_EQ(run->summary.status, RunStatus::Failed);
  EXPECT_THAT(run->summary.reason, HasSubstr("rank 1 (process " + std::to_string(stuck)));
}

TEST_F(MpiRunTest, ASuspendedRunGoesOn) {
  RunningProgram program(folder_.path(), training("suspended", {"max_duration=100000ba", "guard.hang={minimum: 3}"}),
                         mpirun(2));
  ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
  const std::array<pid_t, 2> ranks = {processOf(program.process(), 0), processOf(program.process(), 1)};
  for (const pid_t rank : ranks) kill(rank, SIGSTOP);
  // Longer than rank 0 may be silent, which is continued last.
  std::this_thread::sleep_for(std::chrono::seconds(8));
  kill(ranks[1], SIGCONT);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(ranks[0], SIGCONT);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  program.signal(SIGUSR1);
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.exitCode, 3) << ended.out << ended.err;
  EXPECT_EQ(lastEvent(ended).at("status"), "stopped");
}

TEST_F(MpiRunTest, ANonFiniteGradientStopsAllRanks) {
  const ProgramResult result =
      RunningProgram(folder_.path(), training("nan", {"max_duration=100ba", "optimizer={lr: 1e3, grad_clip_norm: 0}"}),
                     mpirun(2))
          .wait();
  EXPECT_EQ(result.exitCode, 1) << result.err;
  EXPECT_THAT(lastEvent(result).at("reason").get<std::string>(), HasSubstr("is not finite"));
}

TEST_F(MpiRunTest, MemoryThatRunsOutOnARankMakesTheMicroBatchSmallerOnAll) {
  const std::vector<std::string> sizes = {"max_duration=6ba",
                                          "batch={global_train_batch_size: 64, device_train_microbatch_size: 16}"};
  // What a step takes by its size: a + b x micro-batch.
  std::vector<std::string> probing = training("probe", sizes);
  probing[0] = "find-batch";
  for (const char* more :
       {"devices={use: cpu, threads: 1, memory_limit: 1GiB}", "batch.device_train_microbatch_size=auto"})
    probing.insert(probing.end(), {"--set", more});
  const json probes = runProgram(folder_.path(), probing).json().at("probes");
  ASSERT_GE(probes.size(), 2U);
  const double units = probes[1].at("microbatch").get<double>() - probes[0].at("microbatch").get<double>();
  const double perUnit = (probes[1].at("peak").get<double>() - probes[0].at("peak").get<double>()) / units;
  const double fixed = probes[0].at("peak").get<double>() - perUnit * probes[0].at("microbatch").get<double>();
  // Not enough for 16 samples, of whatever lengths, and enough for 8.
  std::vector<std::string> tight = sizes;
  tight.push_back("devices={use: cpu, threads: 1, memory_limit: " +
                  std::to_string(static_cast<std::int64_t>(fixed + 8.5 * perUnit)) + "}");
  const ProgramResult limited = RunningProgram(folder_.path(), training("tight", tight), mpirun(2)).wait();
  ASSERT_EQ(limited.exitCode, 0) << limited.out << limited.err;
  EXPECT_THAT(limited.out, HasSubstr("out of memory: the micro-batch goes from 16 to 8"));
  const ProgramResult free = RunningProgram(folder_.path(), training("free", sizes), mpirun(2)).wait();
  expectSameCurve(lossesOf(free), lossesOf(limited));
}

TEST_F(MpiRunTest, WhatCannotBeIsRefusedByAllAtOnce) {
  const ProgramResult result =
      RunningProgram(folder_.path(), training("four", {"devices={use: 'cpu:4'}"}), mpirun(2)).wait();
  EXPECT_NE(result.exitCode, 0);
  EXPECT_THAT(result.out + result.err, HasSubstr("2 processes were started for the run"));
}

}  // namespace
}  // namespace batchwise::test
