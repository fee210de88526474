// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/file_lock.h"
#include "core/store/schema.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// What open() does with files and folders that are not what it expects.

void writeBytes(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Opening fails with `code` and a message holding `words`, and leaves the file as it was and alone in its folder.
void expectRefused(const fs::path& folder, ErrorCode code, const std::string& words) {
  const fs::path file = folder / "workspace.sqlite";
  const auto before = checked(readFile(file));
  for (const auto mode : {Workspace::Mode::ReadWrite, Workspace::Mode::ReadOnly}) {
    const Error opened = refused(Workspace::open(folder, mode));
    EXPECT_EQ(opened.code, code) << opened.text();
    EXPECT_THAT(opened.text(), HasSubstr(words));
    EXPECT_EQ(*readFile(file), *before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "nothing was left beside it";
  }
}

/// Runs `body` as a user without rights, in a process of its own; its answer must be true.
bool asPlainUser(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0)) ::_exit(2);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(WorkspaceFilesTest, AnEmptyFileIsRefused) {
  const TempFolder folder;
  writeBytes(folder / "workspace.sqlite", "");
  expectRefused(folder.path(), ErrorCode::Corrupt, "0 bytes");
}

TEST(WorkspaceFilesTest, AFileThatIsNoDatabaseIsRefused) {
  const TempFolder folder;
  writeBytes(folder / "workspace.sqlite", std::string(5000, 'x'));
  expectRefused(folder.path(), ErrorCode::Corrupt, "not an SQLite database");
}

TEST(WorkspaceFilesTest, ADatabaseOfAnotherProgramIsRefused) {
  const TempFolder folder;
  {
    SQLite::Database other(folder / "workspace.sqlite", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("PRAGMA application_id = 77; CREATE TABLE run(id); INSERT INTO run VALUES(1)");
  }
  expectRefused(folder.path(), ErrorCode::Unsupported, "another program");
}

TEST(WorkspaceFilesTest, ANewerSchemaIsRefused) {
  const TempFolder folder;
  openStore(folder.path());
  {
    SQLite::Database newer(folder / "workspace.sqlite", SQLite::OPEN_READWRITE);
    newer.exec("PRAGMA user_version = 9999; PRAGMA journal_mode = DELETE");
  }
  fs::copy_file(folder / "workspace.sqlite", folder / "keep");
  for (const char* name : {"workspace.sqlite", "workspace.lock", "checkpoints", "runs", "cache"})
    fs::remove_all(folder / name);
  fs::rename(folder / "keep", folder / "workspace.sqlite");
  expectRefused(folder.path(), ErrorCode::Unsupported, "schema version 9999");
}

TEST(WorkspaceFilesTest, ATruncatedDatabaseIsRefusedAtAnyLength) {
  const TempFolder folder;
  {
    const auto workspace = openStore(folder / "w");
    makeRun(*workspace, "a");
  }
  const auto whole = checked(readFile(folder / "w" / "workspace.sqlite"));
  for (std::size_t length : {1UL, 50UL, 99UL, 100UL, 4095UL, 4096UL, 9000UL, whole->size() / 2, whole->size() - 4096}) {
    const TempFolder cut;
    writeBytes(cut / "workspace.sqlite", std::string_view{*whole}.substr(0, length));
    const auto opened = Workspace::open(cut.path());
    const bool usable = opened.ok() && (*opened)->check().ok() && (*opened)->check()->empty();
    EXPECT_FALSE(usable) << length;
  }
}

TEST(WorkspaceFilesTest, AWalWithoutItsDatabaseIsNotTakenIn) {
  const TempFolder folder;
  writeBytes(folder / "workspace.sqlite-wal", "left over");
  const Error opened = refused(Workspace::open(folder.path()));
  EXPECT_EQ(opened.code, ErrorCode::Corrupt);
  EXPECT_THAT(opened.text(), HasSubstr("put the file back"));
}

TEST(WorkspaceFilesTest, AFileInPlaceOfTheFolderIsRefused) {
  const TempFolder folder;
  writeBytes(folder / "file", "x");
  EXPECT_THAT(refused(Workspace::open(folder / "file")).text(), HasSubstr("name a folder"));
}

TEST(WorkspaceFilesTest, AMissingFolderIsMadeForWritingOnly) {
  const TempFolder folder;
  EXPECT_EQ(refused(Workspace::open(folder / "a" / "b", Workspace::Mode::ReadOnly)).code, ErrorCode::NotFound);
  EXPECT_FALSE(fs::exists(folder / "a"));
  const auto workspace = openStore(folder / "a" / "b");
  EXPECT_TRUE(fs::is_directory(workspace->checkpointFolder()));
  EXPECT_TRUE(fs::is_directory(workspace->cacheFolder()));
}

TEST(WorkspaceFilesTest, AFolderThatCannotBeWrittenCanStillBeRead) {
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms{0755});
  {
    const auto workspace = openStore(folder / "w");
    makeRun(*workspace, "seen");
  }
  for (const char* side : {"workspace.sqlite-wal", "workspace.sqlite-shm"}) fs::remove(folder / "w" / side);
  fs::permissions(folder / "w" / "workspace.sqlite", fs::perms{0444});
  fs::permissions(folder / "w", fs::perms{0555});
  EXPECT_TRUE(asPlainUser([&] {
    const auto writing = Workspace::open(folder / "w");
    return !writing.ok() && writing.error().code == ErrorCode::Io &&
           writing.error().message.find("not writable") != std::string::npos;
  }));
  EXPECT_TRUE(asPlainUser([&] {
    const auto reading = Workspace::open(folder / "w", Workspace::Mode::ReadOnly);
    return reading.ok() && (*reading)->findRun("seen").ok();
  }));
  EXPECT_TRUE(asPlainUser([&] {
    const auto made = Workspace::open(folder / "w" / "inner");
    return !made.ok() && made.error().code == ErrorCode::Io;
  }));
  fs::permissions(folder / "w", fs::perms{0755});
}

TEST(WorkspaceFilesTest, AReadOnlyWorkspaceShowsWhatOthersWriteAndRefusesToWrite) {
  const TempFolder folder;
  const auto writing = openStore(folder / "w");
  const auto reading = checked(Workspace::open(folder / "w", Workspace::Mode::ReadOnly));
  const std::string run = makeRun(*writing, "new");
  EXPECT_TRUE((*reading)->findRun("new").ok());
  EXPECT_EQ((*reading)->setNote(run, "x").error().code, ErrorCode::Io);
  EXPECT_EQ(RunWriter::open(*reading, run, {}).error().code, ErrorCode::Io);
}

TEST(WorkspaceFilesTest, OnlyFileSystemsOfOneMachineAreLocal) {
  for (const long local : {0xEF53L, 0x58465342L, 0x9123683EL, 0x2FC12FC1L, 0xF2F52010L, 0x01021994L, 0x794C7630L,
                           0x4D44L, 0x2011BAB0L, 0x7366746EL})
    EXPECT_FALSE(networkFileSystemName(local)) << std::hex << local;
  EXPECT_EQ(networkFileSystemName(0x6969), "NFS");
  EXPECT_EQ(networkFileSystemName(0x0BD00BD0), "Lustre");
  EXPECT_EQ(networkFileSystemName(0x01021997), "9P") << "the drives of Windows in WSL";
  EXPECT_EQ(networkFileSystemName(0x65735546), "FUSE");
  EXPECT_EQ(networkFileSystemName(0x1234), "an unknown file system, type 0x1234");
  EXPECT_FALSE(networkFileSystemOf(fs::temp_directory_path()));
  EXPECT_FALSE(networkFileSystemOf("/no/such/folder"));
  EXPECT_TRUE(networkFileSystemOf("/proc")) << "on no list";
}

TEST(WorkspaceFilesTest, FuseIsLocalOnABlockDeviceOrInAContainer) {
  const std::string mounts =
      "22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
      "40 22 0:41 / /mnt/stick rw,nosuid shared:7 master:1 - fuseblk /dev/sdb1 rw\n"
      "41 22 0:42 / /mnt/far rw - fuse.sshfs user@host:/ rw\n"
      "42 22 0:43 / /var/lib/containers rw - fuse.fuse-overlayfs fuse-overlayfs rw\n";
  EXPECT_TRUE(isLocalFuse(mounts, "0:41"));
  EXPECT_FALSE(isLocalFuse(mounts, "0:42"));
  EXPECT_TRUE(isLocalFuse(mounts, "0:43"));
  EXPECT_FALSE(isLocalFuse(mounts, "0:99"));
  EXPECT_FALSE(isLocalFuse("", ""));
}

TEST(WorkspaceFilesTest, ASharedFolderBelongsToTheFirstMachine) {
  const TempFolder folder;
  const MachineIdentity alpha{"node", "a1", "boot-1"}, again{"node", "a1", "boot-2"}, beta{"node", "b2", "boot-3"};
  EXPECT_TRUE(claimForMachine(folder.path(), "NFS", alpha).ok());
  EXPECT_FALSE(otherMachineOf(folder.path(), alpha));
  EXPECT_TRUE(claimForMachine(folder.path(), "NFS", again).ok()) << "after a restart";
  EXPECT_EQ(*readFile(folder / "workspace.host"), machineText(again));
  EXPECT_EQ(otherMachineOf(folder.path(), beta), again);
  const Error second = refused(claimForMachine(folder.path(), "NFS", beta));
  EXPECT_EQ(second.code, ErrorCode::Unsupported);
  EXPECT_THAT(second.message, testing::AllOf(HasSubstr("node"), HasSubstr("another one"), HasSubstr("NFS")));
}

TEST(WorkspaceFilesTest, OfMachinesThatComeAtOnceOneGetsASharedFolder) {
  constexpr int kMachines = 4;
  for (int trial = 0; trial < repeats(50, 500); ++trial) {
    const TempFolder folder;
    std::atomic<int> granted = 0;
    {
      std::latch all(kMachines);
      std::vector<std::jthread> machines;
      for (int i = 0; i < kMachines; ++i)
        machines.emplace_back([&, name = "host" + std::to_string(i)] {
          all.arrive_and_wait();
          if (claimForMachine(folder.path(), "NFS", {name, name, name}).ok()) ++granted;
        });
    }
    ASSERT_EQ(granted.load(), 1);
    EXPECT_EQ(entriesOf(folder.path()).size(), 1U) << "nothing is left beside the file";
  }
}

TEST(WorkspaceFilesTest, AMachineThatHasRestartedGoesOnAndAnUnfinishedClaimIsTaken) {
  const TempFolder folder;
  const MachineIdentity alpha{"alpha", "a1", "boot-2"};
  std::ofstream(folder / "workspace.host") << machineText({"alpha", "a1", "boot-1"});
  EXPECT_TRUE(otherMachineOf(folder.path(), {"beta", "b2", "boot-3"}));
  EXPECT_FALSE(otherMachineOf(folder.path(), alpha));
  EXPECT_TRUE(claimForMachine(folder.path(), "NFS", alpha).ok());
  EXPECT_EQ(*readFile(folder / "workspace.host"), machineText(alpha));
  std::ofstream(folder / "workspace.host") << "";  // its writer was killed
  EXPECT_TRUE(claimForMachine(folder.path(), "NFS", alpha).ok());
}

mode_t modeOf(const fs::path& file) {
  return static_cast<mode_t>(fs::status(file).permissions()) & 0777U;
}

TEST(WorkspaceFilesTest, FilesGetWhatTheUmaskLeavesThem) {
  const mode_t before = ::umask(0002);
  const TempFolder folder;
  const auto store = openStore(folder / "w");
  const std::string run = fillStore(store, 10);
  auto checkpoint = CheckpointWriter::create(folder / "w/checkpoints/c.sqlite", 100);
  ASSERT_TRUE(checkpoint.ok() && checkpoint->finish({}).ok());
  ASSERT_TRUE(store->backup(folder / "copy.sqlite").ok());
  ::umask(before);
  for (const char* file : {"w/workspace.sqlite", "w/workspace.sqlite-wal", "w/workspace.sqlite-shm", "w/workspace.lock",
                           "w/workspace.writers", "w/checkpoints/c.sqlite", "copy.sqlite"})
    EXPECT_EQ(modeOf(folder / file), 0664U) << file;
}

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
  const auto done = checked(migrate(steps));
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
  EXPECT_THAT(refused(migrate(withNext({"DELETE FROM run"}))).text(), HasSubstr("dangling"));
  EXPECT_EQ(versionOf(file_), newest_);
  EXPECT_TRUE(openStore(folder_.path())->findRun("old").ok());
}

TEST_F(MigrationTest, AnOlderProgramRefusesTheNewerFile) {
  ASSERT_TRUE(migrate(withNext({"CREATE TABLE later(a)"})).ok());
  const Error opened = refused(Workspace::open(folder_.path()));
  EXPECT_EQ(opened.code, ErrorCode::Unsupported);
  EXPECT_THAT(opened.text(), HasSubstr("use a newer Batchwise"));
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
  const Error done = refused(migrate(withNext({"CREATE TABLE later(a)"})));
  EXPECT_EQ(done.code, ErrorCode::Corrupt) << done.text();
  EXPECT_EQ(*readFile(file_), bytes);
}

}  // namespace
}  // namespace batchwise::test
