// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace folder from elsewhere: whatever lies in it, nothing outside it is written, deleted or followed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "core/base/file.h"
#include "core/store/archive/run_archive.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal.h"
#include "core/store/restore/restore.h"
#include "core/store/workspace_folder.h"
#include "tests/store/forged_rows.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/resource_usage.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string bigEndian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
  return bytes;
}

/// A rollback journal that changes no page and names `victim` as its super-journal, which SQLite deletes in the end
/// (SQLite's file format, section 3).
std::string forgedJournal(std::uint32_t pages, const fs::path& victim) {
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::string journal = magic + bigEndian(0) + bigEndian(1) + bigEndian(pages) + bigEndian(512) + bigEndian(4096);
  journal.resize(512);
  std::uint32_t sum = 0;
  for (const char c : victim.native()) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  const auto length = static_cast<std::uint32_t>(victim.native().size());
  return journal + bigEndian((1U << 30) / 4096 + 1) + victim.native() + bigEndian(length) + bigEndian(sum) + magic;
}

class UntrustedFilesTest : public testing::Test {
 protected:
  UntrustedFilesTest() {
    const auto workspace = openStore(workspace_);
    run_ = fillStore(workspace, 60);
    std::ofstream(victim_) << "mine";
    fs::create_directories(outside_);
    std::ofstream(outside_ / "c1.sqlite") << "mine";
    std::ofstream(outside_ / "c1.sqlite.pin") << "mine";
  }
  void forgeJournal(const fs::path& folder) {
    const auto pages = static_cast<std::uint32_t>(fs::file_size(folder / "workspace.sqlite") / 4096);
    std::ofstream(folder / "workspace.sqlite-journal", std::ios::binary) << forgedJournal(pages, victim_);
  }
  /// What an attacker writes into the database, with checksums that fit.
  void forge(const std::string& sql) { forgeRows(workspace_ / "workspace.sqlite", sql); }
  void expectNothingOutsideTouched() {
    EXPECT_EQ(*readFile(victim_), "mine");
    EXPECT_EQ(*readFile(outside_ / "c1.sqlite"), "mine");
    EXPECT_EQ(*readFile(outside_ / "c1.sqlite.pin"), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(outside_), {}), 2);
  }

  TempFolder folder_;
  fs::path workspace_ = folder_ / "w";
  fs::path victim_ = folder_ / "victim";
  fs::path outside_ = folder_ / "outside";
  std::string run_;
};

TEST_F(UntrustedFilesTest, AForgedRollbackJournalDeletesNothing) {
  const fs::path copy = folder_ / "copy";
  fs::copy(workspace_, copy, fs::copy_options::recursive);
  forgeJournal(copy);
  SQLite::Database(copy / "workspace.sqlite", SQLite::OPEN_READWRITE).execAndGet("SELECT count(*) FROM run");
  ASSERT_FALSE(fs::exists(victim_)) << "plain SQLite deletes it: the journal is forged as it should be";

  std::ofstream(victim_) << "mine";
  forgeJournal(workspace_);
  for (const auto mode : {Workspace::Mode::ReadOnly, Workspace::Mode::ReadWrite}) {
    const Error opened = refused(Workspace::open(workspace_, mode));
    EXPECT_EQ(opened.code, ErrorCode::Corrupt);
    EXPECT_THAT(opened.text(), HasSubstr("workspace.sqlite-journal' is a rollback journal"));
  }
  expectNothingOutsideTouched();
  EXPECT_TRUE(fs::exists(workspace_ / "workspace.sqlite-journal"));
}

TEST_F(UntrustedFilesTest, AJournalThatWasUsedUpIsNoObstacle) {
  std::ofstream(workspace_ / "workspace.sqlite-journal") << std::string(600, '\0');
  EXPECT_TRUE(Workspace::open(workspace_).ok());
}

/// Another program turned the WAL off and died in the middle of a change.
TEST_F(UntrustedFilesTest, AnHonestJournalOfADatabaseWithoutWalIsApplied) {
  const fs::path file = workspace_ / "workspace.sqlite";
  const fs::path journal = workspace_ / "workspace.sqlite-journal";
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    database.exec(
        "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; "
        "DELETE FROM run; DELETE FROM metric_row; DELETE FROM event; UPDATE metric_block SET data = ''");
    fs::copy(workspace_, folder_ / "died", fs::copy_options::recursive);
  }
  const fs::path died = folder_ / "died";
  ASSERT_TRUE(fs::exists(died / "workspace.sqlite-journal"));
  ASSERT_GT(fs::file_size(died / "workspace.sqlite-journal"), 0U);
  {
    const auto workspace = openStore(died);
    EXPECT_TRUE(workspace->findRun("run").ok());
    EXPECT_TRUE(workspace->check()->empty());
  }
  fs::copy(workspace_ / "workspace.sqlite", died / "workspace.sqlite", fs::copy_options::overwrite_existing);
  forgeJournal(died);
  const auto opened = Workspace::open(died);
  EXPECT_FALSE(opened.ok()) << "a super-journal is never let through";
  expectNothingOutsideTouched();
}

TEST_F(UntrustedFilesTest, ACheckpointWithAForgedJournalIsReadWithoutIt) {
  const fs::path file = workspace_ / "checkpoints/c1.sqlite";
  std::ofstream(file.native() + "-journal", std::ios::binary) << forgedJournal(5, victim_);
  EXPECT_TRUE(CheckpointReader::open(file)->verify().ok());
  expectNothingOutsideTouched();
}

TEST_F(UntrustedFilesTest, LinksInTheFolderAreNotFollowed) {
  for (const char* name :
       {"checkpoints", "runs", "cache", "texts", "workspace.lock", "workspace.writers", "workspace.host", "queue.lock",
        "workspace.sqlite", "workspace.sqlite-wal", "workspace.sqlite-shm", "workspace.sqlite-journal"}) {
    const fs::path place = workspace_ / name;
    const fs::path kept = workspace_ / "kept";
    const bool wasThere = fs::exists(place);
    const bool isFolder = name == std::string_view("checkpoints") || name == std::string_view("runs") ||
                          name == std::string_view("cache") || name == std::string_view("texts");
    if (wasThere) fs::rename(place, kept);
    fs::create_symlink(isFolder ? outside_ : victim_, place);
    for (const auto mode : {Workspace::Mode::ReadOnly, Workspace::Mode::ReadWrite}) {
      const auto opened = Workspace::open(workspace_, mode);
      ASSERT_FALSE(opened.ok()) << name;
      EXPECT_THAT(opened.error().text(), testing::AllOf(HasSubstr(name), HasSubstr("is a link")));
    }
    fs::remove(place);
    fs::create_symlink(folder_ / "new", place);  // one that leads nowhere would be made there
    EXPECT_FALSE(Workspace::open(workspace_).ok()) << name;
    EXPECT_FALSE(fs::exists(folder_ / "new")) << name;
    fs::remove(place);
    if (wasThere) fs::rename(kept, place);
  }
  expectNothingOutsideTouched();
  EXPECT_TRUE(Workspace::open(workspace_).ok());
}

TEST_F(UntrustedFilesTest, TheWorkspaceItselfMayBeALink) {
  fs::create_symlink(workspace_, folder_ / "link");
  const auto opened = checked(Workspace::open(folder_ / "link"));
  EXPECT_TRUE(CheckpointReader::openIn(folder_ / "link", "checkpoints/c1.sqlite").ok());
}

TEST_F(UntrustedFilesTest, APipeInTheFolderMakesNobodyWait) {
  ASSERT_EQ(::mkfifo((workspace_ / "workspace.host").c_str(), 0600), 0);
  EXPECT_THAT(Workspace::open(workspace_).error().text(), HasSubstr("not a plain file"));
}

TEST_F(UntrustedFilesTest, ACheckpointElsewhereIsNeitherReadNorDeleted) {
  for (const char* path : {"../outside/c1.sqlite", "checkpoints/../../outside/c1.sqlite", "checkpoints/./c1.sqlite",
                           "checkpoints/", "checkpoints/..", "runs/c1.sqlite", "c1.sqlite", ""}) {
    EXPECT_FALSE(checkCheckpointPath(path).ok()) << path;
    forge("UPDATE checkpoint SET file = '" + std::string{path} + "'");
    const auto workspace = openStore(workspace_);
    EXPECT_EQ(workspace->checkpoints(run_).error().code, ErrorCode::Corrupt) << path;
    EXPECT_EQ(workspace->findCheckpoint("c1").error().code, ErrorCode::Corrupt) << path;
    EXPECT_FALSE(workspace->setPinned("c1", false).ok());
    EXPECT_FALSE(workspace->deleteCheckpoint("c1").ok());
    EXPECT_FALSE(exportArchive(*workspace, run_, {CheckpointSelection::Kind::All, {}}, folder_ / "a.bwr").ok());
    EXPECT_FALSE(CheckpointReader::openIn(workspace_, path).ok());
    EXPECT_FALSE(workspace->check()->empty());
  }
  forge("UPDATE checkpoint SET file = 'checkpoints/../../outside/c1.sqlite'");
  EXPECT_FALSE(openStore(workspace_)->deleteRun(run_).ok()) << "the file stays, and that is said";
  expectNothingOutsideTouched();
}

TEST_F(UntrustedFilesTest, ACheckpointThatIsALinkIsNotFollowed) {
  const fs::path file = workspace_ / "checkpoints/c1.sqlite";
  fs::rename(file, folder_ / "whole.sqlite");
  fs::create_symlink(folder_ / "whole.sqlite", file);
  const auto workspace = openStore(workspace_);
  EXPECT_THAT(CheckpointReader::openIn(workspace_, "checkpoints/c1.sqlite").error().text(), HasSubstr("is a link"));
  EXPECT_FALSE(exportArchive(*workspace, run_, {CheckpointSelection::Kind::All, {}}, folder_ / "a.bwr").ok());
  ASSERT_TRUE(workspace->deleteCheckpoint("c1").ok());
  EXPECT_FALSE(fs::exists(fs::symlink_status(file)));
  EXPECT_TRUE(fs::exists(folder_ / "whole.sqlite")) << "only the link goes";
}

TEST_F(UntrustedFilesTest, ARunWhoseIdIsAPathIsRefused) {
  std::ofstream(folder_ / "outside.journal") << "mine";
  std::ofstream(workspace_ / "outside.journal") << "mine";
  forge("UPDATE run SET id = '../outside'");
  const auto workspace = openStore(workspace_);
  EXPECT_THAT(workspace->listRuns(true).error().text(), HasSubstr("invalid id"));
  EXPECT_FALSE(workspace->findRun("run").ok());
  (void)workspace->deleteRun("../outside");
  EXPECT_EQ(*readFile(workspace_ / "outside.journal"), "mine");
  EXPECT_EQ(*readFile(folder_ / "outside.journal"), "mine");
}

TEST_F(UntrustedFilesTest, AJournalNamesNoCheckpointElsewhere) {
  const std::string id = newRecordId();
  NewRun run;
  run.name = "far";
  const auto journal = checked(JournalWriter::create(workspace_, id, run, {}));
  for (const char* path : {"../outside/c1.sqlite", "checkpoints/../../outside/c1.sqlite", "/etc/passwd"})
    EXPECT_FALSE((*journal)->addCheckpoint(checkpointOf("x", 1, path)).ok()) << path;
  CheckpointRecord record = checkpointOf("x", 1, "checkpoints/../../outside/c1.sqlite");
  EXPECT_FALSE((*journal)->removeCheckpoint(record).ok());
  expectNothingOutsideTouched();
}

TEST_F(UntrustedFilesTest, WhateverTheFuzzersBeganWithComesToAnEnd) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sourceRoot() / "tests/fuzz/corpus")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const double started = test::cpuSeconds();
    const auto within = [&](const char* what) {
      EXPECT_LT(test::cpuSeconds() - started, 10.0) << what << " " << entry.path();
      EXPECT_LT(test::peakKilobytes(), test::kMaxKilobytes) << what << " " << entry.path();
    };
    EXPECT_FALSE(CheckpointReader::open(entry.path()).ok()) << entry.path();
    within("verify");
    (void)importArchive(*openStore(folder_ / "into"), entry.path(), "");
    within("import");
    const fs::path bare = folder_ / "bare";
    fs::create_directories(bare);
    fs::copy_file(entry.path(), bare / "workspace.sqlite", fs::copy_options::overwrite_existing);
    EXPECT_FALSE(restoreWorkspace(folder_ / "new", bare / "workspace.sqlite").ok()) << entry.path();
    within("restore");
    EXPECT_FALSE(Workspace::open(bare).ok()) << entry.path();
    within("open");
    fs::remove_all(folder_ / "new");
  }
  EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace batchwise::test
