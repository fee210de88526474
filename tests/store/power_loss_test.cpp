// SPDX-License-Identifier: GPL-3.0-or-later
// The machine loses its power at any moment: what the store has acknowledged is there afterwards, and nothing is
// damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/store/power_loss_expect.h"
#include "tests/store/store_fixture.h"
#include "tests/store/watched_files.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr std::int64_t kSessions = 6;
constexpr std::int64_t kGroups = 12;
constexpr std::int64_t kRowsOfGroup = 40;

void saveCheckpoint(const Workspace& workspace, RunWriter& writer, std::int64_t batch) {
  const CheckpointRecord made = makeCheckpoint(workspace.folder(), "c" + std::to_string(batch), batch, 150'000);
  ASSERT_TRUE(writer.addCheckpoint(made).ok());
  mark("checkpoint " + made.id);
}

/// Several sessions of one run, with what the store acknowledged as marks. Each end of a session moves the WAL.
std::vector<FileOp> recordWork(const fs::path& folder) {
  startRecording(folder);
  std::int64_t batch = 0;
  std::string run;
  for (std::int64_t session = 0; session < kSessions; ++session) {
    const auto workspace = openStore(folder);
    if (session == 0) {
      run = makeRun(*workspace, "run");
      mark("run");
    }
    const auto writer = startRun(workspace, run, afterBatches(batch));
    for (std::int64_t group = 0; group < kGroups; ++group) {
      for (std::int64_t i = 0; i < kRowsOfGroup; ++i) writer->publish(rowOf(++batch));
      EXPECT_TRUE(writer->flush().ok());
      mark("row " + std::to_string(batch));
      if (group % 4 == 3) saveCheckpoint(*workspace, *writer, batch);
    }
  }
  return stopRecording();
}

bool isWanted(const std::string& path, const Known& known) {
  if (!path.starts_with("checkpoints/")) return true;
  const std::size_t newest = known.checkpoints.size() < 2 ? 0 : known.checkpoints.size() - 2;
  return path.find(".partial") != std::string::npos ||
         std::any_of(known.checkpoints.begin() + static_cast<std::ptrdiff_t>(newest), known.checkpoints.end(),
                     [&](const std::string& id) { return path.find(id) != std::string::npos; });
}

void expectWhole(const fs::path& folder, const Known& known, bool everything) {
  const auto workspace = Workspace::open(folder);
  ASSERT_TRUE(workspace.ok()) << workspace.error().text();
  const auto run = (*workspace)->findRun("run");
  if (!known.has("run") && !run.ok()) return;
  ASSERT_TRUE(run.ok()) << run.error().text();
  ASSERT_NO_FATAL_FAILURE(expectRows(**workspace, run->summary.id, known.row));
  ASSERT_NO_FATAL_FAILURE(expectCheckpoints(**workspace, run->summary.id, known.checkpoints, [&](const auto& record) {
    return isWanted(record.file, known) &&
           std::count(known.checkpoints.begin(), known.checkpoints.end(), record.id) > 0;
  }));
  if (!everything) return;
  const auto problems = (*workspace)->check();
  ASSERT_TRUE(problems.ok()) << problems.error().text();
  for (const std::string& problem : *problems)
    ASSERT_NE(problem.find("No such file"), std::string::npos)
        << problem;  // checkpoints that were not written out here
}

TEST(PowerLossTest, NothingAcknowledgedIsLostAndNothingIsDamaged) {
  const TempFolder folder;
  fs::create_directory(folder / "live");
  PowerLoss disk(recordWork(folder / "live"));
  ASSERT_GT(disk.size(), 2000U) << "hardly anything was recorded";
  std::mt19937_64 random(31);
  std::vector<std::size_t> points(static_cast<std::size_t>(repeats(1000, 10'000)));
  for (std::size_t& point : points) point = random() % (disk.size() + 1);
  std::sort(points.begin(), points.end());
  const FreeSyncs quick;
  Known known;
  int number = 0;
  for (const std::size_t point : points) {
    known.add(disk.advance(point));
    const fs::path found = folder / "found";
    fs::remove_all(found);
    fs::create_directories(found);
    disk.write(found, random, [&](const std::string& path) { return isWanted(path, known); });
    ASSERT_NO_FATAL_FAILURE(expectWhole(found, known, ++number % 10 == 0)) << "power lost before operation " << point;
  }
  EXPECT_EQ(known.checkpoints.size(), static_cast<std::size_t>(kSessions * kGroups / 4));
}

}  // namespace
}  // namespace batchwise::test
