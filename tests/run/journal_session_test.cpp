// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that are recorded in a journal, as on a machine that must not open the workspace's database.
#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/run/launch/run_store.h"
#include "core/store/journal/journal.h"
#include "core/store/recording/run_writer.h"
#include "core/store/records.h"
#include "tests/run/small_run.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kJournal = {"launch.journal=always", "checkpoint.keep_last=1", "checkpoint.keep_best=0"};
const std::vector<std::string> kDatabase = {"launch.journal=never", "checkpoint.keep_last=1", "checkpoint.keep_best=0"};

JournalSyncResult sync(const SmallRuns& runs) {
  const auto workspace = checked(Workspace::open(runs.folder() / "workspace"));
  auto done = checked(syncJournals(**workspace));
  EXPECT_THAT(*(*workspace)->check(), IsEmpty());
  return std::move(*done);
}

// Every series of two stored runs but memory and what the clock says.
void expectSameSeries(const Workspace& left, const std::string& leftRun, const Workspace& right,
                      const std::string& rightRun) {
  const auto names = left.seriesNames(leftRun);
  ASSERT_THAT(*names, testing::UnorderedElementsAreArray(*right.seriesNames(rightRun)));
  for (const std::string& name : *names) {
    if (name.find("memory") != std::string::npos || name.find("sec") != std::string::npos || name == "wall") continue;
    const auto a = left.series(leftRun, name);
    const auto b = right.series(rightRun, name);
    ASSERT_EQ(a->size(), b->size()) << name;
    for (std::size_t i = 0; i < a->size(); ++i) {
      EXPECT_EQ(a->at(i).batch, b->at(i).batch) << name;
      EXPECT_EQ(a->at(i).value, b->at(i).value) << name << " at " << a->at(i).batch;
    }
  }
}

TEST(JournalSessionTest, ARunInAJournalIsTheSameRunOnceTakenIn) {
  const SmallRuns here;
  const SmallRuns there;
  const auto plain = checked(here.train(here.fresh(kDatabase)));
  const auto far = checked(there.train(there.fresh(kJournal)));
  EXPECT_TRUE(far.log.hasNote("a rough guess; needs about")) << "nobody has looked what this workspace has trained";
  EXPECT_EQ(far.end->status, RunStatus::Finished);
  EXPECT_FALSE(std::filesystem::exists(there.folder() / "workspace/workspace.sqlite"));
  expectSameRows(far.log.rows, plain.log.rows);

  EXPECT_GT(sync(there).records, 24);
  EXPECT_EQ(sync(there).records, 0);
  expectSameSeries(*here.workspace(), plain.run(), *there.workspace(), far.run());
  const auto stored = there.workspace()->findRun(far.run());
  EXPECT_EQ(stored->summary.status, RunStatus::Finished);
  EXPECT_EQ(there.workspace()->checkpoints(far.run())->size(), here.workspace()->checkpoints(plain.run())->size());
  EXPECT_EQ(stateDifference(there.newest(far.run()), here.newest(plain.run()), kAnySeconds), "");
}

TEST(JournalSessionTest, ItIsResumedFromTheJournalAndFromTheDatabase) {
  const SmallRuns runs;
  const auto whole = checked(runs.train(runs.fresh(kDatabase)));
  const auto first = checked(runs.train(runs.fresh(kJournal), 4));
  const auto second = checked(runs.train(runs.resume(first.run(), kJournal), 8));
  const auto third = checked(runs.train(runs.resume(first.run(), kDatabase)));
  EXPECT_EQ(third.end->status, RunStatus::Finished);
  EXPECT_EQ(third.log.started.front().segment, 2) << "what the journal has is taken in before";
  expectSameRows(joined(joined(first.log.rows, second.log.rows), third.log.rows), whole.log.rows);
  expectSameSeries(*runs.workspace(), whole.run(), *runs.workspace(), first.run());
  EXPECT_EQ(stateDifference(runs.newest(first.run()), runs.newest(whole.run()), kAnySeconds), "");
}

TEST(JournalSessionTest, ARunInAJournalGoesBackAndOnAsOneInTheDatabaseDoes) {
  const SmallRuns runs;
  const std::vector<std::string> guarded = {"guard.update_ratio={action: roll_back, limit: 1e-7}",
                                            "checkpoint.interval=2ba", "guard.roll_back_limit=2",
                                            "scheduler={name: constant}"};
  const auto plain = checked(runs.train(runs.fresh(joined(kDatabase, guarded))));
  const auto far = checked(runs.train(runs.fresh(joined(kJournal, guarded))));
  ASSERT_EQ(far.log.started.size(), 3u) << far.end->reason;
  EXPECT_EQ(far.end->at.step, plain.end->at.step);
  expectSameRows(far.log.rows, plain.log.rows);
  EXPECT_GT(sync(runs).records, 0);
  expectSameSeries(*runs.workspace(), plain.run(), *runs.workspace(), far.run());
  const auto stored = checked(runs.workspace()->findRun(far.run()));
  ASSERT_EQ(stored->segments.size(), 3u);
  EXPECT_THAT(stored->segments[2].environment, HasSubstr("skipped_range"));
  EXPECT_THAT(stateDifference(runs.newest(far.run()), runs.newest(plain.run()), kAnySeconds),
              testing::Not(HasSubstr("tensor")));
}

/// What a run was resolved to at its launch, but for its name and its journal.
void expectStoredAs(const RunDetail& run, const RunDetail& plain) {
  EXPECT_EQ(run.resolvedValues, plain.resolvedValues);
  EXPECT_EQ(run.references, plain.references);
  EXPECT_EQ(run.summary.plannedBatches, plain.summary.plannedBatches);
  const TrainConfig typed = parseConfig(run.configYaml, "run", {}).config;
  const TrainConfig resolved = parseConfig(run.resolvedYaml, "run", {}).config;
  EXPECT_EQ(typed.seed, parseConfig(plain.configYaml, "run", {}).config.seed);
  EXPECT_EQ(resolved.scheduler, parseConfig(plain.resolvedYaml, "run", {}).config.scheduler);
}

TEST(JournalSessionTest, ARunInTheDatabaseThatStartsAgainIsStoredAsItIsTrainedNow) {
  const SmallRuns runs;
  const auto plain = checked(runs.train(runs.fresh(kDatabase)));
  LaunchRequest request = runs.fresh(kDatabase);
  {  // what it left: the run and a segment, and no checkpoint
    const auto workspace = checked(Workspace::open(runs.folder() / "workspace"));
    NewRun begun;
    begun.name = "begun";
    begun.configYaml = "seed: 1\n";
    begun.resolvedValues = {{"scheduler.t_max", "3ba"}, {"scheduler.of_another", "1"}};
    begun.references = {{"unigram_entropy", 99.0}};
    begun.plannedBatches = 30;
    const auto id = checked((*workspace)->createRun(begun));
    request.runId = *id;
    const auto writer = checked(RunWriter::open(*workspace, *id, {{}, "", "{}", {}}));
  }
  const auto second = checked(runs.train(request));
  EXPECT_EQ(second.log.started.front().segment, 1);
  expectStoredAs(*runs.workspace()->findRun(request.runId), *runs.workspace()->findRun(plain.run()));
}

TEST(JournalSessionTest, AJobThatDiedBeforeItsFirstCheckpointBeginsAgain) {
  const SmallRuns runs;
  const auto plain = checked(runs.train(runs.fresh(kDatabase)));
  LaunchRequest request = runs.fresh(kJournal);
  request.runId = newRecordId();
  const std::filesystem::path workspace = runs.folder() / "workspace";
  {  // what it left: the run, a segment and rows that are not those of the run that follows
    NewRun begun;
    begun.name = "begun";
    begun.configYaml = "seed: 1\n";
    begun.resolvedValues = {{"scheduler.t_max", "3ba"}, {"scheduler.of_another", "1"}};
    begun.references = {{"unigram_entropy", 99.0}};
    begun.plannedBatches = 30;
    const auto writer = checked(JournalWriter::create(workspace, request.runId, begun, {}));
    for (std::int64_t batch = 1; batch <= 30; ++batch) {
      MetricsRow row;
      row.at.batch = row.at.step = batch;
      row.loss = 99;
      (*writer)->publish(row);
    }
  }
  EXPECT_GT(sync(runs).records, 30);
  const auto again = checked(startOrResume(request));
  EXPECT_EQ(again->resumeRun, "");
  const auto second = checked(runs.train(*again));
  EXPECT_EQ(second.run(), request.runId);
  EXPECT_EQ(second.log.started.front().segment, 1);
  expectSameRows(second.log.rows, plain.log.rows);
  EXPECT_THAT(sync(runs).notes, IsEmpty());
  expectSameSeries(*runs.workspace(), plain.run(), *runs.workspace(), request.runId);
  EXPECT_EQ(runs.workspace()->findRun(request.runId)->summary.status, RunStatus::Finished);
  expectStoredAs(*runs.workspace()->findRun(request.runId), *runs.workspace()->findRun(plain.run()));
  const auto journal = checked(readJournalRun(journalFile(workspace, request.runId)));
  expectStoredAs(journal->run, *runs.workspace()->findRun(plain.run()));

  const auto third = checked(startOrResume(request));
  EXPECT_EQ(third->resumeRun, request.runId) << "now there is a checkpoint";
  EXPECT_EQ(third->runId, "");
  const SmallRuns::Outcome refused = runs.train(request);
  ASSERT_FALSE(refused.end.ok());
  EXPECT_EQ(refused.end.error().code, ErrorCode::Busy);
}

TEST(JournalSessionTest, ARequestThatWasBegunGoesOnFromItsCheckpoint) {
  const SmallRuns runs;
  LaunchRequest request = runs.fresh(kJournal);
  request.runId = newRecordId();
  EXPECT_EQ(startOrResume(request)->runId, request.runId) << "nothing is there yet";
  const auto first = checked(runs.train(request, 4));
  const auto next = checked(startOrResume(request));
  const auto second = checked(runs.train(*next));
  EXPECT_EQ(second.end->status, RunStatus::Finished);
  EXPECT_EQ(second.log.started.front().from.batch, 4);
  const SmallRuns::Outcome whole = runs.train(runs.fresh(kDatabase));
  expectSameRows(joined(first.log.rows, second.log.rows), whole.log.rows);
}

TEST(JournalSessionTest, WhatCannotBeReadOfAJournalIsToldAtEachKindOfResume) {
  for (const auto& store : {kJournal, kDatabase}) {
    const SmallRuns runs;
    const auto first = checked(runs.train(runs.fresh(kJournal), 4));
    const auto file = journalFile(runs.folder() / "workspace", first.run());
    std::string text = *readFile(file);
    const std::size_t row = text.find("\"event\":\"metrics\"");
    ASSERT_NE(row, std::string::npos);
    text[row] = '\0';
    ASSERT_TRUE(writeFileAtomically(file, text).ok());
    const auto second = checked(runs.train(runs.resume(first.run(), store)));
    EXPECT_TRUE(second.log.hasNote("is damaged and left out"));
    EXPECT_EQ(second.log.started.front().from.batch, 4) << "from what is behind it";
  }
}

TEST(JournalSessionTest, ARunWithoutAJournalIsNotResumedIntoOne) {
  const SmallRuns runs;
  const SmallRuns::Outcome plain = runs.train(runs.fresh(kDatabase), 4);
  const SmallRuns::Outcome refused = runs.train(runs.resume(plain.run(), kJournal));
  ASSERT_FALSE(refused.end.ok());
  EXPECT_EQ(refused.end.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.end.error().text(), HasSubstr("launch.journal"));
}

}  // namespace
}  // namespace batchwise::test
