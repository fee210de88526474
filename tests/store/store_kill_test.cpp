// SPDX-License-Identifier: GPL-3.0-or-later
// What the store has acknowledged survives kill -9 at any time, and several processes may write at once.
#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "core/store/journal/journal.h"
#include "tests/store/store_fixture.h"
#include "tests/store/writer_process.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::IsEmpty;

TEST(StoreKillTest, NothingAcknowledgedIsLost) {
  std::mt19937_64 random(11);
  constexpr int kKillsPerRun = 15;  // or more, until blocks of rows have been sealed
  constexpr std::int64_t kSealed = 2048;
  const std::string run = "run";
  std::optional<TempFolder> folder;
  Acknowledged known;
  std::int64_t acknowledged = 0;
  for (int kill = 0; kill < repeats(100, 1000) || acknowledged <= kSealed; ++kill) {  // a busy machine writes less
    if (kill == 0 || (kill % kKillsPerRun == 0 && known.row > kSealed)) {
      folder.emplace();
      known = {};
    }
    WriterProcess child(*folder / "w", run, 0, 40 + static_cast<std::int64_t>(random() % 400));
    if (kill % 5 != 0) child.waitUntilReady();  // every fifth is hit while it opens
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
    child.kill();
    add(known, child.said());
    const auto workspace = openStore(*folder / "w");
    if (known.row == 0 && !workspace->findRun(run).ok()) continue;
    if (workspace->findRun(run)->summary.status == RunStatus::Created) continue;
    ASSERT_NO_FATAL_FAILURE(expectWhole(*workspace, run, known)) << "after kill " << kill;
    acknowledged = std::max(acknowledged, known.row);
  }
}

TEST(StoreKillTest, NothingAcknowledgedInAJournalIsLost) {
  std::mt19937_64 random(12);
  const TempFolder folder;
  const LaterClock later;
  const std::string run = "journalabcde";
  Acknowledged known;
  for (int kill = 0; kill < repeats(20, 200) || known.row <= 1000; ++kill) {  // a busy machine writes less
    WriterProcess child(folder / "w", run, 0, 40 + static_cast<std::int64_t>(random() % 400));
    if (kill % 5 != 0) child.waitUntilReady();  // every fifth is hit while it opens
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
    child.kill();
    add(known, child.said());
    const auto workspace = openStore(folder / "w", later);
    EXPECT_THAT(checked(syncJournals(*workspace))->notes, IsEmpty());
    if (known.row == 0 && !workspace->findRun(run).ok()) continue;
    ASSERT_NO_FATAL_FAILURE(expectWhole(*workspace, run, known)) << "after kill " << kill;
  }
}

/// Two processes that write one run each into one workspace, and what they acknowledged, over many lives.
struct TwoWriters {
  const std::array<std::string, 2> runs{"left", "right"};
  std::array<Acknowledged, 2> known;
  std::array<std::unique_ptr<WriterProcess>, 2> processes;

  void start(const std::filesystem::path& folder, std::mt19937_64& random) {
    for (std::size_t i = 0; i < 2; ++i)
      if (!processes[i])
        processes[i] =
            std::make_unique<WriterProcess>(folder, runs[i], 0, 40 + static_cast<std::int64_t>(random() % 200));
  }
  void kill(std::size_t which) {
    processes[which]->kill();
    add(known[which], processes[which]->said());
    processes[which].reset();
  }
};

/// The survivor, if there is one, writes on.
void expectSurvives(const Workspace& workspace, const std::string& name) {
  const auto run = checked(workspace.findRun(name));
  const auto rows = [&] { return workspace.series(run->summary.id, "loss")->size(); };
  const std::size_t before = rows();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (rows() <= before && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  EXPECT_GT(rows(), before) << "the writer of '" << name << "' no longer writes";
}

TEST(StoreKillTest, OfTwoWritersOneOrBothAreKilledAndTheOtherGoesOn) {
  std::mt19937_64 random(23);
  constexpr int kKillsPerWorkspace = 10;
  enum { Left, Right, Both };
  std::optional<TempFolder> folder;
  std::optional<TwoWriters> two;
  std::int64_t acknowledged = 0;
  for (int kill = 0; kill < repeats(40, 400); ++kill) {
    if (kill % kKillsPerWorkspace == 0) {
      two.reset();
      folder.emplace();
      two.emplace();
    }
    two->start(*folder / "w", random);
    for (const auto& process : two->processes)
      if (kill % 5 != 0) process->waitUntilReady();  // every fifth is hit while it opens
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
    const auto which = static_cast<int>(random() % 3);
    if (which != Right) two->kill(Left);
    if (which != Left) two->kill(Right);
    const auto workspace = openStore(*folder / "w");
    for (std::size_t i = 0; i < 2; ++i) {
      const Acknowledged& known = two->known[i];
      if (two->processes[i]) {
        two->processes[i]->waitUntilReady();
        ASSERT_NO_FATAL_FAILURE(expectSurvives(*workspace, two->runs[i])) << "after kill " << kill;
        continue;
      }
      const auto run = workspace->findRun(two->runs[i]);
      if (known.row == 0 && (!run.ok() || run->summary.status == RunStatus::Created)) continue;
      ASSERT_NO_FATAL_FAILURE(expectWhole(*workspace, two->runs[i], known)) << "after kill " << kill;
      acknowledged = std::max(acknowledged, known.row);
    }
  }
  EXPECT_GT(acknowledged, 0) << "the kills must reach written rows";
}

TEST(StoreConcurrencyTest, ProcessesThatStartTogetherShareOneWorkspace) {
  const TempFolder folder;
  constexpr std::int64_t kRowsWritten = 2500;
  std::vector<std::unique_ptr<WriterProcess>> children;
  for (int i = 0; i < 3; ++i)  // all find an empty folder
    children.push_back(std::make_unique<WriterProcess>(folder / "w", "child" + std::to_string(i), kRowsWritten, 50));
  const auto workspace = openStore(folder / "w");
  const std::string own = makeRun(*workspace, "own");
  {
    const auto writer = startRun(workspace, own);
    for (std::int64_t batch = 1; batch <= kRowsWritten; ++batch) {
      writer->publish(rowOf(batch));
      if (batch % 100 == 0) {
        ASSERT_TRUE(writer->flush().ok());
      }
    }
  }
  for (auto& child : children) EXPECT_EQ(child->exitCode(), 0);
  for (const std::string& name :
       {std::string{"own"}, std::string{"child0"}, std::string{"child1"}, std::string{"child2"}}) {
    const auto run = workspace->findRun(name);
    ASSERT_TRUE(run.ok()) << name;
    const auto loss = checked(workspace->series(run->summary.id, "loss"));
    EXPECT_EQ(static_cast<std::int64_t>(loss->size()), kRowsWritten) << name;
    if (name != "own") {
      EXPECT_EQ(run->summary.status, RunStatus::Finished) << name;
    }
  }
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

}  // namespace
}  // namespace batchwise::test
