// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/run_queue.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> namesOf(const std::vector<RunSummary>& runs) {
  std::vector<std::string> names;
  for (const RunSummary& run : runs) names.push_back(run.name);
  return names;
}

TEST(NewWorkspaceTest, ManyThatMakeItAtOnceHaveOneDatabase) {
  for (int round = 0; round < test::repeats(5, 50); ++round) {
    const TempFolder folder;
    constexpr int kMakers = 6;
    std::vector<std::thread> makers;
    for (int maker = 0; maker < kMakers; ++maker)
      makers.emplace_back([&, name = "run-" + std::to_string(maker)] { makeRun(*openStore(folder / "w"), name); });
    for (std::thread& maker : makers) maker.join();
    const auto workspace = openStore(folder / "w");
    for (int maker = 0; maker < kMakers; ++maker)
      EXPECT_TRUE(workspace->findRun("run-" + std::to_string(maker)).ok()) << maker;
  }
}

TEST(NewWorkspaceTest, ARunFromStartToEndIsFoundAgain) {
  const TempFolder folder;
  std::string run;
  {
    const auto workspace = openStore(folder / "w");
    run = makeRun(*workspace, "first");
    const auto writer = startRun(workspace, run);
    writer->publish(RunStarted{run, "first", writer->segment(), {}, 3});
    writer->publish(PhaseProgress{"reading text", 1, 2, "files"});
    for (std::int64_t batch = 1; batch <= 3; ++batch) writer->publish(rowOf(batch));
    writer->publish(EvalResult{afterBatches(3), 2.25, 12.0, 0.25, 10, 1000, 0.5});
    writer->publish(RunFinished{RunStatus::Finished, "max_duration reached", afterBatches(3), ""});
    ASSERT_TRUE(writer->flush().ok());
  }
  const auto workspace = openStore(folder / "w");
  const auto found = checked(workspace->findRun("first"));
  EXPECT_EQ(found->summary.id, run);
  EXPECT_EQ(found->summary.status, RunStatus::Finished);
  EXPECT_EQ(found->summary.reason, "max_duration reached");
  EXPECT_GT(found->summary.endedMs, 0);
  EXPECT_EQ(found->summary.at, afterBatches(3));
  EXPECT_EQ(found->summary.loss, 2.5);
  EXPECT_EQ(found->summary.evalLoss, 2.25);
  EXPECT_EQ(found->summary.plannedBatches, 3);
  ASSERT_THAT(found->segments, SizeIs(1));
  const auto loss = checked(workspace->series(run, "loss"));
  ASSERT_THAT(*loss, SizeIs(3));
  EXPECT_EQ(loss->at(2).batch, 3);
  EXPECT_EQ(loss->at(2).value, 2.5);
  const auto events = checked(workspace->events(run));
  ASSERT_THAT(*events, SizeIs(3)) << "start, evaluation, end; progress is not stored";
  EXPECT_EQ(std::get<EvalResult>(events->at(1).event).loss, 2.25);
  EXPECT_THAT(*checked(workspace->events(run, events->at(1).id)), SizeIs(1));
  EXPECT_THAT(*checked(workspace->check()), IsEmpty());
}

class WorkspaceTest : public testing::Test {
 protected:
  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = openStore(folder_ / "w");
};

TEST_F(WorkspaceTest, ARunIsPausedUntilItSaysOtherwiseOrEnds) {
  const std::string run = makeRun(*workspace_, "held up");
  const auto pausedAfter = [&](RunWriter& writer, const RunEvent& event) {
    writer.publish(event);
    EXPECT_TRUE(writer.flush().ok());
    const auto found = checked(workspace_->findRun(run));
    EXPECT_EQ(workspace_->listRuns()->front().paused, found->summary.paused);
    return found->summary.paused;
  };
  {
    const auto writer = startRun(workspace_, run);
    EXPECT_FALSE(pausedAfter(*writer, rowOf(1)));
    EXPECT_TRUE(pausedAfter(*writer, RunNote{NoteLevel::Info, "paused", afterBatches(1), true}));
    EXPECT_EQ(stateName(workspace_->findRun(run)->summary), "paused");
    EXPECT_TRUE(pausedAfter(*writer, CheckpointSaved{"c", afterBatches(1), 1, 0, 0, CheckpointReason::Requested}));
    EXPECT_FALSE(pausedAfter(*writer, RunNote{NoteLevel::Info, "going on", afterBatches(1), false}));
    EXPECT_TRUE(pausedAfter(*writer, RunNote{NoteLevel::Info, "paused", afterBatches(1), true}));
    EXPECT_FALSE(pausedAfter(*writer, RunFinished{RunStatus::Interrupted, "killed", afterBatches(1), ""}));
    EXPECT_EQ(stateName(workspace_->findRun(run)->summary), "interrupted");
  }
  const auto resumed = startRun(workspace_, run, afterBatches(1));
  EXPECT_FALSE(pausedAfter(*resumed, rowOf(2))) << "the pause was of the segment before";
}

TEST_F(WorkspaceTest, TheCauseOfAnEndIsKeptWhateverIsNotedAfterIt) {
  const std::string run = makeRun(*workspace_, "too large");
  const auto cause = [&] { return workspace_->findRun(run)->summary.cause; };
  const auto writer = startRun(workspace_, run);
  writer->publish(RunFinished{RunStatus::Failed, "no room", {}, "", FailureCause::OutOfMemory});
  writer->publish(RunNote{NoteLevel::Info, "a late note", {}});
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(cause(), FailureCause::OutOfMemory);
  ASSERT_TRUE(RunQueue(workspace_).requeue({{run, "seed: 1"}}).ok());
  EXPECT_EQ(cause(), FailureCause::Unknown);
}

TEST_F(WorkspaceTest, WhatInterruptedARunIsKeptWithItsCause) {
  const std::string run = makeRun(*workspace_, "killed");
  const auto summary = [&] { return workspace_->findRun(run)->summary; };
  {
    const auto writer = startRun(workspace_, run);
    ASSERT_TRUE(workspace_->setInterruptionReason(run, "too early", FailureCause::OutOfMemory).ok());
    EXPECT_EQ(summary().status, RunStatus::Running) << "its writer lives";
  }
  ASSERT_TRUE(workspace_->setInterruptionReason(run, "killed for memory", FailureCause::OutOfMemory).ok());
  EXPECT_EQ(summary().status, RunStatus::Interrupted);
  EXPECT_EQ(summary().reason, "killed for memory");
  EXPECT_EQ(summary().cause, FailureCause::OutOfMemory);
  ASSERT_TRUE(workspace_->setInterruptionReason(run, "its node failed", FailureCause::Unknown).ok());
  EXPECT_EQ(summary().cause, FailureCause::Unknown) << "it is that of the newer reason";
}

TEST_F(WorkspaceTest, WhatARunWasStartedWithIsKept) {
  NewRun run;
  run.name = "all";
  run.configYaml = "name: all # as typed\n";
  run.resolvedYaml = "name: all\nseed: 17\n";
  run.resolvedValues = {{"seed", "17"}, {"optimizer.lr", "0.0005"}};
  run.references = {{"unigram_entropy", 5.125}};
  run.parent = "abcdefghijkl";
  run.tags = {"ramp", "", "wikitext", "ramp"};
  run.why = "does a ramp help?";
  const auto id = checked(workspace_->createRun(run));
  const auto found = checked(workspace_->findRun(*id));
  EXPECT_EQ(found->configYaml, run.configYaml);
  EXPECT_EQ(found->resolvedYaml, run.resolvedYaml);
  EXPECT_EQ(found->resolvedValues, run.resolvedValues);
  EXPECT_EQ(found->references, run.references);
  EXPECT_EQ(found->why, run.why);
  EXPECT_EQ(found->summary.parent, run.parent);
  EXPECT_THAT(found->summary.tags, ElementsAre("ramp", "wikitext"));
  EXPECT_EQ(found->summary.status, RunStatus::Created);
}

TEST_F(WorkspaceTest, NamesAreUniqueAndChecked) {
  makeRun(*workspace_, "mini");
  makeRun(*workspace_, "mini");
  const std::string third = makeRun(*workspace_, "mini");
  makeRun(*workspace_, "");
  const auto runs = checked(workspace_->listRuns());
  const auto names = namesOf(*runs);
  ASSERT_THAT(names, SizeIs(4));
  EXPECT_THAT(names[0], testing::StartsWith("run-")) << "made from the date; newest first";
  EXPECT_THAT(std::vector(names.begin() + 1, names.end()), ElementsAre("mini-3", "mini-2", "mini"));
  EXPECT_EQ(refused(workspace_->renameRun(third, "mini-2")).code, ErrorCode::Config);
  EXPECT_TRUE(workspace_->renameRun(third, "mini-3").ok()) << "its own name is free to itself";
  EXPECT_TRUE(workspace_->renameRun(third, "'; DROP TABLE run; --").ok());
  EXPECT_EQ(workspace_->findRun(third)->summary.name, "'; DROP TABLE run; --");
  for (const std::string& bad : {std::string{}, std::string{"latest"}, std::string(201, 'x'), std::string{"a\nb"}})
    EXPECT_FALSE(workspace_->renameRun(third, bad).ok()) << bad;
}

TEST_F(WorkspaceTest, RunsAreFoundByIdPrefixNameAndLatest) {
  EXPECT_EQ(workspace_->findRun("latest").error().code, ErrorCode::NotFound);
  const std::string first = makeRun(*workspace_, "wikitext-mini");
  const std::string second = makeRun(*workspace_, "other");
  EXPECT_EQ(workspace_->findRun(first)->summary.name, "wikitext-mini");
  EXPECT_EQ(workspace_->findRun(first.substr(0, 6))->summary.name, "wikitext-mini");
  EXPECT_EQ(workspace_->findRun("other")->summary.id, second);
  EXPECT_EQ(workspace_->findRun("latest")->summary.id, second);
  EXPECT_FALSE(workspace_->findRun(first.substr(0, 3)).ok()) << "too short to be meant as an id";
  const Error slip = refused(workspace_->findRun("wikitext-mimi"));
  EXPECT_EQ(slip.code, ErrorCode::NotFound);
  EXPECT_THAT(slip.message, HasSubstr("did you mean 'wikitext-mini'"));
}

TEST_F(WorkspaceTest, TagsNoteAndArchiveCanBeChanged) {
  const std::string run = makeRun(*workspace_, "mini");
  ASSERT_TRUE(workspace_->setTags(run, {"b", "a"}).ok());
  ASSERT_TRUE(workspace_->setNote(run, "**better** than `mini`").ok());
  ASSERT_TRUE(workspace_->setArchived(run, true).ok());
  EXPECT_THAT(*workspace_->listRuns(), IsEmpty());
  const auto all = checked(workspace_->listRuns(true));
  ASSERT_THAT(*all, SizeIs(1));
  EXPECT_TRUE(all->front().archived);
  EXPECT_THAT(all->front().tags, ElementsAre("b", "a"));
  EXPECT_EQ(all->front().note, "**better** than `mini`");
  EXPECT_EQ(workspace_->setNote("nosuchrun123", "x").error().code, ErrorCode::NotFound);
}

TEST_F(WorkspaceTest, SeveralRunsAreChangedAtOnceAndThoseThatAreGoneAreLeftOut) {
  const std::string first = makeRun(*workspace_, "first"), second = makeRun(*workspace_, "second");
  ASSERT_TRUE(workspace_->setArchived(std::vector<std::string>{first, "nosuchrun123", second}, true).ok());
  EXPECT_THAT(*workspace_->listRuns(), IsEmpty());
  ASSERT_TRUE(workspace_->setArchived(std::vector<std::string>{second}, false).ok());
  EXPECT_THAT(*workspace_->listRuns(), SizeIs(1));
  ASSERT_TRUE(workspace_->setTags({{first, {"a"}}, {"nosuchrun123", {"a"}}, {second, {"b", "c"}}}).ok());
  const auto tags = [&](const std::string& run) { return workspace_->findRun(run)->summary.tags; };
  EXPECT_THAT(tags(first), ElementsAre("a"));
  EXPECT_THAT(tags(second), ElementsAre("b", "c"));
  const std::string earlier = std::min(first, second), later = std::max(first, second);
  EXPECT_EQ(workspace_->setTags({{earlier, {"new"}}, {later, {"two\nlines"}}}).error().code, ErrorCode::Config);
  EXPECT_THAT(tags(earlier), testing::Not(testing::Contains("new"))) << "all or none";
}

TEST_F(WorkspaceTest, TagsArePlainLinesAndNotesHaveNoControlCharacters) {
  NewRun fresh;
  fresh.tags = {"of\ntwo lines"};
  const auto run = checked(workspace_->createRun(fresh));
  for (const std::string& tag : {std::string("two\nlines"), std::string(201, 'x')})
    EXPECT_EQ(workspace_->setTags(*run, {"good", tag}).error().code, ErrorCode::Config) << tag;
  EXPECT_TRUE(workspace_->setTags(*run, {fresh.tags.front(), "good"}).ok()) << "what it has does not block";
  ASSERT_TRUE(workspace_->setNote(*run, "pasted \x1B[31mred\n\tnext").ok());
  const auto found = checked(workspace_->findRun(*run));
  EXPECT_THAT(found->summary.tags, ElementsAre(fresh.tags.front(), "good"));
  EXPECT_EQ(found->summary.note, "pasted [31mred\n\tnext");
}

TEST(NewWorkspaceTest, SettingsSurvive) {
  const TempFolder folder;
  {
    const auto workspace = openStore(folder / "w");
    ASSERT_TRUE(workspace->saveSetting("layout", "{\"columns\": 3}").ok());
    ASSERT_TRUE(workspace->saveSetting("layout", "{\"columns\": 4}").ok());
  }
  const auto workspace = openStore(folder / "w");
  EXPECT_EQ(**workspace->setting("layout"), "{\"columns\": 4}");
  EXPECT_FALSE(workspace->setting("nothing")->has_value());
}

TEST_F(WorkspaceTest, ADeletedRunTakesItsRowsAndFilesWithIt) {
  const std::string run = makeRun(*workspace_, "gone");
  const std::string other = makeRun(*workspace_, "stays");
  auto writer = startRun(workspace_, run);
  for (std::int64_t batch = 1; batch <= 3000; ++batch) writer->publish(rowOf(batch));
  std::ofstream(workspace_->checkpointFolder() / "a.sqlite") << "content";
  ASSERT_TRUE(writer->addCheckpoint(checkpointOf("a", 3, "checkpoints/a.sqlite")).ok());
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(workspace_->deleteRun(run).error().code, ErrorCode::Busy);
  writer.reset();
  ASSERT_TRUE(workspace_->deleteRun(run).ok());
  EXPECT_FALSE(std::filesystem::exists(workspace_->checkpointFolder() / "a.sqlite"));
  EXPECT_EQ(workspace_->series(run, "loss").error().code, ErrorCode::NotFound);
  EXPECT_THAT(namesOf(*workspace_->listRuns()), ElementsAre("stays"));
  EXPECT_THAT(*workspace_->check(), IsEmpty());
}

std::vector<std::string> namesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : entriesOf(folder)) names.push_back(entry.filename().native());
  return names;
}

TEST_F(WorkspaceTest, ADeletedRunTakesTheFilesOfItsNameAndNoOthers) {
  const std::string run = makeRun(*workspace_, "gone");
  const std::vector<std::string> others = {
      run + "-1-0-5.sqlite",  // of a run with the id `run`-1, as an import may
                              // bring
      run + "x-0-5.sqlite", run + ".sqlite", run + "-0.sqlite", run + "-0-5.txt", run + "-0-5.sqlite.old",
      run + "-0-9.sqlite", run + "-0-9.sqlite.pin"};  // a row of another run has it, as an import may bring
  for (const std::string& name : others) std::ofstream(workspace_->checkpointFolder() / name) << "content";
  for (const char* name : {"-0-5.sqlite", "-12-34567.sqlite", "-0-5.sqlite.pin", "-0-7.sqlite.partial"})
    std::ofstream(workspace_->checkpointFolder() / (run + name)) << "content";
  auto writer = startRun(workspace_, makeRun(*workspace_, "other"));
  ASSERT_TRUE(writer->addCheckpoint(checkpointOf("abcdefghijkl", 9, "checkpoints/" + run + "-0-9.sqlite")).ok());
  writer.reset();
  ASSERT_TRUE(workspace_->deleteRun(run).ok());
  EXPECT_THAT(namesIn(workspace_->checkpointFolder()), testing::UnorderedElementsAreArray(others));
}

TEST_F(WorkspaceTest, AScriptByWhichOtherTasksOfAnArrayAreKnownOutlivesItsFirstRun) {
  const std::filesystem::path folder = workspace_->folder() / "runs";
  std::filesystem::create_directories(folder);
  for (const std::string others : {" another", ""}) {
    const std::string run = makeRun(*workspace_, "first");
    std::ofstream(folder / (run + ".sbatch")) << "#!/bin/bash\nruns=(" << run << others << ")\nsrun some program\n";
    std::ofstream(folder / (run + ".request.json")) << "{}";
    ASSERT_TRUE(workspace_->deleteRun(run).ok());
    EXPECT_EQ(std::filesystem::exists(folder / (run + ".sbatch")), !others.empty());
    EXPECT_FALSE(std::filesystem::exists(folder / (run + ".request.json")));
  }
}

TEST_F(WorkspaceTest, FilesWithoutARowAreNotedWithWhatRemovesThem) {
  const std::string run = makeRun(*workspace_, "run"), live = makeRun(*workspace_, "live");
  auto writer = startRun(workspace_, run);
  const auto other = startRun(workspace_, live);
  const auto put = [&](const std::string& name) { std::ofstream(workspace_->checkpointFolder() / name) << "content"; };
  put(run + "-0-3.sqlite");
  ASSERT_TRUE(writer->addCheckpoint(checkpointOf(run + "-0-3", 3, "checkpoints/" + run + "-0-3.sqlite")).ok());
  writer.reset();
  put(run + "-0-2.sqlite");
  put(run + "-0-4.sqlite");
  put(run + "-1-5.sqlite");
  put(live + "-0-4.sqlite");  // its row may be about to come
  put("nosuchrunnow-0-4.sqlite");
  put("zzzzzzzzzzzz.sqlite");
  put("journaledrun-0-4.sqlite");
  std::ofstream(folder_ / "w/runs/journaledrun.jsonl") << "";
  const auto notes = checked(unlistedCheckpointNotes(*workspace_));
  EXPECT_THAT(*notes, testing::UnorderedElementsAre(
                          HasSubstr(run + "-0-2.sqlite'; resuming or deleting run " + run),
                          HasSubstr(run + "-0-4.sqlite'; `batchwise store restore` enters it, deleting run " + run),
                          HasSubstr(run + "-1-5.sqlite'; `batchwise store restore` enters it, deleting run " + run),
                          AllOf(HasSubstr("nosuchrunnow-0-4.sqlite"), HasSubstr("it belongs to no run")),
                          AllOf(HasSubstr("zzzzzzzzzzzz.sqlite"), HasSubstr("it belongs to no run")),
                          AllOf(HasSubstr("journaledrun-0-4.sqlite"), HasSubstr("runs sync"))));
  EXPECT_THAT(*workspace_->check(), IsEmpty()) << "they are no damage";
}

TEST(NewWorkspaceTest, WhatAKilledProcessPlacedGoesUnlessItsRowWasStored) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto workspace = *Workspace::open(folder / "w");
    NewRun run;
    run.name = "child";
    const auto writer = *RunWriter::open(workspace, *workspace->createRun(run), {});
    const auto staging = stageCheckpoints(*workspace);
    bool done = staging.ok();
    for (const char* name : {"stored", "placed", "staged"}) {
      const auto staged = staging->path() / (std::string(name) + ".sqlite");
      std::ofstream(staged) << name;
      const std::string file = std::string("checkpoints/") + name + ".sqlite";
      if (name != std::string("staged")) done &= placeStagedCheckpoint(staged, folder / "w", file).ok();
      if (name == std::string("stored")) done &= writer->addCheckpoint(checkpointOf(name, 1, file)).ok();
    }
    ::_exit(done ? 7 : 1);  // no destructor, as in a crash
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 7);
  ASSERT_THAT(entriesOf(folder / "w/checkpoints"), SizeIs(3));
  const auto workspace = openStore(folder / "w");
  EXPECT_THAT(namesIn(folder / "w/checkpoints"), ElementsAre("stored.sqlite"));
  EXPECT_EQ(*readFile(folder / "w/checkpoints/stored.sqlite"), "stored");
  const auto staging = checked(stageCheckpoints(*workspace));
  std::ofstream(staging->path() / "mine.sqlite") << "mine";
  ASSERT_TRUE(placeStagedCheckpoint(staging->path() / "mine.sqlite", folder / "w", "checkpoints/mine.sqlite").ok());
  EXPECT_FALSE(placeStagedCheckpoint(staging->path() / "mine.sqlite", folder / "w", "checkpoints/stored.sqlite").ok());
  openStore(folder / "w");
  EXPECT_TRUE(std::filesystem::exists(folder / "w/checkpoints/mine.sqlite")) << "its process lives";
  EXPECT_TRUE(std::filesystem::exists(staging->path() / "mine.sqlite"));
}

TEST_F(WorkspaceTest, CheckpointsAreListedPinnedAndDeleted) {
  const std::string run = makeRun(*workspace_, "mini");
  const auto writer = startRun(workspace_, run);
  EXPECT_EQ(refused(writer->addCheckpoint(checkpointOf("a", 7, "checkpoints/none.sqlite"))).code, ErrorCode::NotFound);
  EXPECT_FALSE(writer->addCheckpoint(checkpointOf("a", 7, "../outside.sqlite")).ok());
  std::ofstream(workspace_->checkpointFolder() / "a.sqlite") << "content";
  CheckpointRecord record = checkpointOf("a", 7, "checkpoints/a.sqlite");
  record.metric = 2.5;
  record.verified = true;
  ASSERT_TRUE(writer->addCheckpoint(record).ok());
  ASSERT_TRUE(workspace_->setPinned("a", true).ok());
  const auto records = checked(workspace_->checkpoints(run));
  ASSERT_THAT(*records, SizeIs(1));
  const CheckpointRecord& stored = records->front();
  EXPECT_EQ(stored.run, run);
  EXPECT_EQ(stored.at, record.at);
  EXPECT_EQ(stored.bytes, 7);
  EXPECT_EQ(stored.metric, 2.5);
  EXPECT_TRUE(stored.pinned && stored.verified && stored.finite);
  EXPECT_EQ(workspace_->findRun(run)->summary.checkpoints, 1);
  std::ofstream(workspace_->checkpointFolder() / "a.sqlite") << "cut";
  EXPECT_THAT(*workspace_->check(), ElementsAre(HasSubstr("has 3 bytes, but 7 were written")));
  ASSERT_TRUE(workspace_->deleteCheckpoint("a").ok());
  EXPECT_FALSE(std::filesystem::exists(workspace_->checkpointFolder() / "a.sqlite"));
  EXPECT_EQ(workspace_->findCheckpoint("a").error().code, ErrorCode::NotFound);
  EXPECT_EQ(workspace_->deleteCheckpoint("a").error().code, ErrorCode::NotFound);
}

TEST_F(WorkspaceTest, ABackupIsAWorkspaceDatabase) {
  makeRun(*workspace_, "kept");
  std::filesystem::create_directory(folder_ / "copy");
  std::ofstream(folder_ / "copy" / "workspace.sqlite.partial") << "mine";
  ASSERT_TRUE(workspace_->backup(folder_ / "copy" / "workspace.sqlite").ok());
  EXPECT_EQ(*readFile(folder_ / "copy" / "workspace.sqlite.partial"), "mine");
  EXPECT_THAT(entriesOf(folder_ / "copy"), SizeIs(2)) << "something was left behind";
  EXPECT_EQ(workspace_->backup(folder_ / "copy" / "workspace.sqlite").error().code, ErrorCode::Config)
      << "never overwrites";
  const auto copy = openStore(folder_ / "copy");
  EXPECT_THAT(namesOf(*copy->listRuns()), ElementsAre("kept"));
}

TEST(NewWorkspaceTest, TheMarkChangesWithEachCommitOfAnyoneAndWithNothingElse) {
  const TempFolder folder;
  const auto mine = openStore(folder / "w"), others = openStore(folder / "w");
  const std::string run = makeRun(*mine, "first");
  const auto markNow = [&] { return mine->dataVersion().value(); };
  std::int64_t mark = markNow();
  EXPECT_EQ(markNow(), mark);
  EXPECT_TRUE(mine->listRuns().ok());
  EXPECT_EQ(markNow(), mark) << "reading is no change";
  ASSERT_TRUE(mine->setNote(run, "mine").ok());
  EXPECT_NE(markNow(), std::exchange(mark, markNow()));
  ASSERT_TRUE(others->setNote(run, "theirs").ok());
  EXPECT_NE(markNow(), std::exchange(mark, markNow()));
  const auto writer = startRun(others, run);
  writer->publish(rowOf(1));
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_NE(markNow(), mark);
}

}  // namespace
}  // namespace batchwise::test
