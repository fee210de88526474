// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose weights or rows do not arrive in the store fails and says what is lost.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/store/backups.h"
#include "core/store/restore/restore.h"
#include "tests/run/small_run.h"
#include "tests/support/checked.h"

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
    if (const auto* note = std::get_if<RunNote>(&event)) notes += note->text + "\n";
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
  Result<RunFinished> train(const LaunchRequest& request, Accident& accident) {
    CommandMailbox commands;
    return trainRun(request, accident, commands, clock_);
  }

  SmallRuns runs_;
  FastClock clock_;
  const fs::path workspace_ = runs_.folder() / "workspace";
};

TEST_F(LostStoreTest, ARunWithoutTheWeightsOfItsEndHasFailedAndGoesOnFromItsLastCheckpoint) {
  Accident accident(5, [&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // the checkpoint at 4 is stored
    fs::rename(workspace_ / "checkpoints", workspace_ / "before");
    std::ofstream(workspace_ / "checkpoints") << "in the way";
  });
  const auto end = checked(train(runs_.fresh({"checkpoint.interval=4ba"}), accident));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("the final weights are not in the store"));
  EXPECT_THAT(end->reason, HasSubstr("checkpoint " + accident.run + "-0-12 was not saved"));
  ASSERT_EQ(accident.ends.size(), 1u);
  EXPECT_EQ(accident.ends.front().status, RunStatus::Failed);
  EXPECT_THAT(accident.notes, HasSubstr(accident.run + "-0-8 was not saved")) << "it trains on, and says so";
  EXPECT_FALSE(Workspace::open(workspace_).ok()) << "a file in place of a folder is refused";
  fs::remove(workspace_ / "checkpoints");
  fs::rename(workspace_ / "before", workspace_ / "checkpoints");
  EXPECT_EQ(runs_.workspace()->findRun(accident.run)->summary.status, RunStatus::Failed);
  EXPECT_EQ(runs_.workspace()->series(accident.run, "loss")->size(), 12u);
  Accident nothing(0, {});
  const auto resumed = checked(train(runs_.resume(accident.run), nothing));
  EXPECT_EQ(resumed->status, RunStatus::Finished) << resumed->reason;
  EXPECT_EQ(runs_.newest(accident.run).record.at.batch, 12);
}

TEST_F(LostStoreTest, WhatComesBackInTimeCostsNothing) {
  std::jthread repair;
  Accident accident(12, [&] {
    fs::rename(workspace_ / "checkpoints", workspace_ / "before");
    std::ofstream(workspace_ / "checkpoints") << "in the way";
    repair = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      fs::remove(workspace_ / "checkpoints");
      fs::rename(workspace_ / "before", workspace_ / "checkpoints");
    });
  });
  const auto end = checked(train(runs_.fresh(), accident));
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  EXPECT_EQ(runs_.newest(accident.run).record.at.batch, 12);
}

TEST_F(LostStoreTest, ADeletedWorkspaceIsNotMadeAgainAndTheRunFails) {
  Accident accident(5, [&] { fs::remove_all(workspace_); });
  const auto end = checked(train(runs_.fresh(), accident));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("workspace.sqlite' was moved, replaced or deleted while it was in use"));
  EXPECT_THAT(end->reason, HasSubstr(" are lost; resume the run"));
  EXPECT_THAT(end->reason, Not(HasSubstr("at the user's request")));
  EXPECT_FALSE(fs::exists(workspace_));
}

TEST_F(LostStoreTest, AMovedWorkspaceKeepsWhatItHasAndTheRunFailsAndSaysWhatIsLost) {
  const fs::path moved = runs_.folder() / "moved";
  Accident accident(5, [&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // the rows up to now are stored
    fs::rename(workspace_, moved);
  });
  accident.pauseAfter = std::chrono::milliseconds(200);
  const auto end = checked(train(runs_.fresh({"checkpoint.interval=4ba"}), accident));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_FALSE(fs::exists(workspace_));
  EXPECT_THAT(accident.notes, HasSubstr("training waits"));
  const auto opened = checked(Workspace::open(moved));
  EXPECT_EQ((*opened)->findRun(accident.run)->summary.status, RunStatus::Interrupted);
  const auto rows = (*opened)->series(accident.run, "loss")->size();
  EXPECT_GE(rows, 4u);
  EXPECT_THAT(end->reason, HasSubstr("global batches " + std::to_string(rows + 1) + " to " +
                                     std::to_string(end->at.batch) + " are lost"));
  LaunchRequest request = runs_.resume(accident.run);
  request.workspace = moved;
  Accident nothing(0, {});
  const auto resumed = checked(train(request, nothing));
  EXPECT_EQ(resumed->status, RunStatus::Finished) << resumed->reason;
}

TEST_F(LostStoreTest, AWorkspaceThatIsMovedBackGoesOn) {
  std::jthread repair;
  Accident accident(5, [&] {
    fs::rename(workspace_, runs_.folder() / "moved");
    repair = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      fs::rename(runs_.folder() / "moved", workspace_);
    });
  });
  const auto end = checked(train(runs_.fresh(), accident));
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

TEST_F(LostStoreTest, ARunWhoseStoreIsDamagedFailsAndGoesOnFromItsLastWeightsAfterARestore) {
  Accident before(0, {});
  ASSERT_TRUE(train(runs_.fresh({"max_duration=1ba"}), before).ok());
  const auto backup = checked(backUpWorkspace(workspace_, clock_.wallMs()));
  Accident accident(5, [&] { runSql(workspace_ / "workspace.sqlite", "DROP TABLE event"); });
  accident.pauseAfter = std::chrono::milliseconds(300);
  const auto end = checked(train(runs_.fresh({"name=lost"}), accident));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("the run could not be stored any longer: "));
  EXPECT_THAT(end->reason, HasSubstr("its last weights are in '" + (workspace_ / "checkpoints").native()));
  EXPECT_THAT(end->reason, HasSubstr(" are lost; resume the run"));
  EXPECT_THAT(end->reason, Not(HasSubstr("at the user's request")));
  EXPECT_THAT(accident.notes, HasSubstr("the run ends as failed unless that is fixed within 20 seconds"));
  const auto report = checked(restoreWorkspace(workspace_, backup->file));
  ASSERT_FALSE(report->added.empty());
  EXPECT_THAT(report->added.front(), HasSubstr("run 'lost', from its "));
  EXPECT_EQ(runs_.newest(accident.run).record.at.batch, end->at.batch);
  Accident nothing(0, {});
  LaunchRequest request = runs_.resume(accident.run);
  request.config = parseConfig(runs_.workspace()->findRun(accident.run)->configYaml, "restored", runs_.folder());
  const auto resumed = checked(train(request, nothing));
  EXPECT_EQ(resumed->status, RunStatus::Finished) << resumed->reason;
  const auto plain = checked(runs_.train(runs_.fresh({"name=plain"})));
  EXPECT_EQ(stateDifference(runs_.newest(accident.run), runs_.newest(plain.run()), kAnySeconds), "");
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
  const auto end = checked(trainRun(request, events, commands, clock_));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, HasSubstr("does not start without the checkpoint that a guard may roll it back to"));
  EXPECT_EQ(events.rows, 0);
}

}  // namespace
}  // namespace batchwise::test
