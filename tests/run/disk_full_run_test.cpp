// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that is full while a run trains: the run waits and goes on, and nothing of it is missing afterwards.
#include <gmock/gmock.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/run/small_run.h"
#include "tests/support/small_disk.h"

namespace batchwise::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kBytes = 4096;  // less than every file of the store has already

// Fills the disk at the end of one global batch, at the earliest when there are `checkpoints`, and does something about
// it when the run says that it waits.
class FullDisk final : public EventSink {
 public:
  FullDisk(std::int64_t fromBatch, std::int64_t checkpoints, std::function<void(FullDisk&)> onWaiting)
      : fromBatch_(fromBatch), checkpoints_(checkpoints), onWaiting_(std::move(onWaiting)) {}

  void publish(const RunEvent& event) override {
    const std::scoped_lock lock(mutex_);
    if (const auto* started = std::get_if<RunStarted>(&event)) run_ = started->run;
    if (std::holds_alternative<CheckpointSaved>(event)) ++saved_;
    if (const auto* row = std::get_if<MetricsRow>(&event)) {
      addRow(rows_, *row);
      if (!filled_ && row->at.batch >= fromBatch_ && saved_ >= checkpoints_) {
        disk_.emplace(kBytes);
        filled_ = true;
      }
    }
    if (std::holds_alternative<RunFinished>(event)) ++ends_;
    const auto* note = std::get_if<RunNote>(&event);
    if (note != nullptr) notes_.push_back(note->text);
    if (note == nullptr || note->text.find("wait") == std::string::npos || !waited_.empty()) return;
    waited_ = note->text;
    later_ = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      onWaiting_(*this);
    });
  }
  void makeSpace() {
    const std::scoped_lock lock(mutex_);
    disk_.reset();
  }
  // The first note that says `part`, which is waited for; empty if it does not come.
  std::string awaitNote(const std::string& part) {
    for (int looks = 0; looks < 300; ++looks) {
      {
        const std::scoped_lock lock(mutex_);
        for (const std::string& note : notes_)
          if (note.find(part) != std::string::npos) return note;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {};
  }
  // Once the run has ended.
  const std::vector<std::string>& notes() const { return notes_; }
  const std::string& run() const { return run_; }
  const std::string& waited() const { return waited_; }
  int ends() const { return ends_; }
  const std::vector<MetricsRow>& rows() const { return rows_; }

 private:
  const std::int64_t fromBatch_;
  const std::int64_t checkpoints_;
  const std::function<void(FullDisk&)> onWaiting_;
  std::mutex mutex_;  // guards what follows
  std::optional<SmallDisk> disk_;
  bool filled_ = false;
  std::int64_t saved_ = 0;
  int ends_ = 0;
  std::string run_;
  std::string waited_;
  std::vector<std::string> notes_;
  std::vector<MetricsRow> rows_;
  std::jthread later_;
};

// Long enough for the writer of the store to notice, which it does every 200 ms.
const std::vector<std::string> kLong = {"max_duration=200ba", "checkpoint.interval=50ba"};

TEST(DiskFullRunTest, ARunWaitsForSpaceAndLosesNothing) {
  const SmallRuns runs;
  const auto plain = checked(runs.train(runs.fresh(kLong)));

  for (const std::int64_t fullFrom : {20, 49, 199}) {
    SCOPED_TRACE("full after global batch " + std::to_string(fullFrom));
    FullDisk disk(fullFrom, 0, [](FullDisk& full) { full.makeSpace(); });
    CommandMailbox commands;
    const SystemClock clock;
    const LaunchRequest request = runs.fresh(kLong);
    const Result<RunFinished> end = trainRun(request, disk, commands, clock);
    disk.makeSpace();
    ASSERT_TRUE(end.ok()) << end.error().text();
    EXPECT_EQ(end->status, RunStatus::Finished);
    EXPECT_THAT(disk.waited(), HasSubstr("no space left"));
    expectSameRows(disk.rows(), plain.log.rows);
    EXPECT_EQ(checked(runs.workspace()->series(disk.run(), "loss"))->size(), plain.log.rows.size());
    expectSameState(runs.newest(disk.run()), runs.newest(plain.run()));
  }
}

TEST(DiskFullRunTest, WhoWaitsForSpaceAtTheEndIsNotTakenForHung) {
  const SmallRuns runs;
  FullDisk disk(199, 0, [](FullDisk& full) {
    std::this_thread::sleep_for(std::chrono::seconds(13));  // more than twice the limit of a checkpoint
    full.makeSpace();
  });
  CommandMailbox commands;
  const SystemClock clock;
  const LaunchRequest request = runs.fresh({"max_duration=200ba", "checkpoint.interval=40ba", "guard.hang.minimum=6"});
  const Result<RunFinished> end = trainRun(request, disk, commands, clock);
  disk.makeSpace();
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  EXPECT_THAT(disk.waited(), HasSubstr("no space left"));
}

TEST(DiskFullRunTest, ACheckpointThatComesBeforeTheLastOneCouldBeWrittenWaitsForSpaceToo) {
  const SmallRuns runs;
  FullDisk disk(3, 0, [](FullDisk& full) { full.makeSpace(); });
  CommandMailbox commands;
  const SystemClock clock;
  const LaunchRequest request = runs.fresh({"max_duration=20ba", "checkpoint.interval=1ba"});
  const Result<RunFinished> end = trainRun(request, disk, commands, clock);
  disk.makeSpace();
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  EXPECT_THAT(disk.waited(), HasSubstr("no space left"));
  EXPECT_EQ(runs.workspace()->checkpoints(disk.run())->size(), 20U);
}

TEST(DiskFullRunTest, WhoDoesNotWantToWaitIsToldWhatIsMissing) {
  const SmallRuns runs;
  CommandMailbox commands;
  FullDisk disk(120, 1, [&](FullDisk&) { commands.post(RunCommand::Abort); });
  const SystemClock clock;
  const std::vector<std::string> longer = {"max_duration=2000ba", "checkpoint.interval=50ba"};
  const LaunchRequest request = runs.fresh(longer);
  const Result<RunFinished> end = trainRun(request, disk, commands, clock);
  disk.makeSpace();
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->status, RunStatus::Failed) << "what is not in the store is not called done";
  EXPECT_THAT(end->reason, HasSubstr("not in the store"));
  EXPECT_GT(end->at.batch, 0);
  EXPECT_EQ(disk.ends(), 1) << "the end is told once";
  const auto stored = checked(runs.workspace()->series(disk.run(), "loss"));
  const std::int64_t last = runs.newest(disk.run()).record.at.batch;
  EXPECT_GE(last, 50) << "a resume goes on from there";
  EXPECT_GE(static_cast<std::int64_t>(stored->size()), last) << "what was stored before the disk was full";
  const auto goneOn = checked(runs.train(runs.resume(disk.run(), longer), last + 1));
  EXPECT_EQ(goneOn.end->status, RunStatus::Stopped);
}

// Both ways to come to a stop that waits: rows that cannot be stored, and a checkpoint that cannot be written.
const std::vector<std::string> kIntervals = {"checkpoint.interval=50ba", "checkpoint.interval=1ba"};
constexpr const char* kWayOut = "a stop without saving (Ctrl-C once more";

TEST(DiskFullRunTest, AStopThatWaitsForSpaceSaysSoAndEndsWithItsCheckpoint) {
  const SmallRuns runs;
  for (const std::string& interval : kIntervals) {
    SCOPED_TRACE(interval);
    CommandMailbox commands;
    std::string told;
    FullDisk disk(60, 1, [&](FullDisk& full) {
      commands.post(RunCommand::StopWithCheckpoint);
      told = full.awaitNote(kWayOut);
      full.makeSpace();
    });
    const SystemClock clock;
    const LaunchRequest request = runs.fresh({"max_duration=2000ba", interval});
    const Result<RunFinished> end = trainRun(request, disk, commands, clock);
    disk.makeSpace();
    ASSERT_TRUE(end.ok()) << end.error().text();
    EXPECT_THAT(told, HasSubstr("no space left")) << "what it waits for";
    EXPECT_THAT(told, HasSubstr("the run stops as soon as that is written"));
    EXPECT_THAT(told, HasSubstr("batchwise runs send " + disk.run() + " abort"));
    EXPECT_THAT(told, HasSubstr("a resume continues from checkpoint " + disk.run() + "-0-"));
    EXPECT_THAT(disk.notes(), Not(Contains("training resumes"))) << "it does not";
    EXPECT_EQ(end->status, RunStatus::Stopped) << end->reason;
    EXPECT_EQ(runs.newest(disk.run()).record.at.batch, end->at.batch);
  }
}

TEST(DiskFullRunTest, WhoThenStopsWithoutSavingGoesOnFromTheCheckpointThatWasNamed) {
  const SmallRuns runs;
  for (const std::string& interval : kIntervals) {
    SCOPED_TRACE(interval);
    CommandMailbox commands;
    std::string told;
    FullDisk disk(60, 1, [&](FullDisk& full) {
      commands.post(RunCommand::StopWithCheckpoint);
      told = full.awaitNote(kWayOut);
      commands.post(RunCommand::Abort);
    });
    const SystemClock clock;
    const LaunchRequest request = runs.fresh({"max_duration=2000ba", interval});
    const Result<RunFinished> end = trainRun(request, disk, commands, clock);
    disk.makeSpace();
    ASSERT_TRUE(end.ok()) << end.error().text();
    const RunCheckpoint newest = runs.newest(disk.run());
    EXPECT_THAT(told, HasSubstr("from checkpoint " + newest.record.id));
    const std::int64_t last = newest.record.at.batch;
    const auto goneOn = checked(runs.train(runs.resume(disk.run(), {"max_duration=2000ba", interval}), last + 1));
    EXPECT_EQ(goneOn.end->status, RunStatus::Stopped);
  }
}

}  // namespace
}  // namespace batchwise::test
