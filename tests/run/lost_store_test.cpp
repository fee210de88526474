// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose weights or rows do not arrive in the store fails, says so, and keeps them elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/base/file.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_run.h"
#include "tests/run/small_run.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// The 20 seconds that a store is waited for are over soon.
class FastClock final : public Clock {
 public:
  double monotonicSec() const override { return 20 * system_.monotonicSec(); }
  std::int64_t wallMs() const override { return system_.wallMs(); }

 private:
  SystemClock system_;
};

// Does something once, when the run has done `batch` global batches, and hears of everything.
class Accident final : public EventSink {
 public:
  Accident(std::int64_t batch, std::function<void()> happens) : batch_(batch), happens_(std::move(happens)) {}
  void publish(const RunEvent& event) override {
    if (const auto* started = std::get_if<RunStarted>(&event)) run = started->run;
    if (const auto* note = std::get_if<RunNote>(&event)) notes += note->text.text() + "\n";
    if (const auto* end = std::get_if<RunFinished>(&event)) ends.push_back(*end);
    const auto* row = std::get_if<MetricsRow>(&event);
    if (row == nullptr || row->at.batch < batch_) return;
    if (const auto now = std::exchange(happens_, {})) now();
    std::this_thread::sleep_for(pauseAfter);
  }
  std::string run, notes;
  std::chrono::milliseconds pauseAfter{0};  ///< each row from then on takes so long: the store has time to refuse it
  std::vector<RunFinished> ends;

 private:
  const std::int64_t batch_;
  std::function<void()> happens_;
};

class LostStoreTest : public testing::Test {
 protected:
  LostStoreTest() { ::setenv("XDG_DATA_HOME", (home_ / "data").c_str(), 1); }
  ~LostStoreTest() override { ::unsetenv("XDG_DATA_HOME"); }

  Result<RunFinished> train(const LaunchRequest& request, Accident& accident) {
    CommandMailbox commands;
    return trainRun(request, accident, commands, clock_);
  }
  /// The one journal that was kept.
  fs::path kept() const {
    std::vector<fs::path> found;
    for (const fs::path& folder : entriesOf(home_ / "data/batchwise-rescue"))
      for (const fs::path& file : journalFiles(folder)) found.push_back(file);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? fs::path() : found.front();
  }
  /// Takes it into `workspace`, and trains on there from the checkpoint that came with it.
  void expectToGoOnIn(const fs::path& workspace, const std::string& run, std::int64_t batch) {
    {
      const auto opened = Workspace::open(workspace);
      ASSERT_TRUE(opened.ok()) << opened.error().text();
      for (int time = 0; time < 2; ++time) {  // taken in twice is taken in once
        const auto taken = importJournal(**opened, kept());
        ASSERT_TRUE(taken.ok()) << taken.error().text();
        EXPECT_THAT(taken->notes, testing::IsEmpty());
      }
      const auto detail = (*opened)->findRun(run);
      ASSERT_TRUE(detail.ok()) << detail.error().text();
      EXPECT_EQ(detail->summary.status, RunStatus::Failed);
    }
    LaunchRequest request = runs_.resume(run);
    request.workspace = workspace;
    Accident nothing(0, {});
    const auto end = train(request, nothing);
    ASSERT_TRUE(end.ok()) << end.error().text();
    EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
    EXPECT_THAT(nothing.notes, HasSubstr("at step " + std::to_string(batch) + ", bit for bit"));
    const auto plain = runs_.train(runs_.fresh({"name=plain"}));
    ASSERT_TRUE(plain.end.ok()) << plain.end.error().text();
    const auto own = Workspace::open(workspace);
    const auto last = openCheckpoint(**own, run, "");
    ASSERT_TRUE(last.ok()) << last.error().text();
    EXPECT_EQ(stateDifference(*last, runs_.newest(plain.run()), kAnySeconds), "");
  }

  TempFolder home_;
  SmallRuns runs_;
  FastClock clock_;
  const fs::path workspace_ = runs_.folder() / "workspace";
};

TEST_F(LostStoreTest, ARunWithoutTheWeightsOfItsEndHasFailedAndKeepsThemElsewhere) {
  Accident accident(5, [&] {
    fs::rename(workspace_ / "checkpoints", workspace_ / "before");
    std::ofstream(workspace_ / "checkpoints") << "in the way";
  });
  const auto end = train(runs_.fresh({"checkpoint.interval=4ba"}), accident);
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("the final weights are not in the store"));
  EXPECT_THAT(end->reason, HasSubstr("'batchwise runs sync --from " + kept().native() + "' imports it"));
  ASSERT_EQ(accident.ends.size(), 1u);
  EXPECT_EQ(accident.ends.front().status, RunStatus::Failed);
  EXPECT_THAT(accident.notes, HasSubstr(accident.run + "-0-8 was not saved")) << "it trains on, and says so";
  EXPECT_FALSE(Workspace::open(workspace_).ok()) << "a file in place of a folder is refused";
  fs::remove(workspace_ / "checkpoints");
  fs::rename(workspace_ / "before", workspace_ / "checkpoints");
  EXPECT_EQ(runs_.workspace()->findRun(accident.run)->summary.status, RunStatus::Failed);
  EXPECT_EQ(runs_.workspace()->series(accident.run, "loss")->size(), 12u);
  const auto opened = Workspace::open(workspace_);
  const auto taken = importJournal(**opened, kept());
  ASSERT_TRUE(taken.ok()) << taken.error().text();
  const RunCheckpoint last = runs_.newest(accident.run);
  EXPECT_EQ(last.record.at.batch, 12);
  const auto plain = runs_.train(runs_.fresh({"checkpoint.interval=4ba"}));
  EXPECT_EQ(stateDifference(last, runs_.newest(plain.run()), kAnySeconds), "");
}

TEST_F(LostStoreTest, WhatComesBackInTimeCostsNothing) {
  Accident accident(12, [&] {
    fs::rename(workspace_ / "checkpoints", workspace_ / "before");
    std::ofstream(workspace_ / "checkpoints") << "in the way";
    std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      fs::remove(workspace_ / "checkpoints");
      fs::rename(workspace_ / "before", workspace_ / "checkpoints");
    }).detach();
  });
  const auto end = train(runs_.fresh(), accident);
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  EXPECT_EQ(runs_.newest(accident.run).record.at.batch, 12);
  EXPECT_FALSE(fs::exists(home_ / "data/batchwise-rescue"));
}

TEST_F(LostStoreTest, ADeletedWorkspaceIsNotMadeAgainAndTheRunFails) {
  Accident accident(5, [&] { fs::remove_all(workspace_); });
  const auto end = train(runs_.fresh(), accident);
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("was deleted while it was in use"));
  EXPECT_THAT(end->reason, HasSubstr("its rows are lost with the store"));
  EXPECT_THAT(end->reason, Not(HasSubstr("stopped by the user")));
  EXPECT_THAT(accident.notes, HasSubstr("training waits"));
  EXPECT_FALSE(fs::exists(workspace_));
  ASSERT_NO_FATAL_FAILURE(expectToGoOnIn(runs_.folder() / "another", accident.run, end->at.batch));
}

TEST_F(LostStoreTest, AMovedWorkspaceHasItsRowsAndGetsTheWeights) {
  const fs::path moved = runs_.folder() / "moved";
  Accident accident(5, [&] { fs::rename(workspace_, moved); });
  const auto end = train(runs_.fresh(), accident);
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("was moved to '" + (moved / "workspace.sqlite").native()));
  EXPECT_FALSE(fs::exists(workspace_));
  {
    const auto opened = Workspace::open(moved);
    EXPECT_EQ((*opened)->findRun(accident.run)->summary.status, RunStatus::Failed);
    EXPECT_EQ((*opened)->series(accident.run, "loss")->size(), static_cast<std::size_t>(end->at.batch));
  }
  ASSERT_NO_FATAL_FAILURE(expectToGoOnIn(moved, accident.run, end->at.batch));
}

TEST_F(LostStoreTest, AWorkspaceThatIsMovedBackGoesOn) {
  Accident accident(5, [&] {
    fs::rename(workspace_, runs_.folder() / "moved");
    std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      fs::rename(runs_.folder() / "moved", workspace_);
    }).detach();
  });
  const auto end = train(runs_.fresh(), accident);
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  EXPECT_THAT(accident.notes, HasSubstr("training resumes"));
  EXPECT_EQ(runs_.newest(accident.run).record.at.batch, 12);
}

// By another program, as far as that can be: through SQLite, while the run trains.
void runSql(const fs::path& database, const std::string& sql) {
  const std::string program =
      "import sqlite3, sys; d = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None); "
      "d.execute(sys.argv[2])";
  const std::string command = "/usr/bin/python3 -c '" + program + "' '" + database.native() + "' \"" + sql + "\"";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(LostStoreTest, ARunWhoseStoreIsDamagedForGoodFailsAndKeepsItsRowsAndWeightsElsewhere) {
  for (const std::string sql : {"UPDATE run SET loss = 1.0", "DROP TABLE event"}) {
    SCOPED_TRACE(sql);
    const fs::path database = workspace_ / "workspace.sqlite";
    Accident accident(5, [&] { runSql(database, sql); });
    accident.pauseAfter = std::chrono::seconds(1);
    const auto end = train(runs_.fresh({"max_duration=12ba"}), accident);
    ASSERT_TRUE(end.ok()) << end.error().text();
    EXPECT_EQ(end->status, RunStatus::Failed);
    EXPECT_THAT(end->reason, HasSubstr("the store of the run no longer accepts rows: "));
    EXPECT_THAT(end->reason, HasSubstr("its last weights are kept in " + kept().native()));
    EXPECT_THAT(end->reason, HasSubstr("with "));
    EXPECT_THAT(end->reason, Not(HasSubstr("stopped by the user")));
    EXPECT_THAT(accident.notes, HasSubstr("waiting does not repair that"));
    fs::remove_all(workspace_);
    ASSERT_NO_FATAL_FAILURE(expectToGoOnIn(runs_.folder() / "another", accident.run, end->at.batch));
    for (const fs::path& folder : {runs_.folder() / "another", workspace_, home_ / "data"}) fs::remove_all(folder);
  }
}

TEST_F(LostStoreTest, WhatAGuardMayRollBackDoesNotStartWithoutItsFirstCheckpoint) {
  Accident nothing(0, {});
  ASSERT_TRUE(train(runs_.fresh({"max_duration=1ba"}), nothing).ok());
  fs::remove_all(workspace_ / "checkpoints");
  LaunchRequest request = runs_.fresh({"guard.non_finite=roll_back"});
  struct Blocks final : EventSink {
    explicit Blocks(fs::path folder) : checkpoints(std::move(folder)) {}
    void publish(const RunEvent& event) override {
      if (std::holds_alternative<MetricsRow>(event)) ++rows;
      if (!std::holds_alternative<RunStarted>(event)) return;
      fs::remove_all(checkpoints);
      std::ofstream(checkpoints) << "in the way";
    }
    const fs::path checkpoints;
    int rows = 0;
  } events(workspace_ / "checkpoints");
  CommandMailbox commands;
  const auto end = trainRun(request, events, commands, clock_);
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("does not start without the checkpoint that a guard may roll it back to"));
  EXPECT_EQ(events.rows, 0);
}

}  // namespace
}  // namespace batchwise::test
