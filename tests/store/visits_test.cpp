// SPDX-License-Identifier: GPL-3.0-or-later
// Other programs open, read, vacuum and checkpoint the database while it is written, and after kill -9. They use plain
// SQLite and know nothing of our locks.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

#include "core/store/database.h"
#include "tests/store/store_fixture.h"
#include "tests/store/writer_process.h"
#include "tests/support/checked.h"
#include "tests/support/posix_locks.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

int visit(const fs::path& folder, const std::string& action, double seconds = 0.3) {
  const std::string script = (sourceRoot() / "tests/store/visitor.py").native();
  return std::system(("/usr/bin/python3 '" + script + "' '" + (folder / "workspace.sqlite").native() + "' " + action +
                      " " + std::to_string(seconds))
                         .c_str());
}

TEST(StoreVisitsTest, NothingAcknowledgedIsLostWhateverAVisitorDoes) {
  constexpr std::array kActions{"read", "vacuum", "analyze", "checkpoint", "backup", "hold", "block", "leave-wal"};
  std::mt19937_64 random(31);
  std::optional<TempFolder> folder;
  Acknowledged known;
  for (int trial = 0; trial < repeats(16, 200); ++trial) {
    if (trial % 15 == 0) {
      folder.emplace();
      known = {};
    }
    const fs::path workspace = *folder / "w";
    const std::string action = kActions[static_cast<std::size_t>(trial) % kActions.size()];
    WriterProcess writer(workspace, "run", 0, 40 + static_cast<std::int64_t>(random() % 400));
    writer.waitUntilReady();
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
    ASSERT_EQ(visit(workspace, action), 0) << action << " during the run, trial " << trial;
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
    writer.kill();
    add(known, writer.said());
    const std::string after = kActions[random() % kActions.size()];
    ASSERT_EQ(visit(workspace, after), 0) << after << " after the kill, trial " << trial;
    ASSERT_NO_FATAL_FAILURE(expectWhole(*openStore(workspace), "run", known))
        << action << ", then " << after << ", trial " << trial;
  }
  EXPECT_GT(known.row, 0);
}

TEST(StoreVisitsTest, AWriterWaitsForAProgramThatHoldsTheDatabase) {
  const TempFolder folder;
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run");
  const auto writer = startRun(workspace, run);
  const double seconds = repeats(7, 20);  // longer than SQLite itself waits
  std::thread visitor([&] { EXPECT_EQ(visit(folder / "w", "block", seconds), 0); });
  std::this_thread::sleep_for(std::chrono::seconds{1});
  const auto start = steady_clock::now();
  EXPECT_TRUE(workspace->setNote(run, "written beside a visitor").ok());
  EXPECT_GT(steady_clock::now() - start, std::chrono::seconds{4}) << "the visitor did not hold anything";
  writer->publish(rowOf(1));
  EXPECT_TRUE(writer->flush().ok());
  visitor.join();
  EXPECT_EQ(workspace->series(run, "loss")->size(), 1U);
}

TEST(StoreVisitsTest, AReaderInsideATransactionHoldsNothingUp) {
  const TempFolder folder;
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run");
  const auto writer = startRun(workspace, run);
  const double seconds = repeats(3, 20);
  std::thread visitor([&] { EXPECT_EQ(visit(folder / "w", "hold", seconds), 0); });
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  std::int64_t batch = 0;
  for (const auto end = steady_clock::now() + std::chrono::milliseconds{static_cast<int>(seconds * 800)};
       steady_clock::now() < end;) {
    for (int i = 0; i < 500; ++i) writer->publish(rowOf(++batch));
    const auto start = steady_clock::now();
    ASSERT_TRUE(writer->flush().ok());
    EXPECT_LT(steady_clock::now() - start, std::chrono::seconds{4}) << "after " << batch << " rows";
  }
  visitor.join();
  EXPECT_EQ(static_cast<std::int64_t>(workspace->series(run, "loss")->size()), batch);
}

// Closing any descriptor of a file drops all locks that the process has on it: nobody but SQLite may open and close it.
TEST(StoreVisitsTest, NothingThatAProcessDoesDropsItsLocks) {
  const TempFolder folder;
  const fs::path file = folder / "w" / "workspace.sqlite";
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run");
  const auto writer = startRun(workspace, run);
  writer->publish(rowOf(1));
  ASSERT_TRUE(writer->flush().ok());
  const auto expectLocked = [&](const char* after) {
    EXPECT_GT(posixLocksOf(::getpid(), file), 0) << after;
    EXPECT_GT(posixLocksOf(::getpid(), file.native() + "-shm"), 0) << after;
  };
  expectLocked("the start");
  { const auto again = openStore(folder / "w"); }
  expectLocked("a second opening");
  { const auto reader = Workspace::open(folder / "w", Workspace::Mode::ReadOnly); }
  expectLocked("a reader");
  ASSERT_TRUE(workspace->check().ok());
  ASSERT_TRUE(workspace->backup(folder / "copy.sqlite").ok());
  ASSERT_TRUE(readDatabaseHeader(file).ok());
  expectLocked("check, backup and a look at the header");
  ASSERT_TRUE(workspace->listRuns().ok());
  ASSERT_TRUE(workspace->findRun("run").ok());
  writer->publish(rowOf(2));
  ASSERT_TRUE(writer->flush().ok());
  expectLocked("reading and writing");
}

// ---- What a visitor may not do (SCHEMA.md) is noticed.

TEST(StoreVisitsTest, ADeletedWalIsNoticedAndItsRowsAreBroughtHome) {
  const TempFolder folder;
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run");
  {
    const auto writer = startRun(workspace, run);
    for (std::int64_t batch = 1; batch <= 100; ++batch) writer->publish(rowOf(batch));
    ASSERT_TRUE(writer->flush().ok());
    ASSERT_TRUE(fs::remove(folder / "w" / "workspace.sqlite-wal"));
    writer->publish(rowOf(101));
    const Error flushed = refused(writer->flush());
    EXPECT_EQ(flushed.code, ErrorCode::NotFound);
    EXPECT_EQ(writer->storedBatch(), 100);
    EXPECT_THAT(flushed.text(), testing::HasSubstr("workspace.sqlite-wal"));
    EXPECT_THAT(writer->writeError().value_or(Error()).text(), testing::HasSubstr("replaced or deleted"));
  }
  fs::copy_file(folder / "w" / "workspace.sqlite", folder / "alone.sqlite");
  EXPECT_EQ(std::system(("/usr/bin/python3 -c \"import sqlite3; assert sqlite3.connect('" +
                         (folder / "alone.sqlite").native() +
                         "').execute('SELECT count(*) FROM metric_row').fetchone() == (100,)\"")
                            .c_str()),
            0);
}

TEST(StoreVisitsTest, ADeletedDatabaseIsNoticed) {
  const TempFolder folder;
  const auto workspace = openStore(folder / "w");
  const std::string run = makeRun(*workspace, "run");
  fs::remove_all(folder / "w");
  EXPECT_EQ(refused(workspace->setNote(run, "lost")).code, ErrorCode::NotFound);
  EXPECT_FALSE(fs::exists(folder / "w")) << "nothing is made in its place";
}

}  // namespace
}  // namespace batchwise::test
