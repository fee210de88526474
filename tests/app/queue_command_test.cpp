// SPDX-License-Identifier: GPL-3.0-or-later
// Grids and the queue from the terminal; nothing is trained here.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "core/store/recording/run_writer.h"
#include "core/store/run_queue.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"
#include "tests/app/command_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/scripted_slurm.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

class QueueCommandTest : public CommandTest {
 protected:
  std::vector<std::string> queued() const {
    std::vector<std::string> names;
    const auto listed = run({"queue", "list", "--json"}).json();
    for (const auto& entry : listed.at("entries")) names.push_back(entry.at("name"));
    return names;
  }
  std::string idAt(int place) const { return run({"queue", "list", "--json"}).json().at("entries").at(place).at("id"); }
};

TEST_F(QueueCommandTest, ASweepIsListedWithItsCountAndNothingElseHappens) {
  const ProgramResult listed =
      run({"sweep", "demo", "--over", "optimizer.lr=1e-3,2e-3", "--over", "seed=1,2,3", "--list"});
  EXPECT_EQ(listed.exitCode, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("6 runs"));
  EXPECT_THAT(listed.out, HasSubstr("seed=3"));
  EXPECT_FALSE(std::filesystem::exists(workspace()));
}

TEST_F(QueueCommandTest, AGridOfTheFileAndTheFlagsGoesIntoTheQueue) {
  const std::string file =
      write("grid.yaml", "name: g\ndata: {format: demo}\nmodel: {preset: tiny}\nmax_duration: 4ba\nseed: [1, 2]\n");
  const ProgramResult added = run({"sweep", file, "--over", "precision=fp32,bf16"});
  ASSERT_EQ(added.exitCode, 0) << added.err;
  EXPECT_EQ(queued().size(), 4U);
  EXPECT_THAT(queued().back(), HasSubstr("precision=bf16"));
}

TEST_F(QueueCommandTest, CheckAndPreviewKnowTheRunsOfAFile) {
  const std::string grid = "name: g\nmodel: {preset: tiny}\nmax_duration: 4ba\nseed: [1, 2]\n";
  const std::string file = write("grid.yaml", grid + "data: {format: demo}\n");
  const ProgramResult checked = run({"config", "check", file});
  EXPECT_EQ(checked.exitCode, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("2 runs\n  g-seed=1\n  g-seed=2\n"));
  const auto told = run({"config", "check", file, "--json"}).json();
  EXPECT_TRUE(told.at("ok"));
  EXPECT_EQ(told.at("runs").at(1).at("name"), "g-seed=2");
  const ProgramResult planned = run({"preview", file});
  EXPECT_EQ(planned.exitCode, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("All 2 runs, one after the other"));
  EXPECT_EQ(run({"preview", file, "--json"}).json().at("runs").size(), 2U);
  EXPECT_THAT(run({"preview", file, "--run", "2"}).out, HasSubstr("Cost on this machine"));
  EXPECT_EQ(run({"preview", file, "--run", "3"}).exitCode, 2);
}

TEST_F(QueueCommandTest, AMistakeOfOneRunOfAFileIsSaidWithItsName) {
  const std::string file = write("grid.yaml",
                                 "name: g\ndata: {format: demo}\nmodel: {preset: tiny, num_attention_heads: [2, 3]}\n"
                                 "max_duration: 4ba\n");
  for (const char* command : {"config check", "preview", "queue add"}) {
    const ProgramResult result = run(words(command, {file}));
    EXPECT_EQ(result.exitCode, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("3 heads do not divide")) << command;
    EXPECT_THAT(result.err, HasSubstr("g-num_attention_heads=3")) << command;
  }
}

TEST_F(QueueCommandTest, TheRunThatIsLookedAtIsCheckedAlone) {
  const std::string file = write("grid.yaml",
                                 "name: g\ndata: {format: demo}\nmodel: {preset: tiny, num_attention_heads: [2, 3]}\n"
                                 "max_duration: 4ba\n");
  const ProgramResult first = run({"preview", file, "--run", "1"});
  EXPECT_EQ(first.exitCode, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Cost on this machine"));
  const ProgramResult second = run({"preview", file, "--run", "2"});
  EXPECT_EQ(second.exitCode, 2);
  EXPECT_THAT(second.err, HasSubstr("run 'g-num_attention_heads=3'"));
  EXPECT_THAT(run({"preview", write("bad.yaml", "name: [1\n"), "--run", "2"}).err, testing::Not(HasSubstr("--run")));
}

TEST_F(QueueCommandTest, NotesOfAllRunsAreShownOnceWithTheNameOfTheRun) {
  const std::string file = write("grid.yaml",
                                 "name: g\ndata: {format: demo}\nmodel: {preset: tiny}\nmax_duration: 200ba\n"
                                 "batch: {global_train_batch_size: 8, device_train_microbatch_size: 8}\n"
                                 "scheduler: {name: linear_with_warmup, t_warmup: [10ba, 400ba, 500ba]}\n");
  const ProgramResult one = run({"preview", file, "--run", "2"});
  EXPECT_THAT(one.out + one.err, HasSubstr("400ba")) << "a warm-up longer than the run";
  const ProgramResult all = run({"preview", file});
  EXPECT_THAT(all.err,
              testing::AllOf(HasSubstr("note: run 'g-t_warmup=400ba': "), HasSubstr("note: run 'g-t_warmup=500ba': "),
                             testing::Not(HasSubstr("g-t_warmup=10ba"))));
  const ProgramResult swept =
      run({"sweep", "demo", "--list", "--over", "model.num_hidden_layers=2,60", "--over", "seed=1,2"});
  EXPECT_THAT(swept.err, HasSubstr("note: run 'demo-num_hidden_layers=60-seed=1': model.num_hidden_layers: "));
  EXPECT_THAT(swept.err, testing::Not(HasSubstr("seed=2"))) << "the same note";
}

TEST_F(QueueCommandTest, EntriesAreAddedMovedAndRemoved) {
  for (const char* name : {"a", "b", "c"})
    ASSERT_EQ(run({"queue", "add", "demo", "--set", std::string("name=") + name}).exitCode, 0);
  const ProgramResult moved = run({"queue", "move", idAt(2), "1", "--json"});
  EXPECT_EQ(moved.exitCode, 0) << moved.err;
  EXPECT_EQ(moved.json(), run({"queue", "list", "--json"}).json());
  EXPECT_EQ(queued(), (std::vector<std::string>{"c", "a", "b"}));
  const ProgramResult removed = run({"queue", "remove", idAt(1), "--json"});
  EXPECT_EQ(removed.json().at("schema"), "batchwise.queue/1") << removed.err;
  EXPECT_EQ(removed.json(), run({"queue", "list", "--json"}).json());
  EXPECT_EQ(queued(), (std::vector<std::string>{"c", "b"}));
  EXPECT_THAT(run({"queue", "list"}).out, HasSubstr("waiting"));
  EXPECT_EQ(run({"queue", "remove", "ended", "--json"}).json().at("entries").size(), 2U) << "they wait";
  EXPECT_EQ(run({"queue", "remove", "nothing"}).exitCode, 2);
}

TEST_F(QueueCommandTest, ARunOfTheQueueIsNotSubmittedToAClusterToo) {
  ASSERT_EQ(run({"queue", "add", "demo"}).exitCode, 0);
  const std::string id = idAt(0);
  const ProgramResult submitted = run({"submit", "--resume", id});
  EXPECT_EQ(submitted.exitCode, 1) << submitted.out;
  EXPECT_THAT(submitted.err, HasSubstr("batchwise queue remove " + id));
}

TEST_F(QueueCommandTest, AWorkspaceThatIsNotThereIsNotMade) {
  for (const Words& words : {Words{"queue", "run"}, Words{"queue", "remove", "ended"}}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("there is no workspace in"));
  }
  EXPECT_FALSE(std::filesystem::exists(workspace()));
  ASSERT_EQ(run({"queue", "add", "demo"}).exitCode, 0);
  ASSERT_EQ(run({"queue", "remove", idAt(0)}).exitCode, 0);
  const ProgramResult empty = run({"queue", "run"});
  EXPECT_EQ(empty.exitCode, 0);
  EXPECT_THAT(empty.err, HasSubstr("the queue is empty"));
}

TEST_F(QueueCommandTest, SeedsAreAddedUpToTheMostRunsOfASweep) {
  ASSERT_EQ(run({"queue", "add", "demo"}).exitCode, 0);
  const std::string id = idAt(0);
  const ProgramResult many = run({"runs", "add-seeds", id, "--seeds", "99999999"});
  EXPECT_EQ(many.exitCode, 2);
  EXPECT_THAT(many.err, HasSubstr("--seeds"));
  EXPECT_THAT(run({"runs", "add-seeds", id, "--seeds", "1"}).out, HasSubstr("all have so many seeds already"));
  EXPECT_THAT(run({"runs", "add-seeds", id, "--seeds", "3"}).out, HasSubstr("2 runs added"));
}

TEST_F(QueueCommandTest, ASearchWhoseFirstRungLearnsNothingIsRefused) {
  const ProgramResult search = run({"study", "search", "demo", "--name", "s", "--over", "optimizer.lr=1e-4..1e-2 log",
                                    "--rungs", "4", "--keep", "1/100"});
  EXPECT_EQ(search.exitCode, 2);
  EXPECT_THAT(search.err, HasSubstr("the first of 4 rungs would end at 1e-06 of the length"));
  EXPECT_FALSE(std::filesystem::exists(workspace()));
}

TEST_F(QueueCommandTest, ASearchOfArmsThatAreNotEvaluatedAlikeIsRefused) {
  const ProgramResult search =
      run({"study", "search", "demo", "--name", "s", "--arms", "2", "--over", "eval.mlm_probability=0.1,0.2"});
  EXPECT_EQ(search.exitCode, 2);
  EXPECT_THAT(search.err, HasSubstr("they differ in eval.mlm_probability"));
}

class SearchCommandTest : public QueueCommandTest {
 protected:
  const Words search_ =
      words("study search demo --name rates --arms 3 --rungs 1 --seed 3 --set max_duration=40ba --set devices=cpu",
            {"--over", "optimizer.lr=1e-5..1e-2 log"});

  /// Lets a search enter its arms, and get no further. Returns their ids.
  std::vector<std::string> enterArms() const {
    {
      RunQueue queue(*checked(Workspace::open(workspace())));
      const auto ids = *checked(queue.add({checked(parseConfig("name: held", "test", {}))}));
      EXPECT_TRUE(queue.ended(ids[0], RunStatus::Stopped, "by the user").ok());
    }
    EXPECT_THAT(run(search_).err, HasSubstr("the queue is held"));
    RunQueue queue(*checked(Workspace::open(workspace())));
    EXPECT_TRUE(queue.removeEnded().ok());
    std::vector<std::string> ids;
    const auto content = checked(queue.read());
    for (const QueueEntry& entry : content->entries) ids.push_back(entry.id);
    EXPECT_EQ(ids.size(), 3U);
    return ids;
  }
  /// Records a global batch of an arm, and its evaluation.
  static std::unique_ptr<RunWriter> begin(const std::shared_ptr<Workspace>& workspace, const std::string& arm,
                                          std::int64_t tokens = 80) {
    auto writer = *checked(RunWriter::open(workspace, arm, {}));
    MetricsRow row;
    EvalResult evaluation;
    row.at = evaluation.at = Timestamp().afterStep({8, tokens, 0.1}, 8).afterBatch();
    row.loss = evaluation.loss = 3;
    writer->publish(row);
    writer->publish(evaluation);
    EXPECT_TRUE(writer->flush().ok());
    return writer;
  }
  static void end(RunWriter& writer, RunStatus status, std::int64_t tokens = 80) {
    writer.publish(RunFinished{status, "told so", Timestamp().afterStep({8, tokens, 0.1}, 8).afterBatch(), ""});
    EXPECT_TRUE(writer.flush().ok());
  }
  template <typename Condition>
  static bool comes(const Condition& condition) {
    for (int looks = 0; looks < 3000 && !condition(); ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return condition();
  }
};

TEST_F(SearchCommandTest, ASearchDoesNotDecideWithoutAnArmWhoseProgramWasKilled) {
  const auto arms = enterArms();
  const auto store = *checked(Workspace::open(workspace()));
  end(*begin(store, arms[1]), RunStatus::Finished);
  end(*begin(store, arms[2]), RunStatus::Stopped);
  auto other = begin(store, arms[0]);  // in the process of this test
  RunningProgram searching(folder_.path(), withWorkspace(search_));
  ASSERT_TRUE(comes([&] { return store->findRun(arms[2])->summary.status == RunStatus::Queued; }));
  ASSERT_TRUE(RunQueue(store).remove(arms[2]).ok()) << "so that it has nothing to train";
  other.reset();  // without a word
  if (!comes([&] { return searching.hasEnded(); })) searching.signal(SIGKILL);
  const ProgramResult ended = searching.wait();
  EXPECT_EQ(ended.exitCode, 2) << ended.out;
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr("the other arms are not judged without"),
                                        HasSubstr("the program was closed or killed during training")));
}

TEST_F(SearchCommandTest, ArmsThatHaveSeenUnequalNumbersOfTokensAreNotJudged) {
  const auto arms = enterArms();
  {
    const auto store = *checked(Workspace::open(workspace()));
    for (const std::size_t arm : {0U, 1U, 2U}) {  // each near the one before
      const std::int64_t tokens = 1'000 + 45 * static_cast<std::int64_t>(arm);
      end(*begin(store, arms[arm], tokens), RunStatus::Finished, tokens);
    }
  }
  const ProgramResult searched = run(search_);
  EXPECT_EQ(searched.exitCode, 2) << searched.out;
  EXPECT_THAT(searched.err, HasSubstr("arms have seen 1.00k and 1.09k tokens"));
}

TEST_F(SearchCommandTest, TheQueueGoesOnAfterAnotherProgramHasHeldTheStore) {
  enterArms();
  const auto store = *checked(Workspace::open(workspace()));
  RunQueue queue(store);
  const auto others = *checked(
      queue.add({checked(parseConfig("name: first", "test", {})), checked(parseConfig("name: second", "test", {}))}));
  ASSERT_TRUE(queue.move(others[1], 0).ok() && queue.move(others[0], 0).ok());
  auto turn = *checked(queue.takeNext());
  ASSERT_TRUE(turn.run);
  RunningProgram searching(folder_.path(), withWorkspace(search_));
  ASSERT_TRUE(comes([&] { return searching.errSoFar().find("second") != std::string::npos; })) << "it waits now";
  SQLite::Database other((workspace() / kDatabaseName).string(), SQLite::OPEN_READWRITE, 60'000);
  other.exec("BEGIN IMMEDIATE");
  turn = QueueTurn();
  const auto waits = [&] { return searching.errSoFar().find("batchwise: waiting: ") != std::string::npos; };
  EXPECT_TRUE(comes([&] { return waits() || searching.hasEnded(); }) && waits()) << searching.errSoFar();
  other.exec("UPDATE run SET status='created', queue_position=NULL WHERE queue_position IS NOT NULL");
  other.exec("COMMIT");
  if (!comes([&] { return searching.hasEnded(); })) searching.signal(SIGKILL);
  const ProgramResult ended = searching.wait();
  EXPECT_EQ(ended.exitCode, 2) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("arms of the search are on a Slurm cluster")) << "it has nothing to train";
}

TEST_F(SearchCommandTest, AnArmThatBeganAndHasAJobOnAClusterIsNotTrainedHereToo) {
  ScriptedSlurm slurm;
  const auto arms = enterArms();
  {
    const auto store = *checked(Workspace::open(workspace()));
    for (const std::string& arm : arms) end(*begin(store, arm), RunStatus::Interrupted);
    std::ofstream(slurmRequestFile(workspace(), arms[1])) << "{}";
    std::ofstream(workspace() / "runs" / (arms[0] + ".sbatch")) << "\nruns=(" << arms[0] << " " << arms[1] << ")\n";
  }
  slurm.setNames("41_1|batchwise-" + arms[0] + "\n");
  const ProgramResult searched = run(search_);
  EXPECT_EQ(searched.exitCode, 2) << searched.out;
  EXPECT_THAT(searched.err, HasSubstr("arms of the search are on a Slurm cluster"));
  const ProgramResult resumed = run({"resume", arms[1]});
  EXPECT_EQ(resumed.exitCode, 1) << resumed.out;
  EXPECT_THAT(resumed.err, HasSubstr("is on a Slurm cluster"));
  const auto store = *checked(Workspace::open(workspace()));
  for (const std::string& arm : arms) EXPECT_EQ(store->findRun(arm)->summary.status, RunStatus::Interrupted);
}

TEST_F(QueueCommandTest, WhatIsWrongIsSaidBeforeAnythingIsAdded) {
  const ProgramResult bad = run({"sweep", "demo", "--over", "optimizer.lr=1e-3,fast"});
  EXPECT_EQ(bad.exitCode, 2);
  EXPECT_THAT(bad.err, HasSubstr("fast"));
  EXPECT_EQ(run({"sweep", "demo", "--over", "no.such=1,2"}).exitCode, 2);
  EXPECT_FALSE(std::filesystem::exists(workspace()));
}

}  // namespace
}  // namespace batchwise::test
