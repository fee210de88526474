// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/thread_run_controller.h"

#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <vector>

namespace batchwise {
namespace {

class Recorder final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    const std::scoped_lock lock(mutex_);
    events_.push_back(event);
  }
  std::vector<RunEvent> events() const {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;  // guards events_
  std::vector<RunEvent> events_;
};

// Waits for a command and reports it as the reason of its end.
class ObedientTrainer : public Trainer {
 public:
  Result<RunFinished> train(const LaunchRequest&, EventSink& events, CommandMailbox& commands) override {
    events.publish(RunStarted{"abc", "obedient", 0, {}, 10});
    RunFinished finished;
    finished.status = RunStatus::Stopped;
    finished.reason = runCommandName(commands.wait());
    events.publish(finished);
    return finished;
  }
  Result<std::vector<std::vector<MaskCandidate>>> fillMask(const std::filesystem::path&, const std::string&,
                                                           const std::string&, const std::string&, int) override {
    return Error::unsupported("not here");
  }
  Result<void> exportHuggingFace(const std::filesystem::path&, const std::string&, const std::string&,
                                 const std::filesystem::path&) override {
    return Error::unsupported("not here");
  }
  Result<FoundBatch> findBatch(const LoadedConfig&, const std::filesystem::path&, EventSink&) override {
    return Error::unsupported("not here");
  }
  std::vector<ComputeDevice> devices() override { return {}; }
  std::string versions() override { return {}; }
};

class ThrowingTrainer final : public ObedientTrainer {
 public:
  Result<RunFinished> train(const LaunchRequest&, EventSink&, CommandMailbox&) override {
    throw std::runtime_error("a wheel came off");
  }
};

template <typename T>
TrainerSource always() {
  return []() -> Result<std::shared_ptr<Trainer>> { return std::shared_ptr<Trainer>(std::make_shared<T>()); };
}

TEST(ThreadRunControllerTest, PassesCommandsInAndTheOutcomeOut) {
  Recorder recorder;
  const auto controller = makeThreadRunController(recorder, always<ObedientTrainer>());
  ASSERT_TRUE(controller->start({}).ok());
  EXPECT_TRUE(controller->running());
  const Result<void> second = controller->start({});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::Busy);
  controller->command(RunCommand::StopWithCheckpoint);
  const Result<RunFinished> end = controller->wait();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->reason, "stop");
  EXPECT_FALSE(controller->running());
  EXPECT_EQ(recorder.events().size(), 2u);
}

TEST(ThreadRunControllerTest, StartsAgainAfterARunHasEnded) {
  Recorder recorder;
  const auto controller = makeThreadRunController(recorder, always<ObedientTrainer>());
  for (int run = 0; run < 3; ++run) {
    ASSERT_TRUE(controller->start({}).ok());
    controller->command(RunCommand::SaveCheckpoint);
    ASSERT_TRUE(controller->wait().ok());
  }
  EXPECT_EQ(recorder.events().size(), 6u);
}

TEST(ThreadRunControllerTest, TellsAnErrorBeforeTheRunAsAFailedRun) {
  Recorder recorder;
  const auto controller = makeThreadRunController(
      recorder, []() -> Result<std::shared_ptr<Trainer>> { return Error::unsupported("no trainer today"); });
  ASSERT_TRUE(controller->start({}).ok());
  const Result<RunFinished> end = controller->wait();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::Unsupported);
  ASSERT_EQ(recorder.events().size(), 1u);
  const auto finished = std::get<RunFinished>(recorder.events().front());
  EXPECT_EQ(finished.status, RunStatus::Failed);
  EXPECT_EQ(finished.reason, "no trainer today");
}

TEST(ThreadRunControllerTest, TurnsAnExceptionIntoAnError) {
  Recorder recorder;
  const auto controller = makeThreadRunController(recorder, always<ThrowingTrainer>());
  ASSERT_TRUE(controller->start({}).ok());
  const Result<RunFinished> end = controller->wait();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::Internal);
  EXPECT_NE(end.error().message.find("a wheel came off"), std::string::npos);
}

TEST(ThreadRunControllerTest, AbortsWhenItIsDestroyed) {
  Recorder recorder;
  {
    const auto controller = makeThreadRunController(recorder, always<ObedientTrainer>());
    ASSERT_TRUE(controller->start({}).ok());
  }
  ASSERT_EQ(recorder.events().size(), 2u);
  EXPECT_EQ(std::get<RunFinished>(recorder.events().back()).reason, "abort");
}

TEST(LoadTrainerTest, NamesTheFileThatIsNotThere) {
  ASSERT_EQ(setenv("BATCHWISE_TRAINER", "/nowhere/libtrainer.so", 1), 0);
  const auto trainer = loadTrainer();
  ASSERT_FALSE(trainer.ok());
  EXPECT_EQ(trainer.error().code, ErrorCode::Unsupported);
  EXPECT_NE(trainer.error().message.find("/nowhere/libtrainer.so"), std::string::npos);
  EXPECT_FALSE(trainerLoaded());
  unsetenv("BATCHWISE_TRAINER");
}

}  // namespace
}  // namespace batchwise
