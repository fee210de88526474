// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/store/backups.h"
#include "core/store/file_lock.h"
#include "core/store/schema.h"
#include "tests/store/store_fixture.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

/// The real steps, and after them steps of a future that this test makes up.
std::vector<Migration> withNext(std::vector<std::string_view> next) {
  const auto real = workspaceMigrations();
  std::vector<Migration> steps(real.begin(), real.end());
  for (const std::string_view sql : next) steps.push_back({newestVersion(steps) + 1, sql});
  return steps;
}

std::int64_t versionOf(const std::filesystem::path& file) {
  SQLite::Database database(file);
  return database.execAndGet("PRAGMA user_version").getInt64();
}

std::filesystem::path onlyBackup(const std::filesystem::path& folder) {
  const auto backups = backupsOf(folder);
  EXPECT_EQ(backups.size(), 1U);
  return backups.empty() ? std::filesystem::path() : backups.front().file;
}

class MigrationTest : public testing::Test {
 protected:
  MigrationTest() {
    const auto workspace = openStore(folder_.path());
    run_ = makeRun(*workspace, "old");
    const auto writer = startRun(workspace, run_);
    for (std::int64_t batch = 1; batch <= 10; ++batch) writer->publish(rowOf(batch));
    EXPECT_TRUE(writer->flush().ok());
  }
  Result<void> migrate(const std::vector<Migration>& steps) {
    const auto database = openDatabase(file_, DatabaseUse::Write);
    return migrateDatabase(database, file_, steps);
  }

  std::int32_t newest_ = newestVersion(workspaceMigrations());
  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "workspace.sqlite";
  std::string run_;
};

TEST_F(MigrationTest, StepsAreNumberedWithoutGaps) {
  std::int32_t expected = 0;
  for (const Migration& step : workspaceMigrations()) EXPECT_EQ(step.version, ++expected);
  EXPECT_EQ(versionOf(file_), expected);
}

TEST_F(MigrationTest, AFileIsBroughtForwardAfterABackup) {
  const auto steps =
      withNext({"ALTER TABLE run ADD COLUMN color TEXT NOT NULL DEFAULT 'grey'",
                "CREATE TABLE run_new AS SELECT * FROM run; UPDATE run_new SET color = 'green'; "
                "CREATE TABLE palette(color TEXT) STRICT; INSERT INTO palette SELECT color FROM run_new; "
                "DROP TABLE run_new"});
  const auto done = migrate(steps);
  ASSERT_TRUE(done.ok()) << done.error().text();
  EXPECT_EQ(versionOf(file_), newest_ + 2);
  EXPECT_EQ(versionOf(onlyBackup(folder_.path())), newest_) << "the backup is the file as it was";
  SQLite::Database database(file_);
  EXPECT_EQ(database.execAndGet("SELECT color FROM run").getString(), "grey");
  EXPECT_EQ(database.execAndGet("SELECT color FROM palette").getString(), "green");
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM metric_row").getInt64(), 10) << "rows stay";
  EXPECT_EQ(database.execAndGet("PRAGMA foreign_keys").getInt64(), 0) << "of this connection of ours";
}

TEST_F(MigrationTest, NothingToDoMakesNoBackup) {
  ASSERT_TRUE(migrate(withNext({})).ok());
  EXPECT_TRUE(backupsOf(folder_.path()).empty());
}

TEST_F(MigrationTest, AStepThatFailsLeavesTheOneBefore) {
  const auto done = migrate(withNext({"CREATE TABLE fine(a) ", "CREATE TABLE half(a); INSERT INTO nowhere VALUES(1)"}));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(versionOf(file_), newest_ + 1);
  SQLite::Database database(file_);
  EXPECT_TRUE(database.tableExists("fine"));
  EXPECT_FALSE(database.tableExists("half")) << "half a step must not stay";
  EXPECT_EQ(versionOf(onlyBackup(folder_.path())), newest_);
}

TEST_F(MigrationTest, AStepThatLeavesDanglingRowsIsUndone) {
  const auto done = migrate(withNext({"DELETE FROM run"}));
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().text(), HasSubstr("dangling"));
  EXPECT_EQ(versionOf(file_), newest_);
  EXPECT_TRUE(openStore(folder_.path())->findRun("old").ok());
}

TEST_F(MigrationTest, AnOlderProgramRefusesTheNewerFile) {
  ASSERT_TRUE(migrate(withNext({"CREATE TABLE later(a)"})).ok());
  const auto opened = Workspace::open(folder_.path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(opened.error().text(), HasSubstr("use a newer Batchwise"));
  EXPECT_EQ(versionOf(file_), newest_ + 1);
}

TEST_F(MigrationTest, ManyThatMigrateAtOnceDoItOnce) {
  // A second run of this step would fail, because the table is there already.
  const auto steps = withNext({"CREATE TABLE once(a)"});
  std::vector<std::thread> threads;
  std::atomic<int> succeeded = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const auto lock = FileLock::open(folder_ / "workspace.lock");
      const auto held = lock->acquire();
      if (held.ok() && migrate(steps).ok()) ++succeeded;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(succeeded, 4);
  EXPECT_EQ(versionOf(file_), newest_ + 1);
}

TEST_F(MigrationTest, ADamagedFileIsNotMigrated) {
  std::string bytes = *readFile(file_);
  std::fill_n(bytes.begin() + 5 * 4096, 4096, 'x');
  std::ofstream(file_, std::ios::binary) << bytes;
  const auto done = migrate(withNext({"CREATE TABLE later(a)"}));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::Corrupt) << done.error().text();
  EXPECT_EQ(*readFile(file_), bytes);
}

}  // namespace
}  // namespace batchwise::test
