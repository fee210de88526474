// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_queue.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "core/store/process_identity.h"
#include "core/store/recording/run_writer.h"
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
  std::string idOf(const std::string& name) {
    const auto content = queue_.read();
    for (const QueueEntry& entry : content->entries)
      if (entry.name == name) return entry.id;
    return {};
  }
  /// As if what this process has taken had been taken by one that is gone.
  void dieInTheStore() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    std::string text = **workspace_->setting("queue");
    const std::string own = "\"process\":" + std::to_string(getpid());
    text.replace(text.find(own), own.size(), "\"process\":" + std::to_string(child));
    ASSERT_TRUE(workspace_->saveSetting("queue", text).ok());
  }

  /// As if the machine had lost its power while this process had the entry, and had been started again.
  void loseThePower() {
    std::string text = **workspace_->setting("queue");
    const std::string system = currentProcess().system;
    const std::string boot = system.substr(0, system.find(' '));
    ASSERT_NE(text.find(boot), std::string::npos);
    text.replace(text.find(boot), boot.size(), "11111111-2222-3333-4444-555555555555");
    ASSERT_TRUE(workspace_->saveSetting("queue", text).ok());
  }

  enum class Checkpoints { None, One };
  /// One more segment of the run, which ends so.
  void writeSegment(const std::string& run, RunStatus end, Checkpoints checkpoints = Checkpoints::None) {
    const auto writer = RunWriter::open(workspace_, run, {});
    ASSERT_TRUE(writer.ok()) << writer.error().text();
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
  /// The next entry gets its turn, and its run is interrupted. Its id.
  std::string interruptNext(Checkpoints checkpoints = Checkpoints::One) {
    const auto turn = queue_.takeNext();
    NewRun run;
    run.name = turn->entry->name;
    run.configYaml = "name: " + run.name;
    const std::string id = *workspace_->createRun(run);
    EXPECT_TRUE(queue_.started(turn->entry->id, id).ok());
    writeSegment(id, RunStatus::Interrupted, checkpoints);
    return id;
  }

  /// A row of the run is changed by another program, and does not pass its checks any more.
  void damage(const std::string& run) {
    SQLite::Database database((folder_ / "workspace" / "workspace.sqlite").native(), SQLite::OPEN_READWRITE);
    SQLite::Statement update(database, "UPDATE run SET config_yaml='damaged' WHERE id=?");
    update.bind(1, run);
    ASSERT_EQ(update.exec(), 1);
    ASSERT_EQ(workspace_->findRun(run).error().code, ErrorCode::Corrupt);
  }
  test::TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "workspace");
  RunQueue queue_{workspace_};
};

TEST_F(RunQueueTest, AddingTellsTheEntries) {
  const auto ids = queue_.add({named("first"), parseConfig("experiment: ramp\nvariant: none", "test", {})});
  ASSERT_TRUE(ids.ok());
  ASSERT_EQ(ids->size(), 2u);
  EXPECT_THAT(names(), ElementsAre("first", "ramp-none-seed=17"));
  EXPECT_TRUE(queue_.remove(ids->front()).ok());
  EXPECT_THAT(names(), ElementsAre("ramp-none-seed=17"));
}

TEST_F(RunQueueTest, RunsGetTheirTurnsInOrderOneAtATime) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const auto first = queue_.takeNext();
  ASSERT_TRUE(first.ok() && first->entry);
  EXPECT_EQ(first->entry->name, "a");
  EXPECT_EQ(first->entry->request.config.config.name, "a");
  EXPECT_TRUE(queue_.takeNext()->busy);
  ASSERT_TRUE(queue_.ended(first->entry->id, RunStatus::Finished, "done").ok());
  EXPECT_EQ(queue_.takeNext()->entry->name, "b");
}

TEST_F(RunQueueTest, ATurnThatIsGivenBackIsTheNextAgain) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const auto first = queue_.takeNext();
  ASSERT_TRUE(first.ok() && first->entry);
  ASSERT_TRUE(queue_.requeue(first->entry->id).ok());
  EXPECT_EQ(queue_.read()->held, "");
  EXPECT_EQ(queue_.takeNext()->entry->name, "a");
  EXPECT_FALSE(queue_.requeue(idOf("b")).ok()) << "it has no turn";
}

TEST_F(RunQueueTest, AnotherProgramSeesTheSameQueue) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  workspace_ = *Workspace::open(folder_ / "workspace");
  queue_ = RunQueue(workspace_);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
}

TEST_F(RunQueueTest, EntriesAreMovedAndRemoved) {
  ASSERT_TRUE(queue_.add({named("a"), named("b"), named("c")}).ok());
  ASSERT_TRUE(queue_.move(idOf("c"), 0).ok());
  EXPECT_THAT(names(), ElementsAre("c", "a", "b"));
  ASSERT_TRUE(queue_.move(idOf("c"), 99).ok());
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  ASSERT_TRUE(queue_.takeNext()->entry.has_value());
  ASSERT_TRUE(queue_.move(idOf("c"), 0).ok());
  EXPECT_THAT(names(), ElementsAre("a", "c", "b"));  // the one that trains keeps its place
  EXPECT_EQ(queue_.remove(idOf("a")).error().code, ErrorCode::Busy);
  ASSERT_TRUE(queue_.remove(idOf("c")).ok());
  EXPECT_EQ(queue_.remove("nothing").error().code, ErrorCode::NotFound);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
}

TEST_F(RunQueueTest, EntriesAreMovedByStepsFromWhereTheyAre) {
  ASSERT_TRUE(queue_.add({named("a"), named("b"), named("c"), named("d")}).ok());
  ASSERT_TRUE(queue_.takeNext()->entry.has_value());
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
  ASSERT_TRUE(queue_.ended(queue_.takeNext()->entry->id, RunStatus::Failed, "no memory").ok());
  EXPECT_THAT(queue_.takeNext()->held, HasSubstr("a has failed"));
  ASSERT_TRUE(queue_.release().ok());
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  ASSERT_TRUE(queue_.ended(queue_.takeNext()->entry->id, RunStatus::Failed, "no memory").ok());
  const auto third = queue_.takeNext();
  ASSERT_TRUE(third->entry.has_value());
  ASSERT_TRUE(queue_.ended(third->entry->id, RunStatus::Stopped, "by the user").ok());
  EXPECT_THAT(queue_.takeNext()->held, HasSubstr("stopped"));
}

TEST_F(RunQueueTest, WhatADeadProgramHadNotBegunWaitsAgain) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  ASSERT_TRUE(queue_.takeNext()->entry.has_value());
  dieInTheStore();
  EXPECT_EQ(queue_.takeNext()->entry->name, "a");
}

TEST_F(RunQueueTest, WhatHadNotBegunWhenThePowerWentWaitsAgain) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  ASSERT_TRUE(queue_.takeNext()->entry.has_value());
  EXPECT_TRUE(queue_.takeNext()->busy);
  loseThePower();
  EXPECT_EQ(queue_.takeNext()->entry->name, "a");
}

TEST_F(RunQueueTest, ManyThatAddAtOnceLoseNoEntry) {
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

TEST_F(RunQueueTest, WhatHasEndedIsWhatTheStoreHasOfItWhoeverTookIt) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  NewRun run;
  run.name = "a";
  const std::string id = *workspace_->createRun(run);
  {
    const auto writer = RunWriter::open(workspace_, id, {});
    ASSERT_TRUE(writer.ok());
    RunFinished failed;
    failed.status = RunStatus::Failed;
    failed.reason = "no memory";
    (*writer)->publish(failed);
    ASSERT_TRUE((*writer)->flush().ok());
  }
  const auto turn = queue_.takeNext();
  EXPECT_EQ(queue_.read()->entries[0].status, RunStatus::Running);
  ASSERT_TRUE(queue_.started(turn->entry->id, id).ok());
  const auto content = queue_.read();
  EXPECT_EQ(content->entries[0].status, RunStatus::Failed);
  EXPECT_EQ(content->entries[0].reason, "no memory");
  EXPECT_THAT(content->held, HasSubstr("a has failed"));
}

TEST_F(RunQueueTest, AnInterruptedRunGetsItsTurnAgainToBeResumed) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  const auto content = queue_.read();
  EXPECT_EQ(content->entries[0].status, RunStatus::Interrupted);
  EXPECT_TRUE(content->entries[0].resumes());
  EXPECT_EQ(content->waiting(), 2);
  EXPECT_THAT(content->held, HasSubstr("a was interrupted"));
  ASSERT_TRUE(queue_.release().ok());
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->entry);
  EXPECT_EQ(turn->entry->request.resumeRun, id);
  EXPECT_EQ(queue_.read()->entries[0].status, RunStatus::Running) << "the resume has its turn, and has not begun";
  EXPECT_TRUE(queue_.takeNext()->busy);
}

TEST_F(RunQueueTest, WhatWasInterruptedBeforeItsFirstCheckpointBeginsAgainAsTheSameRun) {
  ASSERT_TRUE(queue_.add({named("a")}).ok());
  const std::string id = interruptNext(Checkpoints::None);
  ASSERT_TRUE(queue_.release().ok());
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->entry);
  EXPECT_EQ(turn->entry->request.runId, id);
  EXPECT_EQ(turn->entry->request.resumeRun, "");
  EXPECT_EQ(turn->entry->request.config.config.name, "a");
}

TEST_F(RunQueueTest, AResumeThatIsInterruptedTooOrDoesNotBeginIsNotMadeAgainUntilAPersonStartsTheQueue) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  const std::string id = interruptNext();
  ASSERT_EQ(queue_.takeNext()->entry->name, "a");
  writeSegment(id, RunStatus::Interrupted);
  EXPECT_FALSE(queue_.read()->entries[0].resumes());
  EXPECT_THAT(queue_.read()->entries[0].notResumed, HasSubstr("already resumed this run once"));
  EXPECT_EQ(queue_.takeNext()->entry->name, "b");
  ASSERT_TRUE(queue_.ended(idOf("b"), RunStatus::Finished, "done").ok());
  EXPECT_FALSE(queue_.takeNext()->entry.has_value());
  ASSERT_TRUE(queue_.release().ok());
  ASSERT_EQ(queue_.takeNext()->entry->name, "a");
  ASSERT_TRUE(queue_.ended(idOf("a"), RunStatus::Failed, "its text is gone").ok());
  const auto content = queue_.read();
  EXPECT_EQ(content->entries[0].status, RunStatus::Interrupted) << "as its run is";
  EXPECT_EQ(content->entries[0].notResumed, "its text is gone");
}

TEST_F(RunQueueTest, OnlyAnInterruptedEntrySaysThatItsRunIsNotResumed) {
  ASSERT_TRUE(queue_.add({named("a"), named("b"), named("c")}).ok());
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  const std::string finished = interruptNext();
  ASSERT_EQ(queue_.takeNext()->entry->name, "a");
  EXPECT_EQ(queue_.read()->entries[0].notResumed, "") << "it trains";
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());  // stores the queue meanwhile
  writeSegment(finished, RunStatus::Finished);
  EXPECT_EQ(queue_.read()->entries[0].status, RunStatus::Finished);
  EXPECT_EQ(queue_.read()->entries[0].notResumed, "");
  const std::string stopped = interruptNext();
  ASSERT_EQ(queue_.takeNext()->entry->name, "b");
  writeSegment(stopped, RunStatus::Stopped);
  ASSERT_TRUE(queue_.ended(idOf("b"), RunStatus::Stopped, "by the user").ok());
  EXPECT_EQ(queue_.read()->entries[1].status, RunStatus::Stopped);
  EXPECT_EQ(queue_.read()->entries[1].notResumed, "");
  ASSERT_TRUE(queue_.release().ok());
  const std::string interrupted = interruptNext();
  ASSERT_EQ(queue_.takeNext()->entry->name, "c");
  ASSERT_TRUE(queue_.setContinueOnError(true).ok());
  writeSegment(interrupted, RunStatus::Interrupted);
  EXPECT_THAT(queue_.read()->entries[2].notResumed, HasSubstr("already resumed this run once"));
}

TEST_F(RunQueueTest, AnEntryIsInTheStateOfItsRunWhoeverResumedIt) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  ASSERT_THAT(queue_.read()->held, HasSubstr("a was interrupted"));
  {
    const auto writer = RunWriter::open(workspace_, id, {});
    ASSERT_TRUE(writer.ok());
    EXPECT_EQ(queue_.read()->entries[0].status, RunStatus::Running);
    EXPECT_TRUE(queue_.takeNext()->busy);
    (*writer)->publish(RunFinished{RunStatus::Finished, "done", {}, ""});
    ASSERT_TRUE((*writer)->flush().ok());
  }
  EXPECT_EQ(queue_.read()->entries[0].status, RunStatus::Finished);
  EXPECT_EQ(queue_.read()->held, "") << "what held it is over";
  EXPECT_EQ(queue_.takeNext()->entry->name, "b");
}

TEST_F(RunQueueTest, AnInterruptedRunThatWasDeletedDoesNotBlockTheOnesBehindIt) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  ASSERT_TRUE(queue_.release().ok());  // what it was is stored
  ASSERT_TRUE(workspace_->deleteRun(id).ok());
  for (int start = 0; start < 2; ++start) {
    ASSERT_TRUE(queue_.release().ok());
    const auto content = queue_.read();
    ASSERT_TRUE(content.ok());
    EXPECT_EQ(content->entries[0].status, RunStatus::Interrupted);
    EXPECT_EQ(content->entries[0].notResumed, "its run was deleted");
    EXPECT_TRUE(content->entries[0].runMissing);
    EXPECT_EQ(content->waiting(), 1);
    const auto turn = queue_.takeNext();
    ASSERT_TRUE(turn.ok() && turn->entry);
    EXPECT_EQ(turn->entry->name, "b");
    ASSERT_TRUE(queue_.requeue(turn->entry->id).ok());
  }
  ASSERT_TRUE(queue_.removeEnded().ok());
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(RunQueueTest, ADeletedRunWhoseResumeWasGivenBackIsNotTrainedAnew) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  ASSERT_TRUE(queue_.release().ok());
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->entry);
  ASSERT_TRUE(queue_.requeue(turn->entry->id).ok());
  ASSERT_TRUE(workspace_->deleteRun(id).ok());
  EXPECT_EQ(queue_.read()->entries[0].notResumed, "its run was deleted");
  EXPECT_EQ(queue_.takeNext()->entry->name, "b");
}

TEST_F(RunQueueTest, ARunThatCannotBeReadIsTheTroubleOfItsEntryOnly) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  ASSERT_TRUE(queue_.release().ok());
  damage(id);
  const auto content = queue_.read();
  ASSERT_TRUE(content.ok()) << content.error().text();
  EXPECT_EQ(content->entries[0].status, RunStatus::Interrupted);
  EXPECT_THAT(content->entries[0].notResumed, HasSubstr("its run cannot be read: "));
  ASSERT_TRUE(queue_.release().ok());
  const auto turn = queue_.takeNext();
  ASSERT_TRUE(turn.ok() && turn->entry);
  EXPECT_EQ(turn->entry->name, "b");
}

TEST_F(RunQueueTest, WhatADeadProgramTookOfARunThatCannotBeReadWasInterrupted) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  const std::string id = interruptNext();
  damage(id);
  EXPECT_EQ(queue_.read()->entries[0].status, RunStatus::Running) << "who took it lives";
  dieInTheStore();
  const auto content = queue_.read();
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->entries[0].status, RunStatus::Interrupted);
  EXPECT_THAT(content->held, HasSubstr("a was interrupted"));
  ASSERT_TRUE(queue_.release().ok());
  EXPECT_EQ(queue_.takeNext()->entry->name, "b");
}

TEST_F(RunQueueTest, TheEndOfARunThatCannotBeReadIsWhatItsProgramSays) {
  ASSERT_TRUE(queue_.add({named("a"), named("b")}).ok());
  damage(interruptNext());
  ASSERT_TRUE(queue_.ended(idOf("a"), RunStatus::Finished, "done").ok());
  const auto content = queue_.read();
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->entries[0].status, RunStatus::Finished);
  EXPECT_EQ(content->entries[0].notResumed, "") << "the run of a finished entry is not looked at";
  EXPECT_EQ(queue_.takeNext()->entry->name, "b");
}

TEST_F(RunQueueTest, AConfigurationWithErrorsIsRefused) {
  EXPECT_EQ(queue_.add({named("a"), parseConfig("seed: x", "test", {})}).error().code, ErrorCode::Config);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(RunQueueTest, AQueueThatCannotBeReadIsSaid) {
  ASSERT_TRUE(workspace_->saveSetting("queue", "{").ok());
  EXPECT_EQ(queue_.read().error().code, ErrorCode::Corrupt);
  EXPECT_EQ(queue_.add({named("a")}).error().code, ErrorCode::Corrupt);
}

}  // namespace
}  // namespace batchwise
