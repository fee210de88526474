// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_writer.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "core/store/recording/segment_writer.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"
#include "core/store/writer_thread.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// Asks until the answer is yes; false after 10 s.
template <typename Question>
bool eventually(const Question& question) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (std::chrono::steady_clock::now() < deadline) {
    if (question()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return false;
}

TEST(WriterThreadTest, WaitsLongForALockOnlyUntilItIsKnownToBeHeld) {
  const TempFolder folder;
  openStore(folder / "w");
  const auto file = folder / "w/workspace.sqlite", lockFile = folder / "w/workspace.lock";
  WriterThread writer(openDatabase(file, DatabaseUse::Write), file, *FileLock::open(lockFile),
                      {.first = std::chrono::seconds{2}, .whenHeld = std::chrono::milliseconds{1}});
  const auto nothing = [](SQLite::Database&) -> Result<void> { return {}; };
  const auto other = FileLock::open(lockFile);
  for (int holds = 0; holds < 2; ++holds) {
    {
      const auto held = checked(other->acquire());
      EXPECT_THAT(writer.execute(nothing).error().message, HasSubstr("for 2 s"));
      for (int next = 0; next < 3; ++next) EXPECT_THAT(writer.execute(nothing).error().message, HasSubstr("for 0 s"));
    }
    EXPECT_TRUE(writer.execute(nothing).ok());
  }
}

class RunWriterTest : public testing::Test {
 protected:
  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = openStore(folder_ / "w");
  std::string run_ = makeRun(*workspace_, "run");
};

TEST_F(RunWriterTest, RowsAppearByThemselvesWithinAGroup) {
  const auto writer = startRun(workspace_, run_);
  writer->publish(rowOf(1));
  EXPECT_TRUE(eventually([&] { return workspace_->series(run_, "loss")->size() == 1; }));
  EXPECT_FALSE(writer->writeError().has_value());
}

TEST_F(RunWriterTest, NonFiniteLossIsShownAsItIs) {
  const auto writer = startRun(workspace_, run_);
  writer->publish(rowOf(1, std::numeric_limits<double>::quiet_NaN()));
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(workspace_->findRun(run_)->summary.loss.has_value());
  EXPECT_TRUE(std::isnan(*workspace_->findRun(run_)->summary.loss));
  writer->publish(rowOf(2, -std::numeric_limits<double>::infinity()));
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(*workspace_->findRun(run_)->summary.loss, -std::numeric_limits<double>::infinity());
}

TEST_F(RunWriterTest, OneWriterPerRun) {
  auto writer = startRun(workspace_, run_);
  const auto second = RunWriter::open(workspace_, run_, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::Busy);
  EXPECT_THAT(second.error().text(), HasSubstr("stop that process first"));
  const auto elsewhere = openStore(folder_ / "w");  // a second store, as another process has it
  EXPECT_EQ(RunWriter::open(elsewhere, run_, {}).error().code, ErrorCode::Busy);
  writer.reset();
  EXPECT_TRUE(RunWriter::open(elsewhere, run_, {}).ok()) << "nobody writes it any more";
  EXPECT_EQ(RunWriter::open(workspace_, "nosuchrun", {}).error().code, ErrorCode::NotFound);
}

TEST_F(RunWriterTest, ARunWhoseWriterWentAwayBecomesInterrupted) {
  auto writer = startRun(workspace_, run_);
  writer->publish(rowOf(1));
  EXPECT_EQ(*workspace_->markDeadRuns(), 0);
  EXPECT_EQ(workspace_->findRun(run_)->summary.status, RunStatus::Running);
  writer.reset();
  EXPECT_EQ(*workspace_->markDeadRuns(), 1);
  const auto found = workspace_->findRun(run_);
  EXPECT_EQ(found->summary.status, RunStatus::Interrupted);
  EXPECT_THAT(found->summary.reason, HasSubstr("the program was closed or killed during training"));
  EXPECT_EQ(found->summary.at.batch, 1) << "what was published is kept";
  EXPECT_EQ(*workspace_->markDeadRuns(), 0);
}

TEST_F(RunWriterTest, DeletingTheFileOfTheLocksLetsNobodyElseWrite) {
  const auto writer = startRun(workspace_, run_);
  writer->publish(rowOf(1));
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(std::filesystem::remove(folder_ / "w/workspace.writers"));
  EXPECT_EQ(RunWriter::open(openStore(folder_ / "w"), run_, {}).error().code, ErrorCode::Busy);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(folder_ / "w/workspace.writers"); }));
  const auto later = openStore(folder_ / "w", LaterClock());
  EXPECT_EQ(later->findRun(run_)->summary.status, RunStatus::Running) << "the lock is in the new file";
}

TEST(LeftRunTest, ARunWithoutTheFileOfTheLocksIsDeadAfterMinutesOfSilence) {
  const TempFolder folder;
  const std::string run = makeRun(*openStore(folder / "w"), "run");
  { const auto writer = startRun(openStore(folder / "w"), run); }
  ASSERT_TRUE(std::filesystem::remove(folder / "w/workspace.writers"));
  EXPECT_EQ(openStore(folder / "w")->findRun(run)->summary.status, RunStatus::Running);
  EXPECT_EQ(openStore(folder / "w", LaterClock())->findRun(run)->summary.status, RunStatus::Interrupted);
}

// A writer that was replaced, as one of a journal on another host may be.
TEST_F(RunWriterTest, AReplacedWriterChangesNothingOfItsSuccessor) {
  const auto done = workspace_->state().write([&](SQLite::Database& database) -> Result<void> {
    const std::int64_t number = *runNumber(database, run_);
    const RunClaim first{number, 0, true, "far", 1, 1'000'000};
    const RunClaim second{number, 0, true, "farther", 2, 2'000'000};
    EXPECT_EQ(*openSegment(database, first, {}, folder_ / "w"), 0);
    SegmentEventWriter replaced(number, 0), successor(number, 1);
    EXPECT_EQ(*openSegment(database, second, {afterBatches(5), "", "{}", ""}, folder_ / "w"), 1);
    successor.write(database, {2'000'001, rowOf(6)});
    EXPECT_TRUE(successor.finishTransaction(database).ok());
    RunStarted longer;
    longer.plannedBatches = 99;
    replaced.write(database, {3'000'000, longer});
    replaced.write(database, {3'000'000, rowOf(9)});
    EXPECT_TRUE(replaced.finishTransaction(database).ok());
    EXPECT_FALSE(updateClaim(database, number, 0, 3'000'000));
    EXPECT_EQ(claimOn(database, number)->writtenMs, 2'000'000);
    return {};
  });
  ASSERT_TRUE(done.ok()) << done.error().text();
  const RunSummary summary = workspace_->findRun(run_)->summary;
  EXPECT_EQ(summary.at.batch, 6);
  EXPECT_EQ(summary.plannedBatches, 100) << "as it was entered";
}

TEST(LeftRunTest, AProcessThatDiedLeavesAnInterruptedRun) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto workspace = Workspace::open(folder / "w");
    NewRun run;
    run.name = "child";
    const auto writer = RunWriter::open(*workspace, *(*workspace)->createRun(run), {});
    (*writer)->publish(rowOf(1));
    ::_exit((*writer)->flush().ok() ? 7 : 1);  // no destructor, as in a crash
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 7);
  const auto workspace = openStore(folder / "w");
  const auto found = checked(workspace->findRun("child"));
  EXPECT_EQ(found->summary.status, RunStatus::Interrupted);
  EXPECT_THAT(found->summary.reason, HasSubstr(std::to_string(child)));
  EXPECT_EQ(found->summary.at.batch, 1);
  EXPECT_TRUE(RunWriter::open(workspace, found->summary.id, {afterBatches(1), "", "{}", ""}).ok()) << "it can go on";
}

TEST(LeftRunTest, WhoResumesARunRemovesItsFilesWithoutARow) {
  const TempFolder folder;
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run"), other = makeRun(*workspace, "other");
  const auto pathOf = [&](const std::string& name) { return workspace->checkpointFolder() / (name + ".sqlite"); };
  auto writer = startRun(workspace, run);
  startRun(workspace, other).reset();
  const std::vector<std::string> kept = {run + "-0-3",    // has a row
                                         run + "-0-2",    // pinned
                                         run + "-0-7",    // farther than any that has a row
                                         run + "-1-3",    // of a segment that the database does not know
                                         run + "-1-0-5",  // of a run with a longer id
                                         other + "-0-5", "abcdefghijkl"};
  for (const std::string& name : kept) std::ofstream(pathOf(name)) << "content";
  std::ofstream(pathOf(run + "-0-2").native() + ".pin") << "";
  const std::string stray = run + "-0-1";
  std::ofstream(pathOf(stray)) << "content";
  ASSERT_TRUE(writer->addCheckpoint(checkpointOf(kept[0], 3, "checkpoints/" + kept[0] + ".sqlite")).ok());
  const Timestamp at = afterBatches(3);
  ASSERT_FALSE(RunWriter::open(workspace, run, {at, kept[0], "{}", ""}).ok());
  EXPECT_TRUE(std::filesystem::exists(pathOf(stray))) << "its writer may be about to store the row";
  writer.reset();
  const auto journal = folder / "w/runs" / (run + kJournalEnding);
  std::ofstream(journal) << "";
  ASSERT_TRUE(RunWriter::open(workspace, run, {at, kept[0], "{}", ""}).ok());
  EXPECT_TRUE(std::filesystem::exists(pathOf(stray))) << "another host may have written it";
  std::filesystem::remove(journal);
  std::filesystem::rename(pathOf(run + "-1-3"), pathOf(run + "-3-3"));
  ASSERT_TRUE(RunWriter::open(workspace, run, {at, kept[0], "{}", ""}).ok());
  EXPECT_FALSE(std::filesystem::exists(pathOf(stray)));
  std::filesystem::rename(pathOf(run + "-3-3"), pathOf(run + "-1-3"));
  for (const std::string& name : kept) EXPECT_TRUE(std::filesystem::exists(pathOf(name))) << name;
}

TEST_F(RunWriterTest, SeveralThreadsMayPublishAndRead) {
  const auto writer = startRun(workspace_, run_);
  constexpr std::int64_t kEach = 1500;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      EXPECT_TRUE(workspace_->seriesBuckets(run_, "loss", 0, 3 * kEach, 50).ok());
      EXPECT_TRUE(workspace_->listRuns().ok());
      EXPECT_TRUE(workspace_->setNote(run_, "written while it runs").ok());
    }
  });
  std::vector<std::thread> publishers;
  for (std::int64_t part = 0; part < 3; ++part)
    publishers.emplace_back([&, part] {
      for (std::int64_t i = 0; i < kEach; ++i)
        writer->publish(RunNote{NoteLevel::Info, "x", afterBatches(part * kEach + i)});
    });
  for (auto& publisher : publishers) publisher.join();
  EXPECT_TRUE(writer->flush().ok());
  done = true;
  reader.join();
  EXPECT_THAT(*workspace_->events(run_), SizeIs(3 * kEach));
}

TEST_F(RunWriterTest, TheEndIsNotedOnceAndFreesTheRun) {
  const auto writer = startRun(workspace_, run_);
  writer->publish(RunFinished{RunStatus::Failed, "out of memory", afterBatches(4), ""});
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(*workspace_->markDeadRuns(), 0);
  EXPECT_EQ(workspace_->findRun(run_)->summary.status, RunStatus::Failed);
  EXPECT_EQ(workspace_->findRun(run_)->summary.reason, "out of memory");
  EXPECT_TRUE(RunWriter::open(workspace_, run_, {}).ok());
}

}  // namespace
}  // namespace batchwise::test
