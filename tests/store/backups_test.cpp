// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/backups.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/base/file.h"
#include "core/store/workspace_folder.h"
#include "tests/store/store_fixture.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kHour = 3'600'000, kDay = 24 * kHour;
constexpr std::int64_t kStart = 1'790'000'000'000;  // September 2026

TEST(BackupRuleTest, TheNewestThreeAndOneAWeekForAMonthStay) {
  struct Case {
    const char* what;
    std::vector<std::int64_t> ageDays;  // newest first; Monday to Sunday are ages 6 to 0 of one week
    std::int64_t bytesEach, limit;
    std::vector<std::int64_t> staying;
  };
  // The weeks of the rule begin on Thursdays, as 1970 did; this one is the last moment of one.
  constexpr std::int64_t now = (kStart / (7 * kDay) + 1) * 7 * kDay - 1;
  const std::vector<std::int64_t> daily = [] {
    std::vector<std::int64_t> ages;
    for (std::int64_t age = 0; age < 60; ++age) ages.push_back(age);
    return ages;
  }();
  for (const Case& each :
       {Case{"none", {}, 1, 100, {}}, Case{"one", {400}, 1, 100, {400}}, Case{"few", {0, 1, 2}, 1, 100, {0, 1, 2}},
        Case{"a week of days", {0, 1, 2, 3, 4, 5, 6}, 1, 100, {0, 1, 2}},
        Case{"two months of days", daily, 1, 100, {0, 1, 2, 7, 14, 21, 28}},
        Case{"long pauses", {100, 200, 300, 400}, 1, 100, {100, 200, 300}}, Case{"too large", daily, 10, 35, {0, 1, 2}},
        Case{"much too large", daily, 100, 35, {0}}}) {
    std::vector<BackupFile> backups;
    for (const std::int64_t age : each.ageDays) backups.push_back({"b", now - age * kDay, each.bytesEach});
    const auto superfluous = superfluousBackups(backups, now, each.limit);
    std::vector<std::int64_t> staying;
    for (const BackupFile& backup : backups)
      if (std::find(superfluous.begin(), superfluous.end(), backup) == superfluous.end())
        staying.push_back((now - backup.takenMs) / kDay);
    EXPECT_EQ(staying, each.staying) << each.what;
  }
}

class BackupsTest : public testing::Test {
 protected:
  BackupsTest() { fillStore(openStore(folder_ / "w"), 100); }

  std::size_t backUpAt(std::int64_t nowMs) {
    const auto made = backUpIfDue(workspace_, nowMs);
    EXPECT_TRUE(made.ok()) << made.error().text();
    return made.ok() && made->has_value() ? 1 : 0;
  }

  TempFolder folder_;
  const fs::path workspace_ = folder_ / "w";
};

TEST_F(BackupsTest, OneADayIsMade) {
  EXPECT_EQ(backUpAt(kStart), 1U);
  EXPECT_EQ(backUpAt(kStart + 23 * kHour), 0U);
  EXPECT_EQ(backUpAt(kStart + 24 * kHour), 1U);
  EXPECT_EQ(backUpAt(kStart + 30 * kHour), 0U);
  EXPECT_EQ(backUpAt(kStart - 2 * kDay), 1U) << "the clock was set back";
  std::size_t made = 0;
  for (std::int64_t hour = 0; hour < 24 * 60; hour += 5) made += backUpAt(kStart + 10 * kDay + hour * kHour);
  EXPECT_EQ(made, 58U) << "every 25 hours";
  EXPECT_THAT(backupsOf(workspace_), testing::SizeIs(testing::AllOf(testing::Ge(5U), testing::Le(8U))));
  for (const BackupFile& each : backupsOf(workspace_)) {
    SQLite::Database database(each.file);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM run").getInt64(), 1);
    EXPECT_EQ(each.takenMs % 1000, 0);
  }
}

TEST_F(BackupsTest, AWorkspaceWithoutRunsHasNothingToBackUp) {
  openStore(folder_ / "empty");
  EXPECT_FALSE(backUpIfDue(folder_ / "empty", kStart)->has_value());
  EXPECT_THAT(backupsOf(folder_ / "empty"), IsEmpty());
}

TEST_F(BackupsTest, WhoeverIsSecondLeavesItToTheFirst) {
  const auto held = BackupLock::acquire(workspace_, std::chrono::seconds{1});
  ASSERT_TRUE(held.ok()) << held.error().text();
  EXPECT_EQ(backUpAt(kStart), 0U);
}

TEST_F(BackupsTest, OnlyBackupsOfOursAreListedAndDeleted) {
  fs::create_directories(workspace_ / "backups");
  for (const char* name : {"workspace-2020-01-01T000000Z.sqlite.old", "mine.sqlite", "workspace-2020.sqlite"})
    std::ofstream(workspace_ / "backups" / name) << "mine";
  std::ofstream(workspace_ / "backups/workspace-2020-01-01T000000Z.sqlite.partial-abc") << "left by a kill";
  for (std::int64_t day = 0; day < 5; ++day) EXPECT_EQ(backUpAt(kStart + day * kDay), 1U);
  std::vector<std::string> others;
  for (const auto& entry : entriesOf(workspace_ / "backups"))
    if (!entry.filename().native().starts_with("workspace-2026-")) others.push_back(entry.filename());
  EXPECT_THAT(others, testing::UnorderedElementsAre("workspace-2020-01-01T000000Z.sqlite.old", "mine.sqlite",
                                                    "workspace-2020.sqlite", "lock"));
}

TEST_F(BackupsTest, ADamagedDatabaseIsNotBackedUpOverAGoodOne) {
  EXPECT_EQ(backUpAt(kStart), 1U);
  const auto good = backupsOf(workspace_);
  std::string bytes = *readFile(workspace_ / kDatabaseName);
  for (std::size_t at = 5 * 4096; at < bytes.size(); at += 4096) bytes.replace(at, 200, 200, '\x5a');
  std::ofstream(workspace_ / kDatabaseName, std::ios::binary) << bytes;
  const auto made = backUpIfDue(workspace_, kStart + 2 * kDay);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::Corrupt) << made.error().text();
  EXPECT_THAT(made.error().text(), testing::HasSubstr("store restore"));
  EXPECT_EQ(backupsOf(workspace_), good);
  EXPECT_THAT(entriesOf(workspace_ / "backups"), SizeIs(2)) << "the lock and the good one";
}

TEST_F(BackupsTest, AFullDiskLosesNothing) {
  EXPECT_EQ(backUpAt(kStart), 1U);
  const auto before = backupsOf(workspace_);
  for (const std::uint64_t bytes : {0, 4096, 30'000, 60'000}) {
    const SmallDisk disk(bytes);
    const auto made = backUpIfDue(workspace_, kStart + 2 * kDay);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::DiskFull) << made.error().text();
  }
  EXPECT_EQ(backupsOf(workspace_), before);
  EXPECT_THAT(entriesOf(workspace_ / "backups"), SizeIs(2));
  const auto workspace = openStore(workspace_);
  EXPECT_THAT(*workspace->check(), IsEmpty());
  EXPECT_EQ(workspace->series(workspace->findRun("run")->summary.id, "loss")->size(), 100U);
}

TEST_F(BackupsTest, AStopLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const auto made = backUpIfDue(workspace_, kStart, stop.get_token());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::Stopped);
  EXPECT_THAT(entriesOf(workspace_ / "backups"), SizeIs(1)) << "the lock";
}

TEST_F(BackupsTest, AKillLeavesTheOldBackupsOrOneMore) {
  for (int trial = 0; trial < repeats(20, 300); ++trial) {
    const std::int64_t now = kStart + trial * kDay;
    const auto before = backupsOf(workspace_);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(backUpIfDue(workspace_, now).ok() ? 0 : 1);
    ::usleep(static_cast<useconds_t>(trial * 700 % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    const auto after = backupsOf(workspace_);
    ASSERT_GE(after.size(), std::min<std::size_t>(before.size(), 3U));
    for (const BackupFile& each : after) {
      SQLite::Database database(each.file);
      ASSERT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok") << each.file;
      ASSERT_EQ(database.execAndGet("SELECT count(*) FROM run").getInt64(), 1);
    }
  }
}

TEST_F(BackupsTest, ARunIsWrittenMeanwhile) {
  const auto workspace = openStore(workspace_);
  const std::string run = makeRun(*workspace, "live");
  const auto writer = startRun(workspace, run);
  std::atomic<bool> done = false;
  std::thread backing([&] {
    for (std::int64_t day = 0; day < 10; ++day) EXPECT_EQ(backUpAt(kStart + day * kDay), 1U);
    done = true;
  });
  std::int64_t batch = 0;
  while (!done) {
    writer->publish(rowOf(++batch));
    ASSERT_TRUE(writer->flush().ok());
  }
  backing.join();
  EXPECT_EQ(static_cast<std::int64_t>(workspace->series(run, "loss")->size()), batch);
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

}  // namespace
}  // namespace batchwise::test
