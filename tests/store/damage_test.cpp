// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged workspace files: what is shown is what was stored, or it is refused. (Checkpoint files:
// checkpoint_file_test.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/base/file.h"
#include "tests/store/store_fixture.h"
#include "tests/store/workspace_dump.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;

void overwrite(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Names, notes, tags and settings have no checksum.
void withoutLabels(WorkspaceDump& dump) {
  std::erase_if(dump.shown, [](const auto& each) { return each.first.starts_with("labels "); });
}

class DamageTest : public testing::Test {
 protected:
  DamageTest() {
    const auto workspace = openStore(folder_ / "w");
    fillStore(workspace, 2200);
    truth_ = dumpOf(*workspace);
    withoutLabels(truth_);
    EXPECT_TRUE(truth_.errors.empty());
  }

  /// Opens the damaged file and looks at everything. Counts damage that was noticed.
  void expectTruthOrRefusal(const std::string& bytes, Workspace::Mode mode) {
    const fs::path folder = folder_ / "damaged";
    fs::remove_all(folder);
    fs::create_directories(folder);
    overwrite(folder / "workspace.sqlite", bytes);
    const auto workspace = Workspace::open(folder, mode);
    if (!workspace.ok()) {
      ++refused_;
      refusal_ = workspace.error().text();
      EXPECT_FALSE(refusal_.empty());
      return;
    }
    auto dump = dumpOf(**workspace);
    withoutLabels(dump);
    if (!dump.errors.empty()) ++refused_;
    ASSERT_NO_FATAL_FAILURE(expectNothingElse(dump, truth_));
    if (dump.errors.empty()) {
      ASSERT_EQ(dump.shown.size(), truth_.shown.size()) << "something vanished without a word";
    }
  }

  TempFolder folder_;
  fs::path file_ = folder_ / "w" / "workspace.sqlite";
  WorkspaceDump truth_;
  int refused_ = 0;
  std::string refusal_;  // of the last one that was refused
};

TEST_F(DamageTest, NoFlippedBitChangesAFigure) {
  const std::string whole = *readFile(file_);
  ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(whole, Workspace::Mode::ReadOnly));
  ASSERT_EQ(refused_, 0);
  std::mt19937_64 random(21);
  const int trials = repeats(200, 2000);
  for (int trial = 0; trial < trials; ++trial) {
    std::string damaged = whole;
    const std::size_t at = trial < 100 ? static_cast<std::size_t>(trial) : random() % whole.size();
    damaged[at] ^= static_cast<char>(1 << (random() % 8));
    const auto mode = trial % 4 == 0 ? Workspace::Mode::ReadWrite : Workspace::Mode::ReadOnly;
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(damaged, mode)) << "byte " << at << ", trial " << trial;
  }
  EXPECT_GT(refused_, trials / 3) << "hardly any damage was noticed";  // bytes that nothing uses are many
}

TEST_F(DamageTest, NoTruncationChangesAFigure) {
  const std::string whole = *readFile(file_);
  std::mt19937_64 random(22);
  const int trials = repeats(50, 500);
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t pages = whole.size() / 4096;
    const std::size_t length = trial % 2 == 0 ? random() % whole.size() : (random() % pages) * 4096;
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(whole.substr(0, length), Workspace::Mode::ReadWrite)) << length;
    EXPECT_EQ(refused_, trial + 1) << "cut to " << length << " of " << whole.size() << " bytes";
  }
  EXPECT_EQ(refused_, trials) << "each cuts off something";
}

TEST_F(DamageTest, AZeroedPageIsNoticed) {
  const std::string whole = *readFile(file_);
  for (std::size_t page = 0; page < whole.size() / 4096; ++page) {
    std::string damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(page * 4096), 4096, '\0');
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(damaged, Workspace::Mode::ReadOnly)) << "page " << page + 1;
    if (page == 0) continue;  // that is no database any more
    EXPECT_THAT(refusal_, testing::AllOf(testing::HasSubstr("damaged: "), testing::HasSubstr("store restore")));
    EXPECT_THAT(refusal_, testing::Not(testing::HasSubstr("disk I/O")));
  }
  EXPECT_GT(refused_, 0);
}

TEST_F(DamageTest, SwappedPagesAreNoticed) {
  const std::string whole = *readFile(file_);
  const std::size_t pages = whole.size() / 4096;
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t one = 1 + random() % (pages - 1);
    const std::size_t other = 1 + (one + random() % (pages - 2)) % (pages - 1);
    std::string damaged = whole;
    damaged.replace(one * 4096, 4096, whole, other * 4096, 4096);
    damaged.replace(other * 4096, 4096, whole, one * 4096, 4096);
    ASSERT_NO_FATAL_FAILURE(expectTruthOrRefusal(damaged, Workspace::Mode::ReadOnly)) << one << " and " << other;
  }
  EXPECT_GT(refused_, 0);
}

// ---- Damage in the WAL of a killed process takes the commits from there on; what is left is what was true then.

TEST(DamagedWalTest, WhatIsLeftIsAnEarlierState) {
  const TempFolder folder;
  const fs::path file = folder / "w" / "workspace.sqlite";
  std::string database, wal, run;
  {
    const auto workspace = openStore(folder / "w");
    run = makeRun(*workspace, "run");
    const auto writer = startRun(workspace, run);
    for (std::int64_t batch = 1; batch <= 300; ++batch) {
      writer->publish(rowOf(batch));
      if (batch % 10 == 0) {
        ASSERT_TRUE(writer->flush().ok());
      }
    }
    database = *readFile(file);
    wal = *readFile(file.native() + "-wal");
  }
  ASSERT_GT(wal.size(), 100'000U);
  std::mt19937_64 random(24);
  std::size_t fewest = 300;
  for (int trial = 0; trial < repeats(40, 400); ++trial) {
    const fs::path damaged = folder / "damaged";
    fs::remove_all(damaged);
    fs::create_directories(damaged);
    std::string bytes = wal;
    if (trial % 3 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    }
    overwrite(damaged / "workspace.sqlite", database);
    overwrite(damaged / "workspace.sqlite-wal", bytes);
    const auto workspace = Workspace::open(damaged);
    if (!workspace.ok() || !(*workspace)->findRun("run").ok()) continue;
    const auto loss = (*workspace)->series(run, "loss");
    ASSERT_TRUE(loss.ok()) << loss.error().text();
    ASSERT_EQ(loss->size() % 10, 0U) << "half a commit";
    for (std::size_t i = 0; i < loss->size(); ++i) {
      ASSERT_EQ(loss->at(i).batch, static_cast<std::int64_t>(i) + 1);
      ASSERT_EQ(loss->at(i).value, rowOf(loss->at(i).batch).loss);
    }
    fewest = std::min(fewest, loss->size());
  }
  EXPECT_LT(fewest, 300U) << "no damage reached the rows";
}

}  // namespace
}  // namespace batchwise::test
