// SPDX-License-Identifier: GPL-3.0-or-later
// What ends or holds up a run from outside: pauses, a time limit, a hang, an error of the device; and what a resume
// says.
#include <c10/util/Exception.h>
#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/store/workspace.h"
#include "tests/run/small_run.h"
#include "tests/support/checked.h"
#include "tests/support/manual_clock.h"

namespace batchwise {
namespace {

using test::SmallRuns;

// Hands every event to a function, on the thread that reports it.
class Listener final : public EventSink {
 public:
  explicit Listener(std::function<void(const RunEvent&)> heard) : heard_(std::move(heard)) {}
  void publish(const RunEvent& event) override {
    heard_(event);
    if (const auto* row = std::get_if<MetricsRow>(&event)) test::addRow(rows, *row);
    if (const auto* note = std::get_if<RunNote>(&event)) notes.push_back(*note);
    if (const auto* started = std::get_if<RunStarted>(&event)) run = started->run;
    if (const auto* finished = std::get_if<RunFinished>(&event)) ends.push_back(*finished);
  }
  std::vector<MetricsRow> rows;
  std::vector<RunNote> notes;
  std::vector<RunFinished> ends;
  std::string run;

 private:
  std::function<void(const RunEvent&)> heard_;
};

bool isNote(const RunEvent& event, const std::string& text) {
  const auto* note = std::get_if<RunNote>(&event);
  return note != nullptr && note->text.find(text) != std::string::npos;
}

bool beginsPause(const RunEvent& event) {
  const auto* note = std::get_if<RunNote>(&event);
  return note != nullptr && note->paused == true;
}

bool isRowOf(const RunEvent& event, std::int64_t batch) {
  const auto* row = std::get_if<MetricsRow>(&event);
  return row != nullptr && row->at.batch == batch;
}

TEST(PauseTest, APausedRunGoesOnAsIfNothingHadBeen) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  CommandMailbox commands;
  const SystemClock clock;
  Listener listener([&](const RunEvent& event) {
    if (isRowOf(event, 3)) commands.post(RunCommand::Pause);
    if (beginsPause(event)) commands.post(RunCommand::Continue);
  });
  const auto end = test::checked(trainRun(runs.fresh(), listener, commands, clock));
  EXPECT_EQ(end->status, RunStatus::Finished);
  test::expectSameRows(listener.rows, plain.log.rows);
  EXPECT_TRUE(std::any_of(listener.notes.begin(), listener.notes.end(),
                          [](const RunNote& note) { return note.paused == false && note.at.batch == 3; }));
}

TEST(PauseTest, ARunWaitsForWhoTakesItsEventsAndIsNotTakenForHung) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  CommandMailbox commands;
  ManualClock clock;
  std::atomic<int> looksToGo = 0;
  Listener listener([&](const RunEvent& event) {
    if (isRowOf(event, 3)) looksToGo = 8;  // 1.6 s, so that the watchdog looks too
    if (isNote(event, "training waits")) clock.advanceMs(3'600'000);
  });
  LaunchRequest request = runs.fresh();
  request.eventsBlockedReason = [&looksToGo] { return looksToGo > 0 && --looksToGo > 0 ? "nobody reads" : ""; };
  const auto end = test::checked(trainRun(request, listener, commands, clock));
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  test::expectSameRows(listener.rows, plain.log.rows);
  std::vector<std::string> notes;
  for (const RunNote& note : listener.notes)
    if (note.at.batch == 3) notes.push_back(note.text);
  EXPECT_EQ(notes,
            (std::vector<std::string>{"training waits and resumes by itself: nobody reads", "training resumes"}));
  const auto stored = test::checked(runs.workspace()->events(listener.run));
  EXPECT_TRUE(std::any_of(stored->begin(), stored->end(),
                          [](const StoredEvent& event) { return isNote(event.event, "training waits"); }));
}

TEST(PauseTest, APausedRunSavesWhenAskedAndIsPausedAgain) {
  const SmallRuns runs;
  CommandMailbox commands;
  const SystemClock clock;
  std::vector<std::int64_t> pausedAt, savedAt;
  Listener listener([&](const RunEvent& event) {
    if (isRowOf(event, 3)) commands.post(RunCommand::Pause);
    if (const auto* saved = std::get_if<CheckpointSaved>(&event); saved != nullptr && !pausedAt.empty())
      savedAt.push_back(saved->at.batch);
    if (!beginsPause(event)) return;
    pausedAt.push_back(std::get<RunNote>(event).at.batch);
    commands.post(pausedAt.size() == 1 ? RunCommand::SaveCheckpoint : RunCommand::Abort);
  });
  const auto end = test::checked(trainRun(runs.fresh({"checkpoint.interval=100ba"}), listener, commands, clock));
  EXPECT_EQ(end->status, RunStatus::Stopped);
  ASSERT_EQ(pausedAt.size(), 2U);
  EXPECT_EQ(pausedAt[0], 3);
  EXPECT_EQ(savedAt, (std::vector<std::int64_t>{4}));
}

TEST(PauseTest, AGuardPausesEachTimeItFiresAndAPausedRunCanBeStopped) {
  const SmallRuns runs;
  const auto plain = runs.train(runs.fresh());
  for (const std::int64_t stopAt : {0, 5}) {
    CommandMailbox commands;
    const SystemClock clock;
    std::int64_t paused = 0;
    Listener listener([&](const RunEvent& event) {
      if (!beginsPause(event)) return;
      commands.post(++paused == stopAt ? RunCommand::StopWithCheckpoint : RunCommand::Continue);
    });
    const auto end = trainRun(runs.fresh({"guard.grad_norm={action: pause, limit: 0.001}", "devices.use=cpu:2"}),
                              listener, commands, clock);
    ASSERT_TRUE(plain.end.ok() && end.ok());
    EXPECT_EQ(end->status, stopAt == 0 ? RunStatus::Finished : RunStatus::Stopped);
    EXPECT_EQ(paused, stopAt == 0 ? 11 : 5);  // not after the last step
  }
}

TEST(FirstLossTest, AResumeSaysHowItsFirstLossComparesWithTheOldOne) {
  const SmallRuns runs;
  const auto whole = test::checked(runs.train(runs.fresh()));
  LaunchRequest again = runs.resume(whole.run());
  again.resumeCheckpoint = whole.log.checkpoints.front().id;  // at 5ba
  const auto same = test::checked(runs.train(again));
  EXPECT_TRUE(same.log.hasNote("after the resume (6ba) has the same loss as before"));
  EXPECT_TRUE(same.log.hasNote("equal to the last bit"));
  again.config = runs.config({"batch.device_train_microbatch_size=3"});
  const auto other = test::checked(runs.train(again));
  EXPECT_TRUE(other.log.hasNote("no more than rounding") || other.log.hasNote("equal to the last bit"));
  const auto first = runs.train(runs.fresh(), 4);
  const auto second = test::checked(runs.train(runs.resume(first.run())));
  EXPECT_TRUE(second.log.hasNote("(5ba): there is no earlier row to compare its loss with"));
  EXPECT_FALSE(whole.log.hasNote("after the resume"));
}

TEST(TimeLimitTest, TheRunStopsWithACheckpointBeforeTheLimit) {
  const SmallRuns runs;
  ManualClock clock;
  CommandMailbox commands;
  Listener listener([&](const RunEvent& event) {
    if (std::holds_alternative<MetricsRow>(event)) clock.advanceMs(10'000);
  });
  const double began = clock.monotonicSec();
  const auto end = test::checked(trainRun(runs.fresh({"launch.time_limit=90sec"}), listener, commands, clock));
  EXPECT_EQ(end->status, RunStatus::Stopped);
  EXPECT_THAT(end->reason, testing::HasSubstr("time limit"));
  EXPECT_GE(end->at.batch, 4);
  EXPECT_LT(clock.monotonicSec() - began, 90.0);
  EXPECT_EQ(test::checked(runs.workspace()->findCheckpoint(end->lastCheckpoint))->at.step, end->at.step);
  const auto rest = test::checked(runs.train(runs.resume(listener.run)));
  EXPECT_EQ(rest.end->status, RunStatus::Finished);
}

TEST(TimeLimitTest, TheShorterOfWhatIsWantedAndWhatTheClusterGivesCounts) {
  const SmallRuns runs;
  ManualClock clock;
  CommandMailbox commands;
  Listener listener([&](const RunEvent& event) {
    if (std::holds_alternative<MetricsRow>(event)) clock.advanceMs(10'000);
  });
  LaunchRequest request = runs.fresh({"launch.time_limit=90000sec"});
  request.timeLimitSec = 90;
  const double began = clock.monotonicSec();
  EXPECT_EQ(test::checked(trainRun(request, listener, commands, clock))->status, RunStatus::Stopped);
  EXPECT_LT(clock.monotonicSec() - began, 90.0);
  const auto next = test::checked(trainRun(runs.resume(listener.run), listener, commands, clock));
  EXPECT_EQ(next->status, RunStatus::Finished) << "it was the limit of that process alone";
}

// A clock whose next reading on one thread can be made to do something else.
class TrickClock final : public Clock {
 public:
  double monotonicSec() const override {
    std::function<void()> trick;
    {
      const std::scoped_lock lock(mutex_);
      if (trick_ && std::this_thread::get_id() == thread_) trick = std::exchange(trick_, nullptr);
    }
    if (trick) trick();
    return manual_.monotonicSec();
  }
  std::int64_t wallMs() const override { return manual_.wallMs(); }
  void advanceMs(std::int64_t ms) { manual_.advanceMs(ms); }
  /// The next time that this thread asks for the time.
  void next(std::function<void()> trick) {
    const std::scoped_lock lock(mutex_);
    thread_ = std::this_thread::get_id();
    trick_ = std::move(trick);
  }

 private:
  ManualClock manual_;
  mutable std::mutex mutex_;  // guards thread_ and trick_
  std::thread::id thread_;
  mutable std::function<void()> trick_;
};

TEST(DeviceErrorTest, EndsTheRunAsFailedAndAResumeEndsWhereItWouldHave) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  TrickClock clock;
  CommandMailbox commands;
  Listener listener([&](const RunEvent& event) {
    if (isRowOf(event, 7))
      clock.next([] { TORCH_CHECK(false, "CUDA error: an illegal memory access was encountered"); });
  });
  const auto end = test::checked(trainRun(runs.fresh(), listener, commands, clock));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, testing::HasSubstr("illegal memory access"));
  ASSERT_EQ(listener.ends.size(), 1u);
  EXPECT_EQ(listener.ends.front().status, RunStatus::Failed);
  const auto detail = test::checked(runs.workspace()->findRun(listener.run));
  EXPECT_EQ(detail->summary.status, RunStatus::Failed);
  EXPECT_THAT(detail->summary.reason, testing::HasSubstr("illegal memory access"));
  const auto resumed = test::checked(runs.train(runs.resume(listener.run)));
  test::expectSameState(runs.newest(plain.run()), runs.newest(listener.run));
}

TEST(HangTest, ARunThatHangsIsToldOfAndEndedWithTheSectionNamed) {
  const SmallRuns runs;
  TrickClock clock;
  CommandMailbox commands;
  std::mutex mutex;
  std::condition_variable heard;
  bool late = false, hung = false;
  const auto waitFor = [&](const bool& what) {
    std::unique_lock lock(mutex);
    heard.wait(lock, [&] { return what; });
  };
  const auto tell = [&](bool& what) {
    const std::scoped_lock lock(mutex);
    what = true;
    heard.notify_all();
  };
  bool hangs = false;
  Listener listener([&](const RunEvent& event) {
    const auto* phase = std::get_if<PhaseProgress>(&event);
    if (phase != nullptr && phase->phase == "evaluating" && !std::exchange(hangs, true))
      clock.next([&] {
        clock.advanceMs(601'000);  // ten times the minimum, as no evaluation has been measured
        waitFor(late);
        clock.advanceMs(700'000);
        waitFor(hung);
      });
    if (isNote(event, "guard.hang: no progress in an evaluation for 601 s, the limit is 600 s")) tell(late);
  });
  LaunchRequest request = runs.fresh();
  request.onHung = [&](const std::string&) { tell(hung); };
  const auto end = test::checked(trainRun(request, listener, commands, clock));
  EXPECT_EQ(end->status, RunStatus::Failed);
  EXPECT_THAT(end->reason, testing::HasSubstr("in an evaluation for"));
  ASSERT_EQ(listener.ends.size(), 1u);
  EXPECT_EQ(test::checked(runs.workspace()->findRun(listener.run))->summary.status, RunStatus::Failed);
}

}  // namespace
}  // namespace batchwise
