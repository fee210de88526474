// SPDX-License-Identifier: GPL-3.0-or-later
// Successive halving through the whole program: killed in the middle, it comes to the same choice, and the arm that
// wins is the run that nobody stopped.
#include <signal.h>

#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "core/store/run_queue.h"
#include "core/store/workspace.h"
#include "tests/app/command_fixture.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SearchTest : public CommandTest {
 protected:
  std::vector<std::string> searching(const std::string& workspace) const {
    return words(
        "study search demo --name rates --arms 4 --rungs 2 --seed 3 --set max_duration=40ba --set "
        "eval.interval=1000ba --set checkpoint.interval=5ba --set devices=cpu --json --workspace " +
            (folder_ / workspace).string(),
        {"--over", "optimizer.lr=1e-5..1e-2 log"});
  }
  /// What a search has come to, without ids and times.
  static json choice(const ProgramResult& result) {
    json last = result.jsonLines().back();
    EXPECT_EQ(last.at("schema"), "batchwise.search/1") << result.out << result.err;
    for (json& arm : last.at("arms")) {
      if (arm.at("run") == last.at("best")) last["best_name"] = arm.at("name");
      arm.erase("run");
    }
    last.erase("best");
    return last;
  }
  std::vector<SeriesPoint> lossesOf(const std::string& workspace, const std::string& run) const {
    const auto opened = *checked(Workspace::open(folder_ / workspace));
    return *checked(opened->series(opened->findRun(run)->summary.id, "loss"));
  }
};

TEST_F(SearchTest, AKilledSearchContinuesToTheSameChoiceAndItsWinnerIsAnUndividedRun) {
  const ProgramResult whole = runProgram(folder_.path(), searching("whole"));
  ASSERT_EQ(whole.exitCode, 0) << whole.err << whole.out;
  const json expected = choice(whole);
  EXPECT_NEAR(expected.at("saved").get<double>(), 0.25, 0.02) << "2 of 4 arms end at half of the length";
  int finished = 0;
  for (const json& arm : expected.at("arms")) finished += arm.at("share") == 1.0 ? 1 : 0;
  EXPECT_EQ(finished, 2);

  for (const char* said : {"\"event\":\"checkpoint_saved\"", "\"event\":\"run_finished\""}) {
    RunningProgram program(folder_.path(), searching("killed"));
    ASSERT_TRUE(program.waitFor(said)) << program.wait().err;
    program.signal(SIGKILL);
    ASSERT_EQ(program.wait().exitCode, 128 + SIGKILL);
  }
  const ProgramResult continued = runProgram(folder_.path(), searching("killed"));
  ASSERT_EQ(continued.exitCode, 0) << continued.err << continued.out;
  EXPECT_EQ(choice(continued), expected);
  const ProgramResult again = runProgram(folder_.path(), searching("killed"));
  EXPECT_EQ(choice(again), expected) << "nothing is left to train";

  const std::string best = expected.at("best_name");
  const auto opened = *checked(Workspace::open(folder_ / "whole"));
  const auto winner = checked(opened->findRun(best));
  const std::string rate = findField("optimizer.lr")->get(parseConfig(winner->configYaml, "best", {}).config);
  const ProgramResult undivided =
      runProgram(folder_.path(), {"train", "demo", "--name", "undivided", "--set", "optimizer.lr=" + rate, "--set",
                                  "max_duration=40ba", "--set", "eval.interval=1000ba", "--set", "devices=cpu",
                                  "--workspace", (folder_ / "whole").string()});
  ASSERT_EQ(undivided.exitCode, 0) << undivided.err;
  const auto one = lossesOf("whole", best), other = lossesOf("whole", "undivided");
  ASSERT_EQ(one.size(), 40U);
  ASSERT_EQ(other.size(), 40U);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].value, other[i].value) << "global batch " << i + 1;
}

TEST_F(SearchTest, AHoldOfTheUserStaysAndTheRunsThatWaitAreNamed) {
  const std::string folder = (folder_ / "held").string();
  {
    RunQueue queue(*checked(Workspace::open(folder)));
    const auto demo = [](const std::string& name) {
      return loadConfig("demo", {"name=" + name, "max_duration=2ba", "devices=cpu"});
    };
    const auto ids = *checked(queue.add({demo("stopped"), demo("waits")}));
    ASSERT_TRUE(queue.ended(ids[0], RunStatus::Stopped, "by the user").ok());
  }
  const ProgramResult result = runProgram(folder_.path(), searching("held"));
  EXPECT_EQ(result.exitCode, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("these before the runs of the search: waits"));
  EXPECT_THAT(result.err, HasSubstr("the queue is held: run stopped was stopped"));
  EXPECT_EQ((*checked(Workspace::open(folder)))->findRun("waits")->summary.status, RunStatus::Queued);
}

TEST_F(SearchTest, WhatCannotBeSearchedIsRefused) {
  const auto refused = [&](const Words& more) {
    const ProgramResult result = run(words("study search demo --name x --arms 2", more));
    EXPECT_EQ(result.exitCode, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(refused({}), HasSubstr("0 different arms"));
  EXPECT_THAT(refused({"--over", "seed=1,2", "--set", "max_duration=60sec"}),
              HasSubstr("rungs are shares of the tokens"));
  for (const char* keep : {"2", "1/2abc", "1/2/3", "/2"})
    EXPECT_THAT(refused({"--over", "seed=1,2", "--keep", keep}), HasSubstr("such as 1/2")) << keep;
  EXPECT_THAT(refused({"--over", "sed=1,2"}), HasSubstr("field=a..b"));
}

}  // namespace
}  // namespace batchwise::test
