// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/restore/restore.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"
#include "tests/store/store_fixture.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kOneDayMs = 86'400'000;
constexpr std::int64_t kTaken = 1'790'000'000'000;

/// A checkpoint file as the trainer writes it.
void writeCheckpointFile(const fs::path& folder, const std::string& id, std::int64_t batch, float value = 1.0F) {
  auto writer = CheckpointWriter::create(folder / "checkpoints" / (id + ".sqlite"), 100);
  ASSERT_TRUE(writer.ok()) << writer.error().text();
  ASSERT_TRUE(writer->add({"model/w", "fp32", {1}, sizeof value}, std::as_bytes(std::span{&value, 1})).ok());
  const std::string clock = timestampText(afterBatches(batch));
  const auto done = writer->finish({{"config", "version: 1\nname: rebuilt\nseed: 17\n"},
                                    {"resolved", R"({"devices.threads": "2"})"},
                                    {"environment", "{}"},
                                    {"state", R"({"clock": )" + clock + R"(, "metric": 4.5})"}});
  ASSERT_TRUE(done.ok()) << done.error().text();
}

class RestoreTest : public testing::Test {
 protected:
  RestoreTest() {
    {
      const auto store = openStore(workspace_);
      run_ = fillStore(store, 60);
    }
    EXPECT_TRUE(backUpWorkspace(workspace_, kTaken).ok());
  }

  /// Overwrites all pages of the database but the first two.
  void damage() {
    std::string bytes = *readFile(file_);
    for (std::size_t at = 2 * 4096; at < bytes.size(); at += 4096) bytes.replace(at, 2000, 2000, '\xa5');
    std::ofstream(file_, std::ios::binary) << bytes;
  }
  std::string integrity() const {
    SQLite::Database database(file_);
    return database.execAndGet("PRAGMA integrity_check").getString();
  }
  RestoreReport restore(const fs::path& from = {}) {
    auto report = restoreWorkspace(workspace_, from);
    EXPECT_TRUE(report.ok()) << report.error().text();
    return report.ok() ? std::move(*report) : RestoreReport{};
  }
  std::vector<std::string> replacedFiles() const {
    std::vector<std::string> names;
    for (const fs::path& entry : entriesOf(workspace_))
      if (entry.filename().native().starts_with("workspace.replaced-")) names.push_back(entry.filename());
    return names;
  }

  TempFolder folder_;
  const fs::path workspace_ = folder_ / "w", file_ = workspace_ / kDatabaseName;
  std::string run_;
};

TEST_F(RestoreTest, ADamagedDatabaseGivesWayToTheBackupAndIsKept) {
  damage();
  const auto damaged = readFile(file_);
  EXPECT_THAT(Workspace::open(workspace_).error().text(), HasSubstr("store restore"));
  const RestoreReport report = restore();
  ASSERT_TRUE(report.backup.has_value());
  EXPECT_EQ(report.backup->takenMs, kTaken);
  EXPECT_EQ(integrity(), "ok");
  EXPECT_EQ(*readFile(report.replaced), *damaged) << "nothing is lost";
  EXPECT_THAT(report.added, IsEmpty());
  EXPECT_THAT(restoreLines(report),
              AllOf(Contains(HasSubstr("restored the backup of 2026-09-21")), Contains(HasSubstr("former database"))));
  const auto workspace = openStore(workspace_);
  EXPECT_THAT(*workspace->check(), IsEmpty());
  EXPECT_EQ(workspace->series(run_, "loss")->size(), 60U);
  EXPECT_EQ(workspace->checkpoints(run_)->size(), 1U);
}

TEST_F(RestoreTest, WhatCameAfterTheBackupIsAddedFromCheckpointsAndJournals) {
  {  // the run goes on, another one begins, one is recorded on another host; then the database is damaged
    const auto store = openStore(workspace_);
    const auto writer = startRun(store, run_, afterBatches(60));
    for (std::int64_t batch = 61; batch <= 90; ++batch) writer->publish(rowOf(batch));
    ASSERT_TRUE(writer->flush().ok());
  }
  writeCheckpointFile(workspace_, run_ + "-1-80", 80);
  writeCheckpointFile(workspace_, run_ + "-1-90", 90, std::numeric_limits<float>::quiet_NaN());
  writeCheckpointFile(workspace_, "abcdefghijkl-0-40", 40);
  std::ofstream(workspace_ / "checkpoints/abcdefghijkl-0-50.sqlite") << "cut";
  fs::remove(workspace_ / "checkpoints/c1.sqlite");  // retention has deleted it
  const std::string far = newRecordId();
  {
    NewRun run;
    run.name = "far";
    const auto journal = JournalWriter::create(workspace_, far, run, {});
    ASSERT_TRUE(journal.ok()) << journal.error().text();
    for (std::int64_t batch = 1; batch <= 5; ++batch) (*journal)->publish(rowOf(batch));
  }
  damage();
  const RestoreReport report = restore();
  EXPECT_THAT(report.added, testing::UnorderedElementsAre("2 checkpoints of run 'run', from their files",
                                                          "run 'rebuilt', from its 1 checkpoint file",
                                                          "what the journal of run 'far' has"));
  EXPECT_THAT(report.missing, AllOf(Contains("metrics and events of run 'run', global batches 61 to 90"),
                                    Contains("metrics and events of run 'rebuilt', global batches 1 to 40"),
                                    Contains(HasSubstr("what was recorded after 2026-09-21"))));
  EXPECT_THAT(report.notes, AllOf(Contains(HasSubstr("abcdefghijkl-0-50")),
                                  Contains(HasSubstr("1 checkpoint of the backup has no file any more"))));
  EXPECT_EQ(integrity(), "ok");
  const auto workspace = openStore(workspace_);
  EXPECT_THAT(*workspace->check(), IsEmpty());
  const auto found = workspace->checkpoints(run_);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).at, afterBatches(80));
  EXPECT_EQ(found->at(0).metric, 4.5);
  EXPECT_TRUE(found->at(0).finite);
  EXPECT_FALSE(found->at(1).finite);
  EXPECT_EQ(workspace->findRun(run_)->segments.size(), 2U);
  EXPECT_EQ(workspace->series(far, "loss")->size(), 5U);
  const auto rebuilt = workspace->findRun("rebuilt");
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(rebuilt->summary.id, "abcdefghijkl");
  EXPECT_EQ(rebuilt->summary.status, RunStatus::Interrupted);
  EXPECT_EQ(rebuilt->summary.at, afterBatches(40));
  EXPECT_EQ(rebuilt->resolvedValues.at("devices.threads"), "2");
}

TEST_F(RestoreTest, ADamagedBackupIsSkipped) {
  ASSERT_TRUE(backUpWorkspace(workspace_, kTaken + kOneDayMs).ok());
  const fs::path newest = backupsOf(workspace_).front().file;
  std::string bytes = *readFile(newest);
  for (std::size_t at = 2 * 4096; at < bytes.size(); at += 4096) bytes.replace(at, 2000, 2000, '\xa5');
  std::ofstream(newest, std::ios::binary) << bytes;
  ASSERT_TRUE(backUpWorkspace(workspace_, kTaken + 2 * kOneDayMs).ok());
  std::ofstream(backupsOf(workspace_).front().file) << "empty";
  damage();
  const RestoreReport report = restore();
  ASSERT_TRUE(report.backup.has_value());
  EXPECT_EQ(report.backup->takenMs, kTaken);
  EXPECT_THAT(report.notes, AllOf(Contains(HasSubstr("was skipped: damaged")),
                                  Contains(HasSubstr("is not a backup of a workspace"))));
  EXPECT_EQ(integrity(), "ok");
  damage();
  const auto refused = restoreWorkspace(workspace_, newest);
  EXPECT_EQ(refused.error().code, ErrorCode::Corrupt) << "it was asked for";
}

TEST_F(RestoreTest, AnIntactDatabaseStaysUnlessABackupIsNamed) {
  {
    const auto store = openStore(workspace_);
    ASSERT_TRUE(store->setNote(run_, "newer than the backup").ok());
  }
  writeCheckpointFile(workspace_, run_ + "-0-50", 50);
  const RestoreReport stays = restore();
  EXPECT_FALSE(stays.backup.has_value());
  EXPECT_THAT(stays.replaced.native(), IsEmpty());
  EXPECT_THAT(stays.added, ElementsAre("1 checkpoint of run 'run', from its file"));
  EXPECT_THAT(restoreLines(stays), Contains(HasSubstr("is intact and stays")));
  EXPECT_EQ(openStore(workspace_)->findRun(run_)->summary.note, "newer than the backup");
  const RestoreReport back = restore(backupsOf(workspace_).front().file);
  EXPECT_NE(openStore(workspace_)->findRun(run_)->summary.note, "newer than the backup");
  SQLite::Database former(back.replaced);
  EXPECT_EQ(former.execAndGet("SELECT note FROM run").getString(), "newer than the backup");
}

TEST_F(RestoreTest, AMissingOrNewlyCreatedDatabaseIsRestored) {
  for (const char* side : {"", "-wal", "-shm"}) fs::remove(file_.native() + side);
  EXPECT_THAT(openStore(workspace_)->notices(), Contains(HasSubstr("store restore")));
  EXPECT_TRUE(restore().backup.has_value());
  EXPECT_TRUE(openStore(workspace_)->findRun(run_).ok());
}

TEST_F(RestoreTest, WithoutABackupRunsAreMadeFromTheirCheckpoints) {
  fs::remove_all(workspace_ / "backups");
  writeCheckpointFile(workspace_, "abcdefghijkl-0-40", 40);
  writeCheckpointFile(workspace_, "abcdefghijkl-1-90", 90);
  std::ofstream(workspace_ / "checkpoints/abcdefghijkl-1-90.sqlite.pin").close();
  std::ofstream(file_).close();
  const RestoreReport report = restore();
  EXPECT_FALSE(report.backup.has_value());
  EXPECT_THAT(report.missing, Contains(HasSubstr("there is no good backup")));
  const auto workspace = openStore(workspace_);
  const auto run = workspace->findRun("rebuilt");
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->segments.size(), 2U);
  EXPECT_EQ(workspace->checkpoints(run->summary.id)->size(), 2U);
  EXPECT_TRUE(workspace->checkpoints(run->summary.id)->back().pinned);
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

TEST_F(RestoreTest, NothingToRestoreFromIsRefused) {
  EXPECT_EQ(restoreWorkspace(folder_ / "nowhere").error().code, ErrorCode::NotFound);
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  EXPECT_EQ(restoreWorkspace(workspace_, folder_ / "no.sqlite").error().code, ErrorCode::NotFound);
  fs::remove_all(workspace_ / "backups");
  fs::remove_all(workspace_ / "checkpoints");
  damage();
  const auto damaged = readFile(file_);
  EXPECT_EQ(restoreWorkspace(workspace_).error().code, ErrorCode::NotFound);
  EXPECT_EQ(*readFile(file_), *damaged);
}

TEST_F(RestoreTest, ARunThatIsBeingWrittenStandsInItsWay) {
  const auto store = openStore(workspace_);
  const std::string live = makeRun(*store, "live");
  const auto writer = startRun(store, live);
  EXPECT_EQ(restoreWorkspace(workspace_, backupsOf(workspace_).front().file).error().code, ErrorCode::Busy);
  writeCheckpointFile(workspace_, live + "-0-5", 5);
  EXPECT_THAT(restore().added, IsEmpty()) << "its row may be about to come";
}

TEST_F(RestoreTest, AFullDiskLeavesTheOldState) {
  damage();
  const auto damaged = readFile(file_);
  for (const std::uint64_t bytes : {0, 4096, 50'000}) {
    const SmallDisk disk(bytes);
    const auto report = restoreWorkspace(workspace_);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::DiskFull) << report.error().text();
  }
  EXPECT_EQ(*readFile(file_), *damaged);
  EXPECT_THAT(replacedFiles(), IsEmpty());
  EXPECT_FALSE(fs::exists(workspace_ / "workspace.unfinished.sqlite"));
  EXPECT_TRUE(restore().backup.has_value());
}

TEST_F(RestoreTest, AKillLeavesTheOldStateOrTheNewOne) {
  writeCheckpointFile(workspace_, "abcdefghijkl-0-40", 40);
  damage();
  const auto damaged = readFile(file_);
  int restored = 0;
  for (int trial = 0; trial < repeats(25, 400); ++trial) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(restoreWorkspace(workspace_).ok() ? 0 : 1);
    ::usleep(static_cast<useconds_t>(trial * 13'300 % 200'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    auto workspace = Workspace::open(workspace_);  // finishes what was complete
    if (!workspace.ok()) {
      ASSERT_EQ(*readFile(file_), *damaged) << "the old state";
      continue;
    }
    ++restored;
    ASSERT_THAT(*(*workspace)->check(), IsEmpty());
    ASSERT_EQ((*workspace)->series(run_, "loss")->size(), 60U);
    ASSERT_TRUE((*workspace)->findRun("rebuilt").ok()) << "with what was added";
    for (const std::string& name : replacedFiles()) {
      if (!name.ends_with(".sqlite")) continue;
      ASSERT_EQ(*readFile(workspace_ / name), *damaged);
      fs::remove(workspace_ / name);
    }
    workspace->reset();
    for (const char* side : {"-wal", "-shm"}) fs::remove(file_.native() + side);
    std::ofstream(file_, std::ios::binary) << *damaged;
  }
  if (restored == 0) {
    EXPECT_TRUE(restore().backup.has_value()) << "all were killed early";
  }
}

// SQLite itself finds nothing wrong with a changed value.
TEST_F(RestoreTest, AChangedValueIsDamageToo) {
  {
    SQLite::Database database(file_, SQLite::OPEN_READWRITE);
    database.exec("UPDATE run SET loss = 1.0");
  }
  EXPECT_EQ(integrity(), "ok");
  const auto refused = backUpWorkspace(workspace_, kTaken + kOneDayMs);
  ASSERT_FALSE(refused.ok()) << "a damaged copy would push out the good ones";
  EXPECT_EQ(refused.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(backupsOf(workspace_).size(), 1U);
  EXPECT_TRUE(restore().backup.has_value());
  const auto workspace = Workspace::open(workspace_);
  ASSERT_TRUE(workspace.ok()) << workspace.error().text();
  EXPECT_TRUE((*workspace)->findRun(run_).ok());
}

/// A restore that was killed between its renames is completed, whichever came last.
TEST_F(RestoreTest, AnInterruptedExchangeIsCompleted) {
  for (const int renamed : {0, 1, 2, 3}) {
    const TempFolder folder;
    fs::create_directories(folder / "checkpoints");
    const fs::path file = folder / kDatabaseName;
    for (const char* side : {"", "-wal", "-shm"}) std::ofstream(file.native() + side) << "old";
    fs::copy_file(backupsOf(workspace_).front().file, folder / kRestoredDatabaseName);
    fs::path aside;
    {  // which name it takes
      const TempFolder other;
      fs::copy(folder.path(), other.path(), fs::copy_options::recursive);
      fs::last_write_time(other / kRestoredDatabaseName, fs::last_write_time(folder / kRestoredDatabaseName));
      aside = folder.path() / finishRestore(other.path())->filename();
    }
    const char* sides[] = {"", "-wal", "-shm"};
    for (int i = 0; i < renamed; ++i) fs::rename(file.native() + sides[i], aside.native() + sides[i]);
    const auto opened = Workspace::open(folder.path());
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    EXPECT_TRUE((*opened)->findRun("run").ok());
    for (const char* side : sides) EXPECT_EQ(*readFile(aside.native() + side), "old") << side;
    EXPECT_FALSE(fs::exists(folder / kRestoredDatabaseName));
  }
}

}  // namespace
}  // namespace batchwise::test
