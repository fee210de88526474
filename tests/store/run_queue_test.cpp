// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/run_queue.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "core/store/journal/journal.h"
#include "core/store/recording/run_writer.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunQueueTest : public testing::Test {
 protected:
  LoadedConfig named(const std::string& name) { return parseConfig("name: " + name, "test", {}); }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    const auto content = queue_.read();
    for (const QueueEntry& entry : content->entries) names.push_back(entry.name);
    return names;
  }
  std::string idOf(const std::string& name) { return workspace_->findRun(name)->summary.id; }
  QueueEntry first() { return queue_.read()->entries.at(0); }
  /// Name of the run that gets the next turn, which ends at once without a run having begun; empty: none.
  std::string nextName() {
    const auto turn = queue_.takeNext();
    return turn.ok() && turn->run ? turn->run->summary.name : std::string();
  }

  enum class Checkpoints { None, One };
  /// One more segment of the run, which ends so.
  void writeSegment(const std::string& run, RunStatus end, Checkpoints checkpoints = Checkpoints::None) {
    const auto writer = test::checked(RunWriter::open(workspace_, run, {}));
    if (checkpoints == Checkpoints::One) {
      CheckpointRecord record;
      record.id = run + "-0-1";
      record.file = "checkpoints/" + record.id + ".sqlite";
      std::ofstream(workspace_->folder() / record.file) << "weights";
      ASSERT_TRUE((*writer)->addCheckpoint(record).ok());
    }
    (*writer)->publish(RunFinished{end, "killed", {}, ""});
    ASSERT_TRUE((*writer)->flush().ok());
  }
  /// The next run gets its turn, and is interrupted. Its id.
  std::string interruptNext(Checkpoints checkpoints = Checkpoints::One) {
    const auto turn = queue_.takeNext();
    const std::string id = turn->run->summary.id;
    writeSegment(id, RunStatus::Interrupted, checkpoints);
    EXPECT_TRUE(queue_.ended(id, RunStatus::Interrupted, "killed").ok());
    return id;
  }
  std::string database() { return (folder_ / "workspace" / "workspace.sqlite").native(); }
  void change(const std::string& sql) { ASSERT_GT(SQLite::Database(database(), SQLite::OPEN_READWRITE).exec(sql), 0); }

  test::TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "workspace");
  RunQueue queue_{workspace_};
};

TEST_F(RunQueueTest, AddingTellsTheRuns) {
  const auto ids =
      test::checked(queue_.add({named("first"), parseConfig("experiment: ramp\nvariant: none", "test", {})}));
  ASSERT_EQ(ids->size(), 2u);
  EXPECT_THAT(names(), ElementsAre("first", "ramp-none-seed=17"));
  EXPECT_EQ(queue_.read()->entries[1].experiment, "ramp");
  EXPECT_EQ(queue_.read()->entries[1].variant, "none");
  EXPECT_TRUE(queue_.remove(ids->front()).ok());
  EXPECT_THAT(names(), ElementsAre("ramp-none-seed=17"));
  EXPECT_EQ(workspace_->findRun(ids->front()).error().code, ErrorCode::NotFound);
}

TEST_F(RunQueueTest, ARunThatWaitsForItsBeginningIsNotListed) {
  NewRun run;
  run.name = "trained";
  const std::string trained = *workspace_->createRun(run);
  ASSERT_TRUE(queue_.add({named("waits")}).ok());
  EXPECT_EQ(workspace_->listRuns()->size(), 1u);
  EXPECT_EQ(workspace_->findRun("latest")->summary.id, trained);
  EXPECT_EQ(workspace_->findRun("waits")->summary.status, RunStatus::Queued);
  interruptNext();
  ASSERT_TRUE(queue_.release().ok());
  EXPECT_EQ(workspace_->listRuns()->size(), 2u) << "it has begun, and waits to be resumed";
}

TEST_F(RunQueueTest, RunsGetTheirTurnsInOrderOneAtATime) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->run);
  EXPECT_EQ(turn->run->summary.name, "a");
  EXPECT_EQ(turn->run->configYaml, "name: a");
  EXPECT_FALSE(turn->resumes);
  EXPECT_EQ(first().status, RunStatus::Running);
  EXPECT_TRUE(queue_.takeNext()->busy);
  ASSERT_TRUE(queue_.ended(turn->run->summary.id, RunStatus::Finished, "done").ok());
  turn = QueueTurn();
  EXPECT_EQ(nextName(), "b");
}

TEST_F(RunQueueTest, ARunThatHasEndedWaitsAgainAndIsResumedWithAnotherStop) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  std::string id;
  {
    const auto turn = queue_.takeNext();
    id = turn->run->summary.id;
    writeSegment(id, RunStatus::Finished, Checkpoints::One);
    ASSERT_TRUE(queue_.ended(id, RunStatus::Finished, "reached launch.stop_at").ok());
  }
  ASSERT_TRUE(queue_.requeue({{id, "name: a\nlaunch: {stop_at: 0.5dur}\n"}}).ok());
  EXPECT_THAT(names(), ElementsAre("b", "a"));
  EXPECT_EQ(nextName(), "b");
  ASSERT_TRUE(queue_.remove(queue_.read()->entries.front().id).ok());
  const auto turn = test::checked(queue_.takeNext());
  ASSERT_TRUE(turn->run) << turn->busy << turn->held << queue_.read()->entries.front().reason;
  EXPECT_TRUE(turn->resumes);
  EXPECT_EQ(turn->run->configYaml, "name: a\nlaunch: {stop_at: 0.5dur}\n");
}

TEST_F(RunQueueTest, ATurnThatIsGivenBackOrWhoseProgramDiesIsTheNextAgain) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  EXPECT_EQ(nextName(), "a");
  EXPECT_EQ(first().status, RunStatus::Queued);
  EXPECT_EQ(queue_.read()->held, "");
  EXPECT_EQ(nextName(), "a");
}

TEST_F(RunQueueTest, AnotherProgramSeesTheSameQueueAndItsTurn) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const auto turn = queue_.takeNext();
  RunQueue other(*Workspace::open(folder_ / "workspace"));
  EXPECT_EQ(other.read()->entries.at(0).status, RunStatus::Running);
  EXPECT_EQ(other.read()->waiting(), 1);
  EXPECT_TRUE(other.takeNext()->busy);
  EXPECT_EQ(other.remove(turn->run->summary.id).error().code, ErrorCode::Busy);
}

TEST_F(RunQueueTest, ARunThatAnotherProgramLeftTrainingKeepsTheQueueBusy) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const auto writer = test::checked(RunWriter::open(workspace_, idOf("a"), {}));
  EXPECT_TRUE(queue_.takeNext()->busy);
  (*writer)->publish(RunFinished{RunStatus::Finished, "done", {}, ""});
  ASSERT_TRUE((*writer)->flush().ok());
  EXPECT_EQ(nextName(), "b");
}

TEST_F(RunQueueTest, RunsAreMovedAndRemoved) {
  ASSERT_TRUE(queue_.add({named("a"), named("b"), named("c")}).ok());
  ASSERT_TRUE(queue_.move(idOf("c"), 0).ok());
  EXPECT_THAT(names(), ElementsAre("c", "a", "b"));
  ASSERT_TRUE(queue_.move(idOf("c"), 99).ok());
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(queue_.move(idOf("c"), 0).ok());
  EXPECT_THAT(names(), ElementsAre("a", "c", "b"));  // the one that trains keeps its place
  EXPECT_EQ(queue_.remove(idOf("a")).error().code, ErrorCode::Busy);
  ASSERT_TRUE(queue_.remove(idOf("c")).ok());
  EXPECT_EQ(queue_.remove("nothing").error().code, ErrorCode::NotFound);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
}

TEST_F(RunQueueTest, RunsAreMovedByStepsFromWhereTheyAre) {
  ASSERT_TRUE(queue_.add({named("a"), named("b"), named("c"), named("d")}).ok());
  const auto turn = queue_.takeNext();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(queue_.moveBy(idOf("d"), -1).ok());
  EXPECT_THAT(names(), ElementsAre("a", "d", "b", "c"));
  ASSERT_TRUE(queue_.moveBy(idOf("d"), -5).ok());
  EXPECT_THAT(names(), ElementsAre("a", "d", "b", "c")) << "the one that trains keeps its place";
  ASSERT_TRUE(queue_.moveBy(idOf("d"), 1).ok());
  EXPECT_THAT(names(), ElementsAre("a", "b", "d", "c"));
  ASSERT_TRUE(queue_.moveBy(idOf("b"), 99).ok());
  EXPECT_THAT(names(), ElementsAre("a", "d", "c", "b"));
  EXPECT_EQ(queue_.moveBy(idOf("a"), 1).error().code, ErrorCode::Config);
  EXPECT_EQ(queue_.moveBy("nothing", 1).error().code, ErrorCode::NotFound);
}

TEST_F(RunQueueTest, AFailureHoldsTheOthersUnlessToldOtherwise) {
  ASSERT_TRUE(queue_.add({named("a"), named("b"), named("c"), named("d")}).ok());
  ASSERT_TRUE(queue_.ended(idOf("a"), RunStatus::Failed, "no memory").ok());
  EXPECT_THAT(queue_.takeNext()->held, HasSubstr("a has failed"));
  EXPECT_EQ(first().reason, "no memory");
  EXPECT_GT(workspace_->findRun("a")->summary.endedMs, 0);
  ASSERT_TRUE(queue_.release().ok());
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  ASSERT_TRUE(queue_.ended(idOf("b"), RunStatus::Failed, "no memory").ok());
  EXPECT_EQ(nextName(), "c");
  ASSERT_TRUE(queue_.ended(idOf("c"), RunStatus::Stopped, "by the user").ok());
  EXPECT_THAT(queue_.takeNext()->held, HasSubstr("stopped"));
  ASSERT_TRUE(queue_.removeEnded().ok());
  EXPECT_THAT(names(), ElementsAre("d"));
  EXPECT_EQ(queue_.read()->held, "") << "what held it is out of the queue";
}

TEST_F(RunQueueTest, ABranchThatFailsHoldsNobodyButOneThatIsStoppedDoes) {
  ASSERT_TRUE(queue_.add({named("diverges"), named("is stopped")}, ForkOrigin{"parent", "checkpoint"}).ok());
  ASSERT_TRUE(queue_.add({named("b"), named("c")}).ok());
  {
    const auto turn = queue_.takeNext();
    writeSegment(turn->run->summary.id, RunStatus::Failed);
    ASSERT_TRUE(turn->run->resolvedValues.contains(resolved_names::kForkCheckpoint));
  }
  EXPECT_EQ(queue_.read()->held, "") << "nor if its program died before it recorded the end";
  ASSERT_TRUE(queue_.ended(idOf("diverges"), RunStatus::Failed, "its loss is not finite").ok());
  EXPECT_EQ(nextName(), "is stopped");
  ASSERT_TRUE(queue_.ended(idOf("is stopped"), RunStatus::Stopped, "by the user").ok());
  EXPECT_THAT(queue_.read()->held, HasSubstr("is stopped was stopped"));
  ASSERT_TRUE(queue_.release().ok());
  ASSERT_TRUE(queue_.ended(idOf("b"), RunStatus::Failed, "no memory", RunQueue::AfterFailure::GoOn).ok());
  EXPECT_EQ(nextName(), "c");
}

TEST_F(RunQueueTest, ManyThatAddAtOnceLoseNoRun) {
  constexpr int kWriters = 4, kEach = 8;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&] {
      RunQueue queue(*Workspace::open(folder_ / "workspace"));
      for (int i = 0; i < kEach; ++i) EXPECT_TRUE(queue.add({named("run")}).ok());
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(names().size(), std::size_t{kWriters * kEach});
}

TEST_F(RunQueueTest, AnInterruptedRunIsResumedWhenAUserStartsTheQueue) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  EXPECT_EQ(first().status, RunStatus::Interrupted);
  EXPECT_EQ(queue_.read()->waiting(), 2);
  EXPECT_THAT(queue_.read()->held, HasSubstr("a was interrupted"));
  ASSERT_TRUE(queue_.release().ok());
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->run);
  EXPECT_EQ(turn->run->summary.id, id);
  EXPECT_TRUE(turn->resumes);
}

TEST_F(RunQueueTest, WhatWasInterruptedBeforeItsFirstCheckpointBeginsAgain) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  const std::string id = interruptNext(Checkpoints::None);
  ASSERT_TRUE(queue_.release().ok());
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->run);
  EXPECT_EQ(turn->run->summary.id, id);
  EXPECT_FALSE(turn->resumes);
}

TEST_F(RunQueueTest, AnInterruptedRunIsNotResumedOverAndOver) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  interruptNext();
  EXPECT_EQ(nextName(), "b") << "though the queue goes on";
  ASSERT_TRUE(queue_.ended(idOf("b"), RunStatus::Finished, "done").ok());
  EXPECT_EQ(nextName(), "");
}

TEST_F(RunQueueTest, AResumeThatDoesNotBeginLeavesTheRunInterruptedAndSaysWhy) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  const std::string id = interruptNext();
  ASSERT_TRUE(queue_.release().ok());
  const std::size_t before = workspace_->events(id)->size();
  ASSERT_TRUE(queue_.ended(id, RunStatus::Failed, "its text is gone").ok());
  EXPECT_EQ(first().status, RunStatus::Interrupted);
  EXPECT_EQ(first().reason, "its text is gone");
  ASSERT_EQ(workspace_->events(id)->size(), before + 1);
  EXPECT_EQ(std::get<RunNote>(workspace_->events(id)->back().event).text, "its text is gone");
  ASSERT_TRUE(queue_.release().ok());
  ASSERT_TRUE(queue_.remove(id).ok());
  EXPECT_EQ(workspace_->findRun(id)->summary.status, RunStatus::Interrupted) << "it stays, as it has begun";
}

TEST_F(RunQueueTest, AHoldEndsWhenItsRunIsResumedByHand) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  ASSERT_THAT(queue_.read()->held, HasSubstr("a was interrupted"));
  writeSegment(id, RunStatus::Finished);
  EXPECT_EQ(first().status, RunStatus::Finished);
  EXPECT_EQ(queue_.read()->held, "");
  EXPECT_EQ(nextName(), "b");
}

TEST_F(RunQueueTest, ADeletedRunIsNoLongerInTheQueue) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  ASSERT_TRUE(workspace_->deleteRun(interruptNext()).ok());
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_EQ(nextName(), "b");
}

TEST_F(RunQueueTest, ARunThatCannotBeReadDoesNotBlockTheOthers) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  ASSERT_NO_FATAL_FAILURE(change("UPDATE run SET config_yaml='damaged' WHERE name='a'"));
  EXPECT_EQ(nextName(), "b");
  EXPECT_EQ(first().status, RunStatus::Failed);
  EXPECT_THAT(first().reason, HasSubstr("it cannot be read: "));
}

TEST_F(RunQueueTest, AWorkspaceThatCannotBeReadFailsNoRun) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  SQLite::Database(database(), SQLite::OPEN_READWRITE).exec("ALTER TABLE run_reference RENAME TO away");
  EXPECT_EQ(queue_.takeNext().error().code, ErrorCode::Internal);
  EXPECT_EQ(first().status, RunStatus::Queued);
}

TEST_F(RunQueueTest, ARunWhoseProgramWasKilledHoldsTheOthersLikeOneWhoseEndIsRecorded) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const auto killNext = [this](RunStatus end) {
    const auto turn = queue_.takeNext();
    writeSegment(turn->run->summary.id, end);
    EXPECT_EQ(queue_.read()->held, "") << "its program may still record the end";
    EXPECT_FALSE(queue_.takeNext()->run);
  };
  killNext(RunStatus::Interrupted);
  EXPECT_THAT(queue_.read()->held, HasSubstr("a was interrupted"));
  EXPECT_FALSE(queue_.takeNext()->run);
  ASSERT_TRUE(queue_.release().ok());
  EXPECT_EQ(queue_.read()->held, "");
  killNext(RunStatus::Failed);
  EXPECT_THAT(queue_.takeNext()->held, HasSubstr("a has failed"));
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  EXPECT_EQ(queue_.read()->held, "");
  ASSERT_TRUE(queue_.setContinueOnError(false).ok());
  ASSERT_TRUE(queue_.release().ok());
  killNext(RunStatus::Finished);
  EXPECT_EQ(queue_.read()->held, "");
}

TEST_F(RunQueueTest, ARunThatIsAboutToTrainIsNotDeleted) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  const std::string id = idOf("a");
  {
    const auto turn = queue_.takeNext();
    EXPECT_EQ(workspace_->deleteRun(id).error().code, ErrorCode::Busy);
  }
  EXPECT_TRUE(workspace_->deleteRun(id).ok());
}

TEST_F(RunQueueTest, AConfigurationWithErrorsIsRefused) {
  EXPECT_EQ(queue_.add({named("a"), parseConfig("seed: x", "test", {})}).error().code, ErrorCode::Config);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(RunQueueTest, AnUnknownStatusIsSaid) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  ASSERT_NO_FATAL_FAILURE(change("UPDATE run SET status='later'"));
  EXPECT_EQ(queue_.read().error().code, ErrorCode::Corrupt);
}

TEST_F(RunQueueTest, RunsThatAreHandedOverStayInTheWorkspaceAndNobodyTakesThem) {
  const auto ids = *queue_.add({named("begun"), named("new"), named("waits")});
  interruptNext();
  ASSERT_TRUE(queue_.handOver({ids[0], ids[1]}).ok());
  EXPECT_THAT(names(), ElementsAre("waits"));
  EXPECT_EQ(workspace_->findRun(ids[0])->summary.status, RunStatus::Interrupted);
  EXPECT_EQ(workspace_->findRun(ids[1])->summary.status, RunStatus::Created);
  EXPECT_EQ(workspace_->listRuns()->size(), 2u);
}

TEST_F(RunQueueTest, ARunThatTrainsDoesNotWaitAgain) {
  const auto ids = *queue_.add({named("ended"), named("resumed")});
  writeSegment(ids[0], RunStatus::Finished);
  const auto writer = test::checked(RunWriter::open(workspace_, ids[1], {}));
  const auto refused = queue_.requeue({{ids[0], "name: ended"}, {ids[1], "name: resumed"}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Busy);
  EXPECT_EQ(workspace_->findRun(ids[1])->summary.status, RunStatus::Running);
  EXPECT_EQ(workspace_->findRun(ids[0])->summary.status, RunStatus::Finished) << "all of them or none";
}

TEST_F(RunQueueTest, ARunThatIsRemovedBeforeItsEndIsRecordedHoldsNothing) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  {
    const auto turn = queue_.takeNext();
    const std::string id = turn->run->summary.id;
    writeSegment(id, RunStatus::Stopped);
    ASSERT_TRUE(queue_.remove(id).ok());
    EXPECT_TRUE(queue_.ended(id, RunStatus::Stopped, "by the user").ok()) << "the others are trained all the same";
  }
  EXPECT_EQ(nextName(), "b");
}

TEST_F(RunQueueTest, ARunThatKeepsAJournalEndsAsItsJournalSays) {
  const std::string id = test::checked(queue_.add({named("a")}))->front();
  const auto finish = [](JournalWriter& journal) {
    journal.publish(RunFinished{RunStatus::Finished, "reached launch.stop_at", {}, ""});
    EXPECT_TRUE(journal.flush().ok());
  };
  {
    const auto turn = queue_.takeNext();
    NewRun begun;
    begun.name = begun.configYaml = "name: a";
    finish(**test::checked(JournalWriter::create(workspace_->folder(), id, begun, {})));
    ASSERT_TRUE(queue_.ended(id, RunStatus::Finished, "").ok());
  }
  EXPECT_EQ(workspace_->findRun(id)->segments.size(), 1u);
  ASSERT_TRUE(queue_.requeue({{id, "name: a"}}).ok());
  {
    const auto turn = queue_.takeNext();
    finish(**test::checked(JournalWriter::resume(workspace_->folder(), id, {})));
    ASSERT_TRUE(queue_.ended(id, RunStatus::Finished, "").ok());
  }
  EXPECT_EQ(workspace_->findRun(id)->segments.size(), 2u);
  EXPECT_EQ(workspace_->findRun(id)->summary.status, RunStatus::Finished) << "not interrupted, as what only waited is";
}

TEST_F(RunQueueTest, ABranchThatIsNotNeededAnyMoreHoldsNothingThoughItWasStopped) {
  const auto ids = *queue_.add({named("branch"), named("next")});
  const auto stop = [&](RunQueue::AfterFailure after) {
    writeSegment(ids[0], RunStatus::Stopped);
    ASSERT_TRUE(queue_.ended(ids[0], RunStatus::Stopped, "", after).ok());
  };
  stop(RunQueue::AfterFailure::GoOn);
  EXPECT_EQ(queue_.read()->held, "");
  stop(RunQueue::AfterFailure::Default);
  EXPECT_EQ(queue_.read()->held, "run branch was stopped");
}

}  // namespace
}  // namespace batchwise
