// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/store/backups.h"
#include "core/store/file_lock.h"
#include "core/store/schema.h"
#include "tests/store/store_fixture.h"
#include "tests/support/test_environment.h"

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

TEST_F(MigrationTest, AnOlderFileIsBroughtForwardAfterABackup) {
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

// ---- Files as earlier versions of the program left them, stored in tests/store/files.

struct ReleasedFile {
  const char* name;
  std::int32_t version;
};
// The third was of version 2, which put a checksum on each page, and was vacuumed by plain SQLite: versions of then
// called it damaged.
constexpr ReleasedFile kReleasedFiles[] = {{"workspace-v1", 1}, {"workspace-v2", 2}, {"workspace-v2-visited", 2}};

class ReleasedFileTest : public testing::TestWithParam<ReleasedFile> {
 protected:
  ReleasedFileTest() {
    std::filesystem::copy_file(sourceRoot() / "tests/store/files" / (std::string{GetParam().name} + ".sqlite"), file_);
    std::filesystem::permissions(file_, std::filesystem::perms{0644});
  }
  void expectWhole() {
    const auto workspace = openStore(folder_.path());
    const auto run = workspace->findRun("old-run");
    ASSERT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(run->summary.status, RunStatus::Finished);
    EXPECT_EQ(run->summary.at, afterBatches(60));
    const auto loss = workspace->series(run->summary.id, "loss");
    ASSERT_TRUE(loss.ok()) << loss.error().text();
    ASSERT_EQ(loss->size(), 60U);
    for (const SeriesPoint& point : *loss) EXPECT_EQ(point.value, rowOf(point.batch).loss);
    EXPECT_EQ(workspace->events(run->summary.id)->size(), 1U);
    EXPECT_THAT(*workspace->check(), testing::IsEmpty());
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "workspace.sqlite";
};

TEST_P(ReleasedFileTest, IsBroughtForwardAfterABackupAndLosesNothing) {
  const auto before = readFile(file_);
  expectWhole();
  const std::int32_t newest = newestVersion(workspaceMigrations());
  EXPECT_EQ(versionOf(file_), newest);
  const auto backup = onlyBackup(folder_.path());
  EXPECT_EQ(versionOf(backup), GetParam().version);
  SQLite::Database database(backup);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM metric_row").getInt64(), 60);
  expectWhole();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "checkpoints"), {}), 0);
}

TEST_P(ReleasedFileTest, AReaderAloneLeavesItAsItIs) {
  const auto before = readFile(file_);
  const auto opened = Workspace::open(folder_.path(), Workspace::Mode::ReadOnly);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(opened.error().text(), HasSubstr("open it once for writing"));
  EXPECT_EQ(*readFile(file_), *before);
}

TEST_P(ReleasedFileTest, ProcessesThatMigrateAtOnceDoItOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(Workspace::open(folder_.path()).ok() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(versionOf(onlyBackup(folder_.path())), GetParam().version)
      << "a second migration would have made another one";
  expectWhole();
}

TEST_P(ReleasedFileTest, AWriterOfItsRowsStopsTheMigrationButNotAJournal) {
  const auto claimFor = [this](const std::string& system) {
    SQLite::Database database(file_, SQLite::OPEN_READWRITE);
    database.exec(
        "INSERT OR REPLACE INTO run_writer(run, segment, host, system, process_id, start_ticks, heartbeat_ms) "
        "SELECT number, 0, 'node', '" +
        system + "', 1, 0, " + std::to_string(Workspace::systemClock().wallMs()) + " FROM run");
  };
  claimFor("elsewhere");
  const auto blocked = Workspace::open(folder_.path());
  ASSERT_FALSE(blocked.ok());
  EXPECT_EQ(blocked.error().code, ErrorCode::Busy);
  claimFor("journal");
  const auto opened = Workspace::open(folder_.path());
  EXPECT_TRUE(opened.ok()) << opened.error().text();
}

TEST_P(ReleasedFileTest, ADamagedOneIsNotMigrated) {
  std::string bytes = *readFile(file_);
  std::fill_n(bytes.begin() + 5 * 4096, 4096, 'x');
  std::ofstream(file_, std::ios::binary) << bytes;
  const auto opened = Workspace::open(folder_.path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::Corrupt) << opened.error().text();
  EXPECT_EQ(*readFile(file_), bytes);
}

INSTANTIATE_TEST_SUITE_P(Files, ReleasedFileTest, testing::ValuesIn(kReleasedFiles), [](const auto& file) {
  std::string name = file.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace batchwise::test
