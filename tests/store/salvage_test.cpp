// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/database.h"
#include "core/store/journal/journal.h"
#include "core/store/record_text.h"
#include "core/store/salvage/salvage_rules.h"
#include "tests/store/store_fixture.h"
#include "tests/store/workspace_dump.h"
#include "tests/support/message_texts.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kRows = 2300;

class SalvageTest : public testing::Test {
 protected:
  SalvageTest() {
    const auto workspace = openStore(folder_ / "w");
    run_ = fillStore(workspace, kRows);
  }

  Result<SalvageReport> salvage() {
    fs::remove_all(target_);
    return salvageWorkspace(folder_ / "w", target_);
  }
  void damagePage(std::size_t page) {
    std::string bytes = *readFile(file_);
    bytes[page * 4096 + 2000] ^= 1;
    bytes[page * 4096 + 9] ^= 4;
    std::ofstream(file_, std::ios::binary) << bytes;
  }
  /// What the new workspace shows was in the old one. Returns the points that are left.
  std::size_t expectTruth() {
    const auto workspace = openStore(target_);
    EXPECT_THAT(*workspace->check(), IsEmpty());
    std::size_t points = 0;
    const auto runs = workspace->listRuns(true);
    for (const RunSummary& run : *runs) {
      EXPECT_THAT(run.name, testing::AnyOf("run", "salvaged-1"));
      const auto detail = workspace->findRun(run.id);
      EXPECT_TRUE(detail.ok());
      EXPECT_THAT(detail->configYaml, testing::AnyOf("", HasSubstr("optimizer: {lr: 5e-4}")));
      const auto names = workspace->seriesNames(run.id);
      for (const std::string& name : *names) points += workspace->series(run.id, name)->size();
      const auto loss = workspace->series(run.id, "loss");
      for (const SeriesPoint& point : *loss) EXPECT_EQ(point.value, rowOf(point.batch).loss);
    }
    return points;
  }

  TempFolder folder_;
  fs::path file_ = folder_ / "w" / "workspace.sqlite";
  fs::path target_ = folder_ / "new";
  std::string run_;
};

TEST_F(SalvageTest, OfAWholeWorkspaceNothingIsLost) {
  const auto before = readFile(file_);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, IsEmpty());
  EXPECT_EQ(report->copied.at("run"), 1);
  EXPECT_EQ(report->copied.at("checkpoint files"), 1);
  EXPECT_EQ(*readFile(file_), *before);
  const auto old = dumpOf(*openStore(folder_ / "w"));
  const auto fresh = dumpOf(*openStore(target_));
  ASSERT_NO_FATAL_FAILURE(expectNothingElse(fresh, old));
  EXPECT_EQ(fresh.shown.size(), old.shown.size());
  EXPECT_EQ(expectTruth(), static_cast<std::size_t>(kRows * 20 + kRows / 50 * 6));
}

TEST_F(SalvageTest, RowsThatAreStillInTheWalAreCopied) {
  const auto workspace = openStore(folder_ / "w");
  ASSERT_TRUE(workspace->renameRun(run_, "newest name").ok());
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(openStore(target_)->findRun("newest name").ok());
}

TEST_F(SalvageTest, ADamagedPageTakesOnlyWhatIsOnIt) {
  const std::string whole = *readFile(file_);
  const std::size_t pages = whole.size() / 4096;
  const std::size_t every = isFullTier() ? 1 : 5;
  constexpr std::size_t kManyColumns = 29;  // the flips there make a row of thousands of columns
  for (std::size_t page = 0; page < pages; ++page) {
    if (page % every != 0 && page != kManyColumns) continue;
    std::ofstream(file_, std::ios::binary) << whole;
    damagePage(page);
    const auto report = salvage();
    ASSERT_TRUE(report.ok()) << "page " << page + 1 << ": " << report.error().text();
    ASSERT_GE(expectTruth(), 20'000U) << "page " << page + 1 << testing::PrintToString(test::textsOf(report->lost));
  }
}

TEST_F(SalvageTest, WithoutTheDescriptionsOfItsTablesAllElseIsThere) {
  const std::string whole = *readFile(file_);
  // The header, all of the first page, and a file that was brought here from version 1 and so has another order.
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{4096}}) {
    std::string damaged = whole;
    damaged.replace(0, bytes, std::string(bytes, '\0'));
    std::ofstream(file_, std::ios::binary) << damaged;
    const auto report = salvage();
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_THAT(report->lost, testing::ElementsAre(HasSubstr("describe the tables")));
    EXPECT_EQ(expectTruth(), static_cast<std::size_t>(kRows * 20 + kRows / 50 * 6));
    EXPECT_EQ(*readFile(file_), damaged) << "the source was written";
  }
}

TEST_F(SalvageTest, AWalThatDoesNotFitIsLeftOut) {
  const fs::path wal = folder_ / "w" / "workspace.sqlite-wal";
  const auto truth = static_cast<std::size_t>(kRows * 20 + kRows / 50 * 6);
  std::ofstream(wal, std::ios::binary) << std::string(50'000, 'x');
  ASSERT_TRUE(salvage().ok());
  EXPECT_EQ(expectTruth(), truth);
  const auto other = openStore(folder_ / "other");
  makeRun(*other, "of another workspace");
  fs::copy_file(folder_ / "other/workspace.sqlite-wal", wal, fs::copy_options::overwrite_existing);
  ASSERT_GT(fs::file_size(wal), 0U);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, Contains(HasSubstr("does not fit the database")));
  EXPECT_EQ(expectTruth(), truth);
}

TEST_F(SalvageTest, ARowThatAnotherProgramChangedIsLost) {
  {
    SQLite::Database database(file_, SQLite::OPEN_READWRITE);
    database.exec("UPDATE series SET name = 'accuracy' WHERE name = 'loss'");
  }
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, Contains(testing::AllOf(HasSubstr("table 'series'"), HasSubstr("1 of 26"))));
}

TEST_F(SalvageTest, WithoutSqliteItSaysWhatToInstall) {
  const std::string path = std::getenv("PATH");
  fs::create_directories(folder_ / "tools");
  fs::create_symlink("/bin/cp", folder_ / "tools/cp");
  ::setenv("PATH", (folder_ / "tools").c_str(), 1);
  const auto report = salvage();
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().text(), HasSubstr("install"));
}

/// A program `sqlite3` that does as `shell` says where its arguments are like `pattern`; `real` there is the real one.
class OtherSqlite {
 public:
  OtherSqlite(const fs::path& folder, const std::string& pattern, const std::string& shell)
      : path_(std::getenv("PATH")) {
    fs::create_directories(folder);
    std::ofstream(folder / "sqlite3") << "#!/bin/sh\nPATH='" << path_ << "'\nreal() { sqlite3 \"$@\"; }\n"
                                      << "case \"$*\" in " << pattern << ") " << shell
                                      << ";; esac\nexec sqlite3 \"$@\"\n";
    fs::permissions(folder / "sqlite3", fs::perms{0755});
    ::setenv("PATH", (folder.native() + ":" + path_).c_str(), 1);
  }
  OtherSqlite(const OtherSqlite&) = delete;
  OtherSqlite& operator=(const OtherSqlite&) = delete;
  ~OtherSqlite() { ::setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};

TEST_F(SalvageTest, ASearchThatEndsEarlyIsToldUnlessTheRowsAreAllThere) {
  const auto endedEarly = HasSubstr("ended early");
  const auto with = [&](const std::string& shell) {
    const OtherSqlite other(folder_ / "tools", "*.recover*", shell);
    return salvage();
  };
  const auto complains = with("real \"$@\"; exit 1");
  ASSERT_TRUE(complains.ok()) << complains.error().text();
  EXPECT_THAT(complains->lost, IsEmpty()) << "every row that was counted is there";
  const auto killed = with("real \"$@\"; kill -KILL $$");
  ASSERT_TRUE(killed.ok()) << killed.error().text();
  EXPECT_THAT(killed->lost, Contains(endedEarly));
  const auto part = with("real \"$@\" | head -n 60; exit 1");
  ASSERT_TRUE(part.ok()) << part.error().text();
  EXPECT_THAT(part->lost, Contains(endedEarly));
  const auto nothing = with("echo 'pages 9;'; exit 1");
  ASSERT_TRUE(nothing.ok()) << nothing.error().text();
  EXPECT_THAT(nothing->lost, Contains(testing::AllOf(HasSubstr("only the database held"), endedEarly)));
  fs::remove_all(folder_ / "w" / "checkpoints");
  const auto failed = with("echo 'pages 9;'; exit 1");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(failed.error().text(), endedEarly);
}

TEST_F(SalvageTest, ASqliteThatTakesNoExtensionsIsTold) {
  const OtherSqlite other(folder_ / "tools", "*.load*", "exit 1");
  const auto report = salvage();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(report.error().text(), HasSubstr("libbatchwise_dbpage.so"));
}

/// As while it is being installed anew: the search finds nothing then, and ends well.
TEST_F(SalvageTest, ASearchWithoutTheExtensionIsNoSalvageOfNothing) {
  const OtherSqlite other(folder_ / "tools", "*.recover*",
                          "exec sqlite3 -init /dev/null -batch -readonly source.sqlite '.recover --ignore-freelist'");
  const auto report = salvage();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
  EXPECT_FALSE(fs::exists(target_));
}

TEST_F(SalvageTest, HowFarAJournalWasTakenInIsKeptForItsRunAlone) {
  {
    const auto workspace = openStore(folder_ / "w");
    for (const std::string& run : {run_, std::string("gonegonegone")})
      for (const char* from : {"", "@far", "@far@away"})
        ASSERT_TRUE(workspace->saveSetting("journal." + run + from, "5 600 0").ok());
    ASSERT_TRUE(workspace->saveSetting("journals", "of another kind").ok());
  }
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, IsEmpty());
  const auto workspace = openStore(target_);
  for (const char* from : {"", "@far", "@far@away"}) {
    EXPECT_TRUE(workspace->setting("journal." + run_ + from)->has_value()) << from;
    EXPECT_FALSE(workspace->setting(std::string("journal.gonegonegone") + from)->has_value()) << from;
  }
  EXPECT_TRUE(workspace->setting("journals")->has_value());
}

TEST_F(SalvageTest, AStopLeavesNothing) {
  const auto before = entriesOf(folder_.path()).size();
  for (const char* phase : {"", "searching for rows", "copying rows", "copying checkpoints"}) {
    std::stop_source stop;
    if (std::string(phase).empty()) stop.request_stop();
    const auto stopAt = [&](const PhaseProgress& progress) {
      if (progress.phase == phase) stop.request_stop();
    };
    const auto report = salvageWorkspace(folder_ / "w", target_, stopAt, stop.get_token());
    ASSERT_FALSE(report.ok()) << phase;
    EXPECT_EQ(report.error().code, ErrorCode::Stopped) << phase;
    EXPECT_EQ(entriesOf(folder_.path()).size(), before) << phase;
  }
}

TEST_F(SalvageTest, ItTellsHowFarItIs) {
  std::map<std::string, PhaseProgress> last;
  std::vector<std::string> phases;
  const auto report = salvageWorkspace(folder_ / "w", target_, [&](const PhaseProgress& progress) {
    const std::string& phase = progress.phase.text();
    if (last.contains(phase))
      EXPECT_GE(progress.done, last[phase].done) << phase;
    else
      phases.push_back(phase);
    EXPECT_LE(progress.done, progress.total) << phase;
    last[phase] = progress;
  });
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(phases, testing::ElementsAre("searching for rows", "copying rows", "copying checkpoints"));
  EXPECT_EQ(last["searching for rows"].total, static_cast<double>(fs::file_size(file_) / 4096));
  EXPECT_GT(last["searching for rows"].done, last["searching for rows"].total / 2);
}

TEST_F(SalvageTest, WhatAKilledSalvageLeftGoesAndNothingElse) {
  const fs::path left = folder_ / ".batchwise-salvage-a1B2c3", alive = folder_ / ".batchwise-salvage-d4E5f6";
  const fs::path mine = folder_ / ".salvage-backup", other = folder_ / ".mine.batchwise-salvage-a1B2c3",
                 inside = target_ / ".batchwise-salvage-g7H8i9";
  for (const fs::path& folder : {left, alive, mine, other, inside}) {
    fs::create_directories(folder / "with-wal");
    std::ofstream(folder / "with-wal/workspace.sqlite") << "half";
  }
  const FileDescriptor locked{::open(alive.c_str(), O_RDONLY | O_DIRECTORY)};
  ASSERT_EQ(::flock(locked.get(), LOCK_EX | LOCK_NB), 0);
  for (const fs::path& target : {target_, folder_ / "newer"}) {  // one that is there, but for what is left in it
    const auto report = salvageWorkspace(folder_ / "w", target);
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_THAT(report->lost, IsEmpty());
    EXPECT_TRUE(openStore(target)->findRun(run_).ok());
    for (const fs::path& entry : entriesOf(target)) EXPECT_FALSE(entry.filename().native().starts_with('.')) << entry;
  }
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(alive / "with-wal/workspace.sqlite")) << "another one is at work there";
  EXPECT_TRUE(fs::exists(mine / "with-wal/workspace.sqlite"));
  EXPECT_TRUE(fs::exists(other / "with-wal/workspace.sqlite"));
  EXPECT_TRUE(fs::exists(file_));
}

/// As where a user may write in that folder only.
TEST_F(SalvageTest, AnEmptyFolderIsEnoughAndStaysEmptyOnFailure) {
  const fs::path outer = folder_ / "outer", target = outer / "mine";
  fs::create_directories(target);
  std::stop_source stop;
  const auto before = fs::last_write_time(outer);
  const auto stopped = salvageWorkspace(
      folder_ / "w", target, [&](const PhaseProgress&) { stop.request_stop(); }, stop.get_token());
  EXPECT_EQ(stopped.error().code, ErrorCode::Stopped);
  EXPECT_TRUE(fs::is_empty(target));
  ASSERT_TRUE(salvageWorkspace(folder_ / "w", target).ok());
  EXPECT_EQ(fs::last_write_time(outer), before) << "something was made beside it";
  EXPECT_TRUE(openStore(target)->findRun(run_).ok());
}

TEST_F(SalvageTest, ARowThatIsTooLargeIsTold) {
  constexpr std::size_t kMebi = 1 << 20;
  {
    const auto workspace = openStore(folder_ / "w");
    ASSERT_TRUE(workspace->saveSetting("fits", std::string(4 * kMebi - 100, '\'')).ok());
    ASSERT_TRUE(workspace->saveSetting("too large", std::string(5 * kMebi, 'x')).ok());
  }
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(test::textsOf(report->lost), Contains("1 row larger than 4 MiB"));
  EXPECT_THAT(report->lost, Contains(HasSubstr("table 'setting'")));
  const auto workspace = openStore(target_);
  EXPECT_EQ((*workspace->setting("fits"))->size(), 4 * kMebi - 100);
  EXPECT_FALSE(workspace->setting("too large")->has_value());
}

TEST_F(SalvageTest, ManyDamagedPagesLeaveTheRest) {
  const std::size_t pages = readFile(file_)->size() / 4096;
  for (std::size_t page = pages / 2; page < pages; page += 7) damagePage(page);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_FALSE(report->lost.empty());
  EXPECT_GT(expectTruth(), 5'000U);
}

TEST_F(SalvageTest, FiguresOfALostRunAreKept) {
  {
    const auto database = openDatabase(file_, DatabaseUse::Write);
    database->exec("PRAGMA foreign_keys = OFF; DELETE FROM run; DELETE FROM segment");
  }
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, Contains(HasSubstr("'salvaged-1'")));
  const auto workspace = openStore(target_);
  const auto run = workspace->findRun("salvaged-1");
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(workspace->series(run->summary.id, "loss")->size(), static_cast<std::size_t>(kRows));
  EXPECT_EQ(run->summary.status, RunStatus::Interrupted);
}

/// Writes zeros over the page with the rows of the table `run`.
void loseRunRows(const fs::path& file) {
  std::int64_t page = 0;
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    page = database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'run'").getInt64();
  }
  std::string bytes = *readFile(file);
  bytes.replace(static_cast<std::size_t>(page - 1) * 4096, 4096, std::string(4096, '\0'));
  std::ofstream(file, std::ios::binary) << bytes;
}

TEST_F(SalvageTest, ALostRunKeepsTheIdAndTheNameThatTheIndexesRepeat) {
  loseRunRows(file_);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, Contains(HasSubstr("its metrics are under 'run'")));
  const auto workspace = openStore(target_);
  const auto run = workspace->findRun(run_);
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->summary.name, "run");
  EXPECT_EQ(workspace->series(run_, "loss")->size(), static_cast<std::size_t>(kRows));
}

TEST(RunNamesTest, AreToldFromTheIndexesThatLookAlike) {
  const std::vector<IndexedText> entries = {{5, "abcdefghijkl", 1},          {5, "mnopqrstuvwx", 2}, {6, "first", 1},
                                            {6, "looks4likeid", 2},          {9, "c1", 1},           {9, "c2", 2},
                                            {10, "checkpoints/c1.sqlite", 1}};
  const auto runs = indexedRunNames(entries, {"c2"});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).id, "abcdefghijkl");
  EXPECT_EQ(runs.at(1).name, "first");
  EXPECT_EQ(runs.at(2).id, "mnopqrstuvwx");
  EXPECT_EQ(runs.at(2).name, "looks4likeid");
  EXPECT_TRUE(indexedRunNames({{6, "first", 1}}, {}).at(1).id.empty()) << "the index of the ids is lost";
}

TEST(RunNamesTest, AreNoIdsOfCheckpointsAndDoNotContradictThemselves) {
  const auto unknown = indexedRunNames({{6, "first", 1}, {9, newRecordId() + "-0-100", 1}}, {});
  EXPECT_EQ(unknown.at(1).name, "first") << "the rows of the checkpoints are lost too";
  const auto leaves = indexedRunNames(  // the root of the index of ids is lost: its leaves stand alone
      {{5, "abcdefghijkl", 1}, {6, "first", 1}, {6, "second", 2}, {9, "mnopqrstuvwx", 2}}, {});
  EXPECT_EQ(leaves.at(2).id, "mnopqrstuvwx");
  EXPECT_EQ(leaves.at(2).name, "second");
  EXPECT_TRUE(indexedRunNames({{6, "first", 1}, {7, "other", 1}}, {}).at(1).name.empty());
}

TEST_F(SalvageTest, ATruncatedFileGivesItsFront) {
  const std::string whole = *readFile(file_);
  std::ofstream(file_, std::ios::binary) << whole.substr(0, whole.size() * 3 / 4 + 100);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_FALSE(report->lost.empty());
  EXPECT_GT(expectTruth(), 1'000U);
}

TEST_F(SalvageTest, ACheckpointThatIsDamagedIsLeftOut) {
  std::ofstream(folder_ / "w" / "checkpoints" / "c1.sqlite") << "cut";
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, Contains(HasSubstr("checkpoint c1")));
  EXPECT_THAT(*openStore(target_)->checkpoints(run_), IsEmpty());
}

// ---- Checkpoint files without their entries.

/// As the trainer writes them.
void writeCheckpointFile(const fs::path& folder, const std::string& id, std::int64_t batch, float value) {
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

TEST_F(SalvageTest, EntriesOfCheckpointsAreMadeAgainFromTheirFiles) {
  const fs::path old = folder_ / "w";
  writeCheckpointFile(old, run_ + "-0-40", 40, 1.0F);
  writeCheckpointFile(old, run_ + "-0-60", 60, std::numeric_limits<float>::quiet_NaN());
  std::ofstream(old / "checkpoints" / (run_ + "-0-80.sqlite")) << "cut";
  std::ofstream(old / "checkpoints" / "..-0-80.sqlite") << "no name";
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, IsEmpty()) << "of the database nothing is lost";
  EXPECT_THAT(report->notes, Contains(HasSubstr("2 checkpoint files of run " + run_ + " that no entry named")));
  EXPECT_THAT(report->notes, Contains(HasSubstr(run_ + "-0-80.sqlite, which no entry names, is left out")));
  const auto found = openStore(target_)->checkpoints(run_);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ(found->at(1).at, afterBatches(40));
  EXPECT_EQ(found->at(1).metric, 4.5);
  EXPECT_TRUE(found->at(1).finite);
  EXPECT_FALSE(found->at(2).finite);
  std::ofstream(old / "checkpoints" / "c1.sqlite") << "cut";  // so entries may be lost too
  const auto damaged = salvage();
  ASSERT_TRUE(damaged.ok()) << damaged.error().text();
  EXPECT_THAT(damaged->lost, Contains(HasSubstr("the entries of 2 checkpoints of run " + run_)));
  EXPECT_THAT(damaged->lost, Contains(HasSubstr(run_ + "-0-80.sqlite, which no entry names")));
}

TEST_F(SalvageTest, AFileOfADeletedRunIsNoLoss) {
  writeCheckpointFile(folder_ / "w", "gonegonegone-0-40", 40, 1.0F);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(report->lost, IsEmpty());
  EXPECT_THAT(report->notes, testing::ElementsAre(HasSubstr("1 checkpoint file belongs to run gonegonegone")));
  EXPECT_TRUE(openStore(target_)->findRun("gonegonegone").ok());
}

TEST_F(SalvageTest, ALostRunGetsTheConfigurationOfItsCheckpointFiles) {
  writeCheckpointFile(folder_ / "w", run_ + "-0-40", 40, 1.0F);
  loseRunRows(file_);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  const auto workspace = openStore(target_);
  const auto run = workspace->findRun(run_);
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_THAT(run->configYaml, HasSubstr("name: rebuilt"));
  EXPECT_FALSE(run->resolvedValues.empty());
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

TEST_F(SalvageTest, ALostRunWithAJournalComesBackFromIt) {
  {
    NewRun run;
    run.name = "whole";
    run.configYaml = "seed: 5";
    const auto journal = JournalWriter::create(folder_ / "w", run_, run, {});
    ASSERT_TRUE(journal.ok()) << journal.error().text();
    for (std::int64_t batch = 1; batch <= 5; ++batch) (*journal)->publish(rowOf(batch));
  }
  ASSERT_TRUE(openStore(folder_ / "w")->saveSetting("journal." + run_, "5 600 0").ok());
  loseRunRows(file_);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  const auto workspace = openStore(target_);
  EXPECT_FALSE(workspace->findRun(run_).ok());
  EXPECT_EQ(workspace->series(workspace->findRun("run")->summary.id, "loss")->size(), static_cast<std::size_t>(kRows));
  ASSERT_TRUE(syncJournals(*workspace).ok());
  const auto run = workspace->findRun(run_);
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->configYaml, "seed: 5");
  EXPECT_EQ(workspace->series(run_, "loss")->size(), 5U);
}

TEST_F(SalvageTest, LostRowsComeBackFromTheJournalTheyWereTakenFrom) {
  const std::string far = newRecordId();
  {
    NewRun run;
    run.name = "far";
    const auto journal = JournalWriter::create(folder_ / "w", far, run, {});
    ASSERT_TRUE(journal.ok()) << journal.error().text();
    for (std::int64_t batch = 1; batch <= 20; ++batch) (*journal)->publish(rowOf(batch));
    (*journal)->publish(RunNote{NoteLevel::Info, "a note", afterBatches(20)});
    (*journal)->publish(RunFinished{RunStatus::Finished, "done", afterBatches(20), ""});
  }
  {
    const auto workspace = openStore(folder_ / "w");
    ASSERT_TRUE(syncJournals(*workspace).ok());
    ASSERT_TRUE(workspace->setNote(far, "kept").ok());
  }
  {
    SQLite::Database database(file_, SQLite::OPEN_READWRITE);
    ASSERT_EQ(
        database.exec("DELETE FROM metric_row WHERE position <= 10 AND run = (SELECT number FROM run WHERE id = '" +
                      far + "')"),
        10);
  }
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_THAT(test::textsOf(report->notes), Contains(HasSubstr(far)));
  const auto workspace = openStore(target_);
  ASSERT_TRUE(syncJournals(*workspace).ok());
  EXPECT_EQ(workspace->series(far, "loss")->size(), 20U);
  EXPECT_EQ(workspace->events(far)->size(), 2U);
  EXPECT_EQ(workspace->findRun(far)->summary.note, "kept");
  EXPECT_EQ(workspace->findRun(far)->summary.status, RunStatus::Finished);
  EXPECT_EQ(workspace->series(run_, "loss")->size(), static_cast<std::size_t>(kRows)) << "it has no journal";
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

TEST_F(SalvageTest, ARunThatComesBackFromItsJournalIsWhereItsLastSegmentBegins) {
  const std::string far = newRecordId();
  {
    NewRun run;
    run.name = "far";
    const auto journal = JournalWriter::create(folder_ / "w", far, run, {});
    ASSERT_TRUE(journal.ok()) << journal.error().text();
    for (std::int64_t batch = 1; batch <= 20; ++batch) (*journal)->publish(rowOf(batch));
  }
  ASSERT_TRUE(JournalWriter::resume(folder_ / "w", far, {afterBatches(10), "", "{}", ""}).ok());
  ASSERT_TRUE(syncJournals(*openStore(folder_ / "w")).ok());
  {
    SQLite::Database database(file_, SQLite::OPEN_READWRITE);
    ASSERT_EQ(
        database.exec("DELETE FROM metric_row WHERE position <= 5 AND run = (SELECT number FROM run WHERE id = '" +
                      far + "')"),
        5);
  }
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  const auto workspace = openStore(target_);
  ASSERT_TRUE(syncJournals(*workspace).ok());
  const auto run = workspace->findRun(far);
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->segments.size(), 2U);
  EXPECT_EQ(run->summary.at, afterBatches(10));
  EXPECT_EQ(workspace->series(far, "loss")->size(), 10U);
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

TEST_F(SalvageTest, WithoutADatabaseRunsAreMadeAgainFromCheckpointsAndJournals) {
  const fs::path old = folder_ / "w";
  writeCheckpointFile(old, "abcdefghijkl-0-40", 40, 1.0F);
  writeCheckpointFile(old, "abcdefghijkl-1-90", 90, 2.0F);
  const std::string far = newRecordId();
  writeCheckpointFile(old, far + "-0-10", 10, 3.0F);
  {
    NewRun run;
    run.name = "far";
    const auto journal = JournalWriter::create(old, far, run, {});
    ASSERT_TRUE(journal.ok()) << journal.error().text();
    (*journal)->publish(rowOf(1));
    ASSERT_TRUE((*journal)->addCheckpoint(checkpointOf(far + "-0-10", 10, "checkpoints/" + far + "-0-10.sqlite")).ok());
  }
  const std::string pin = "checkpoints/" + far + "-0-10.sqlite.pin";
  std::ofstream(old / pin).close();
  std::ofstream(file_).close();
  const auto opened = Workspace::open(old);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(), testing::AllOf(HasSubstr("0 bytes"), HasSubstr("store salvage")));
  for (const bool missing : {false, true}) {
    if (missing) fs::remove(file_);
    const auto report = salvage();
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_THAT(report->lost, Contains(HasSubstr("everything that only the database held")));
    const auto workspace = openStore(target_);
    const auto run = workspace->findRun("rebuilt");
    ASSERT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(run->summary.id, "abcdefghijkl");
    EXPECT_EQ(run->summary.status, RunStatus::Interrupted);
    EXPECT_EQ(run->summary.at, afterBatches(90));
    EXPECT_EQ(run->resolvedValues.at("devices.threads"), "2");
    EXPECT_EQ(run->segments.size(), 2U);
    EXPECT_EQ(workspace->checkpoints(run->summary.id)->size(), 2U);
    ASSERT_TRUE(syncJournals(*workspace).ok());
    ASSERT_EQ(workspace->checkpoints(far)->size(), 1U);
    EXPECT_TRUE(workspace->checkpoints(far)->front().pinned);
    EXPECT_TRUE(fs::exists(target_ / pin)) << "for the host that writes the journal";
    EXPECT_THAT(*workspace->check(), IsEmpty());
  }
}

TEST_F(SalvageTest, ANewDatabaseBesideOldCheckpointsSaysSo) {
  const fs::path old = folder_ / "w";
  for (const char* side : {"", "-wal", "-shm"}) fs::remove(file_.native() + side);
  const auto made = openStore(old);
  EXPECT_THAT(made->notices(), Contains(testing::AllOf(HasSubstr("1 checkpoint file"), HasSubstr("store salvage"))));
  EXPECT_THAT(openStore(old)->notices(), IsEmpty()) << "once";
}

TEST_F(SalvageTest, ARunThatWasRunningIsInterrupted) {
  const auto workspace = openStore(folder_ / "w");
  const std::string other = makeRun(*workspace, "other");
  const auto writer = startRun(workspace, other);
  const auto report = salvage();
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(openStore(target_)->findRun("other")->summary.status, RunStatus::Interrupted);
}

TEST_F(SalvageTest, NeverWritesIntoSomethingThatIsThere) {
  EXPECT_EQ(salvageWorkspace(folder_ / "w", folder_ / "w").error().code, ErrorCode::Config);
  EXPECT_EQ(salvageWorkspace(folder_ / "nowhere", target_).error().code, ErrorCode::NotFound);
  EXPECT_FALSE(fs::exists(target_));
}

}  // namespace
}  // namespace batchwise::test
