// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/restore/restore.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <limits>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal.h"
#include "core/store/records.h"
#include "core/store/run_queue.h"
#include "core/store/workspace_folder.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
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
using testing::SizeIs;

/// Overwrites all pages of a database but the first two.
void damagePages(const fs::path& file) {
  std::string bytes = *readFile(file);
  for (std::size_t at = 2 * 4096; at < bytes.size(); at += 4096) bytes.replace(at, 2000, 2000, '\xa5');
  std::ofstream(file, std::ios::binary) << bytes;
}

/// Forks, and kills the child after some microseconds, unless it has ended.
template <typename Work>
void killedAfter(int microseconds, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  ::usleep(static_cast<useconds_t>(microseconds));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

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

  std::size_t backUpAt(std::int64_t nowMs) { return checked(backUpIfDue(workspace_, nowMs))->has_value() ? 1 : 0; }

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
  const auto held = checked(BackupLock::acquire(workspace_, std::chrono::seconds{1}));
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
  damagePages(workspace_ / kDatabaseName);
  const Error made = refused(backUpIfDue(workspace_, kStart + 2 * kDay));
  EXPECT_EQ(made.code, ErrorCode::Corrupt) << made.text();
  EXPECT_THAT(made.text(), testing::HasSubstr("store restore"));
  EXPECT_EQ(backupsOf(workspace_), good);
  EXPECT_THAT(entriesOf(workspace_ / "backups"), SizeIs(2)) << "the lock and the good one";
}

TEST_F(BackupsTest, AFullDiskLosesNothing) {
  EXPECT_EQ(backUpAt(kStart), 1U);
  const auto before = backupsOf(workspace_);
  for (const std::uint64_t bytes : {0, 4096, 30'000, 60'000}) {
    const SmallDisk disk(bytes);
    const Error made = refused(backUpIfDue(workspace_, kStart + 2 * kDay));
    EXPECT_EQ(made.code, ErrorCode::DiskFull) << made.text();
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
  EXPECT_EQ(refused(backUpIfDue(workspace_, kStart, stop.get_token())).code, ErrorCode::Stopped);
  EXPECT_THAT(entriesOf(workspace_ / "backups"), SizeIs(1)) << "the lock";
}

TEST_F(BackupsTest, AKillLeavesTheOldBackupsOrOneMore) {
  for (int trial = 0; trial < repeats(20, 300); ++trial) {
    const std::int64_t now = kStart + trial * kDay;
    const auto before = backupsOf(workspace_);
    killedAfter(trial * 700 % 20'000, [&] { return backUpIfDue(workspace_, now).ok(); });
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

/// A checkpoint file as the trainer writes it.
void writeCheckpointFile(const fs::path& folder, const std::string& id, std::int64_t batch, float value = 1.0F) {
  auto writer = checked(CheckpointWriter::create(folder / "checkpoints" / (id + ".sqlite"), 100));
  ASSERT_TRUE(writer->add({"model/w", "fp32", {1}, sizeof value}, std::as_bytes(std::span{&value, 1})).ok());
  const std::string clock = timestampText(afterBatches(batch));
  const auto done = checked(writer->finish({{"config", "version: 1\nname: rebuilt\nseed: 17\n"},
                                            {"resolved", R"({"devices.threads": "2"})"},
                                            {"environment", "{}"},
                                            {"state", R"({"clock": )" + clock + R"(, "metric": 4.5})"}}));
}

class RestoreTest : public testing::Test {
 protected:
  RestoreTest() {
    {
      const auto store = openStore(workspace_);
      run_ = fillStore(store, 60);
    }
    EXPECT_TRUE(backUpWorkspace(workspace_, kStart).ok());
  }

  void damage() { damagePages(file_); }
  std::string integrity() const {
    SQLite::Database database(file_);
    return database.execAndGet("PRAGMA integrity_check").getString();
  }
  RestoreReport restore(const fs::path& from = {}) { return checked(restoreWorkspace(workspace_, from)).value(); }
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
  EXPECT_EQ(report.backup->takenMs, kStart);
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
    const auto journal = checked(JournalWriter::create(workspace_, far, run, {}));
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
  const auto rebuilt = checked(workspace->findRun("rebuilt"));
  EXPECT_EQ(rebuilt->summary.id, "abcdefghijkl");
  EXPECT_EQ(rebuilt->summary.status, RunStatus::Interrupted);
  EXPECT_EQ(rebuilt->summary.at, afterBatches(40));
  EXPECT_EQ(rebuilt->resolvedValues.at("devices.threads"), "2");
}

TEST_F(RestoreTest, WhatWasSubmittedToAClusterAfterTheBackupIsLeftToThat) {
  const auto submit = [&](const std::string& run, std::int64_t atMs) {
    const fs::path request = slurmRequestFile(workspace_, run);
    std::ofstream(request) << "{}";
    const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds{atMs}};
    fs::last_write_time(request, std::chrono::file_clock::from_sys(at));
  };
  const auto named = [](const std::string& name) { return parseConfig("name: " + name, "test", {}); };
  std::vector<std::string> ids;
  {
    const auto store = openStore(workspace_);
    RunQueue queue(store);
    ids = *checked(queue.add({named("again"), named("new"), named("waits"), named("before")}));
    startRun(store, ids[0])->publish(RunFinished{RunStatus::Interrupted, "killed", {}, ""});
    submit(ids[3], kStart + kDay - kHour);  // an earlier rung of a search
  }
  ASSERT_TRUE(backUpWorkspace(workspace_, kStart + kDay).ok());
  for (const int run : {0, 1}) submit(ids[static_cast<std::size_t>(run)], kStart + kDay + kHour);
  damage();
  EXPECT_THAT(restore().notes, ElementsAre(HasSubstr("run 'again' waits"), HasSubstr("run 'new' waits")));
  const auto store = openStore(workspace_);
  std::vector<std::string> waiting;
  const auto content = checked(RunQueue(store).read());
  for (const QueueEntry& entry : content->entries) waiting.push_back(entry.name);
  EXPECT_THAT(waiting, ElementsAre("waits", "before"));
  EXPECT_EQ(store->findRun(ids[0])->summary.status, RunStatus::Interrupted);
  EXPECT_EQ(store->findRun(ids[1])->summary.status, RunStatus::Created);
}

TEST_F(RestoreTest, ADamagedBackupIsSkipped) {
  ASSERT_TRUE(backUpWorkspace(workspace_, kStart + kDay).ok());
  const fs::path newest = backupsOf(workspace_).front().file;
  damagePages(newest);
  ASSERT_TRUE(backUpWorkspace(workspace_, kStart + 2 * kDay).ok());
  std::ofstream(backupsOf(workspace_).front().file) << "empty";
  damage();
  const RestoreReport report = restore();
  ASSERT_TRUE(report.backup.has_value());
  EXPECT_EQ(report.backup->takenMs, kStart);
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
  const auto run = checked(workspace->findRun("rebuilt"));
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
    const Error report = refused(restoreWorkspace(workspace_));
    EXPECT_EQ(report.code, ErrorCode::DiskFull) << report.text();
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
    killedAfter(trial * 13'300 % 200'000, [&] { return restoreWorkspace(workspace_).ok(); });
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
  const auto refused = backUpWorkspace(workspace_, kStart + kDay);
  ASSERT_FALSE(refused.ok()) << "a damaged copy would push out the good ones";
  EXPECT_EQ(refused.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(backupsOf(workspace_).size(), 1U);
  EXPECT_TRUE(restore().backup.has_value());
  const auto workspace = checked(Workspace::open(workspace_));
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
    const auto opened = checked(Workspace::open(folder.path()));
    EXPECT_TRUE((*opened)->findRun("run").ok());
    for (const char* side : sides) EXPECT_EQ(*readFile(aside.native() + side), "old") << side;
    EXPECT_FALSE(fs::exists(folder / kRestoredDatabaseName));
  }
}

}  // namespace
}  // namespace batchwise::test
