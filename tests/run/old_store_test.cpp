// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace that an earlier version of the program wrote: its runs go on with this one as they would have then.
//
// tests/run/files/old-workspace.tar.gz was written by commit bd4f79e (2026-11-22, database of version 2): `straight`
// and `own` trained on text.txt, `demo-straight` and `demo` on the demo's text with data.train beside it and
// optimizer.eps 1e-50, which a new run may not have any more. `own` was stopped after 16ba, `demo` after 14ba, of 24ba;
// only the checkpoints of these two are there, and the cache is not. The text lies elsewhere now, and is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/run/small_run.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OldStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path archive = sourceRoot() / "tests/run/files/old-workspace.tar.gz";
    const std::string unpack = "tar -xzf '" + archive.native() + "' -C '" + folder_.path().native() + "'";
    ASSERT_EQ(std::system(unpack.c_str()), 0);
  }

  LaunchRequest resume(const std::string& run, const std::vector<std::string>& changes = {}) const {
    LaunchRequest request;
    request.workspace = workspace_;
    request.resumeRun = run;
    if (!changes.empty()) request.config = parseConfig(detail(run).configYaml, "run " + run, {}, changes);
    return request;
  }
  SmallRuns::Outcome finish(const LaunchRequest& request) const {
    SmallRuns::Outcome outcome = runs_.train(request);
    EXPECT_TRUE(outcome.end.ok()) << outcome.end.error().text();
    EXPECT_TRUE(outcome.end.ok() && outcome.end->status == RunStatus::Finished);
    return outcome;
  }
  std::shared_ptr<Workspace> store() const {
    const auto opened = Workspace::open(workspace_);
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    return *opened;
  }
  RunDetail detail(const std::string& run) const {
    const auto found = store()->findRun(run);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return *found;
  }
  RunCheckpoint newest(const std::string& run) const {
    const auto opened = openCheckpoint(*store(), detail(run).summary.id, "");
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    return *opened;
  }
  std::vector<SeriesPoint> losses(const std::string& run) const {
    return *store()->series(detail(run).summary.id, "loss");
  }
  void expectLosses(const std::string& run, const std::string& straight, double apart) const {
    const auto found = losses(run);
    const auto expected = losses(straight);
    ASSERT_EQ(found.size(), 24U);
    ASSERT_EQ(expected.size(), 24U);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i].value, expected[i].value, apart) << run << " at " << found[i].batch << "ba";
  }

  /// The text of the demo and the masks of evaluations are still those of then.
  void expectEvaluations(const std::string& run, const std::string& straight, double apart) const {
    const auto found = *store()->series(detail(run).summary.id, "eval.loss");
    const auto expected = *store()->series(detail(straight).summary.id, "eval.loss");
    ASSERT_EQ(found.size(), 3U);
    ASSERT_EQ(expected.size(), 3U);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i].value, expected[i].value, apart) << run << " at " << found[i].batch << "ba";
  }

  TempFolder folder_;
  const fs::path workspace_ = folder_ / "old/workspace";
  const SmallRuns runs_;
};

/// What the resume at `step` says: "bit for bit" where libraries, devices and threads have the names that are stored
/// with the checkpoint `from`, else that the numbers are close.
bool toldAt(const SmallRuns::Outcome& outcome, int step, const RunCheckpoint& from, const RunCheckpoint& here) {
  const bool same = nlohmann::json::parse(from.facts.environment) == nlohmann::json::parse(here.facts.environment);
  return outcome.log.hasNote("at step " + std::to_string(step) + (same ? ", bit for bit" : ": same samples and masks"));
}

// Bit for bit where the processor computes as the one did on which the store was written; close elsewhere.
TEST_F(OldStoreTest, ItsRunsGoOnToTheEndThatTheyWouldHaveHad) {
  const RunCheckpoint stopped = newest("own");
  LaunchRequest request;
  request.workspace = folder_ / "new";
  request.config = parseConfig(detail("straight").configYaml, "small.yaml", folder_ / "old");
  const SmallRuns::Outcome part = runs_.train(request, 16);
  ASSERT_TRUE(part.end.ok()) << part.end.error().text();
  const auto here = openCheckpoint(**Workspace::open(folder_ / "new"), part.run(), "");
  ASSERT_TRUE(here.ok()) << here.error().text();
  const bool sameProcessor = stateDifference(stopped, *here, kAnySeconds).empty();
  RecordProperty("same_processor", sameProcessor ? "yes" : "no");

  const SmallRuns::Outcome own = finish(resume("own", {"data.train=['" + (folder_ / "old/text.txt").native() + "']"}));
  EXPECT_TRUE(toldAt(own, 16, stopped, *here));
  expectLosses("own", "straight", sameProcessor ? 0.0 : 1e-3);
  const RunCheckpoint stoppedDemo = newest("demo");
  const SmallRuns::Outcome demo = finish(resume("demo"));
  EXPECT_TRUE(toldAt(demo, 14, stoppedDemo, *here));
  expectLosses("demo", "demo-straight", sameProcessor ? 0.0 : 1e-3);
  expectEvaluations("demo", "demo-straight", sameProcessor ? 0.0 : 1e-3);

  const SmallRuns::Outcome whole = finish(request);
  const auto end = openCheckpoint(**Workspace::open(folder_ / "new"), whole.run(), "");
  ASSERT_TRUE(end.ok()) << end.error().text();
  const std::string difference = stateDifference(newest("own"), *end, kAnySeconds);
  EXPECT_TRUE(difference.empty() || !sameProcessor) << difference;
}

TEST_F(OldStoreTest, RulesForNewRunsHoldUpNoneOfItsRuns) {
  LaunchRequest fork = resume("demo", {"name=forked"});
  fork.fork = true;
  finish(fork);
  LaunchRequest another = resume("demo", {"seed=6"});
  another.fork = true;
  const SmallRuns::Outcome anew = runs_.train(another);  // fresh moments: such an eps may end it
  ASSERT_TRUE(anew.end.ok()) << anew.end.error().text();
  EXPECT_TRUE(anew.log.hasNote("starts from the weights of checkpoint"));
  LaunchRequest stretched = resume("demo", {"max_duration=30ba"});
  stretched.stretch = true;
  EXPECT_EQ(finish(stretched).end->at.batch, 30);
}

TEST_F(OldStoreTest, WhatAPersonChangesKeepsTheRulesForNewRuns) {
  for (const char* change : {"optimizer.eps=1e-55", "data.train=['other.txt']"})
    for (const bool stretch : {false, true}) {
      SCOPED_TRACE(change);
      LaunchRequest request = resume("demo", {change});
      request.stretch = stretch;
      const SmallRuns::Outcome refused = runs_.train(request);
      ASSERT_FALSE(refused.end.ok());
      EXPECT_EQ(refused.end.error().code, ErrorCode::Config);
      EXPECT_THAT(refused.end.error().text(),
                  testing::AnyOf(HasSubstr("optimizer.eps: 1e-55 is 0 in fp32"), HasSubstr("data.train: names text")));
    }
}

}  // namespace
}  // namespace batchwise::test
