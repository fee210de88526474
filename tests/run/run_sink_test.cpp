// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_sink.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "tests/run/controller_test_support.h"

namespace batchwise::test {
namespace {

/// Takes no events until it is released, as a writer does whose queue is full.
class StuckRecorder final : public RunRecorder {
 public:
  void publish(const RunEvent& event) override {
    if (std::holds_alternative<MetricsRow>(event)) {
      reached.count_down();
      released.wait();
    }
    taken.publish(event);
  }
  std::int64_t segment() const override { return 0; }
  Result<void> addCheckpoint(const CheckpointRecord&) override { return {}; }
  Result<std::vector<CheckpointRecord>> checkpoints() const override { return std::vector<CheckpointRecord>(); }
  Result<void> removeCheckpoint(const CheckpointRecord&) override { return {}; }
  Result<void> flush() override { return {}; }
  std::int64_t storedBatch() const override { return 0; }
  std::optional<Error> writeError() const override { return std::nullopt; }

  std::latch reached{1}, released{1};
  EventRecorder taken;
};

TEST(RunSinkTest, AStoreThatTakesNoEventsKeepsNobodyFromTellingOfIt) {
  EventRecorder listener;
  RunSink sink(listener);
  StuckRecorder recorder;
  std::future<RunFinished> told;
  {
    const RunSink::Recording recording(sink, recorder);
    std::jthread training([&] { sink.publish(MetricsRow{}); });
    recorder.reached.wait();
    told = std::async(std::launch::async, [&] {
      sink.publishNote(NoteLevel::Warning, "the training is late");
      return sink.endFromMonitor(RunStatus::Failed, "the training hangs");
    });
    const bool inTime = told.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
    recorder.released.count_down();
    EXPECT_TRUE(inTime);
    training.join();
    const RunFinished reported =
        sink.finishFromTraining(RunFinished{RunStatus::Finished, "done", {}, {}}, [] { return Result<void>(); });
    EXPECT_EQ(reported.reason, "the training hangs");
  }
  ASSERT_EQ(recorder.taken.of<RunFinished>().size(), 1U) << "once it takes events again";
  EXPECT_EQ(recorder.taken.of<RunFinished>().front().reason, "the training hangs");
  EXPECT_EQ(told.get().reason, "the training hangs");
  EXPECT_EQ(listener.of<MetricsRow>().size(), 1U);
  ASSERT_EQ(listener.of<RunNote>().size(), 2U);
  EXPECT_EQ(listener.of<RunNote>().front().text, "the training is late");
  EXPECT_EQ(listener.of<RunNote>().back().text, "the end of the run is not in the store: it takes no events");
  EXPECT_EQ(listener.of<RunFinished>().size(), 1U);
}

}  // namespace
}  // namespace batchwise::test
