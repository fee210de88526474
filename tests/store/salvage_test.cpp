// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/base/file.h"
#include "core/store/database.h"
#include "tests/store/store_fixture.h"
#include "tests/store/workspace_dump.h"
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
  EXPECT_EQ(expectTruth(), static_cast<std::size_t>(kRows * 19 + kRows / 50 * 6));
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
  int refused = 0;
  const std::size_t every = isFullTier() ? 1 : 5;
  for (std::size_t page = 0; page < pages; page += every) {
    std::ofstream(file_, std::ios::binary) << whole;
    damagePage(page);
    const auto report = salvage();
    if (!report.ok()) {
      ++refused;
      EXPECT_FALSE(fs::exists(target_)) << "half a workspace was left";
      continue;
    }
    ASSERT_GE(expectTruth(), 20'000U) << "page " << page + 1;
  }
  EXPECT_LE(refused, 2) << "only what holds the tables' descriptions may end it";
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
