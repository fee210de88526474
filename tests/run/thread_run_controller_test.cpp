// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <stdexcept>

#include "core/run/run_controller.h"
#include "tests/run/controller_test_support.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using test::ObedientTrainer;
using Recorder = test::EventRecorder;

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

TEST(ThreadRunControllerTest, TellsAnErrorBeforeTheRunAsAFailedRun) {
  Recorder recorder;
  const auto controller = makeThreadRunController(
      recorder, []() -> Result<std::shared_ptr<Trainer>> { return Error::unsupported("no trainer today"); });
  ASSERT_TRUE(controller->start({}).ok());
  EXPECT_EQ(test::refused(controller->wait()).code, ErrorCode::Unsupported);
  ASSERT_EQ(recorder.events().size(), 1u);
  const auto finished = std::get<RunFinished>(recorder.events().front());
  EXPECT_EQ(finished.status, RunStatus::Failed);
  EXPECT_EQ(finished.reason, "no trainer today");
}

TEST(ThreadRunControllerTest, TurnsAnExceptionIntoAnError) {
  Recorder recorder;
  const auto controller = makeThreadRunController(recorder, always<ThrowingTrainer>());
  ASSERT_TRUE(controller->start({}).ok());
  const Error end = test::refused(controller->wait());
  EXPECT_EQ(end.code, ErrorCode::Internal);
  EXPECT_THAT(end.message, testing::HasSubstr("a wheel came off"));
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
  const Error trainer = test::refused(loadTrainer());
  EXPECT_EQ(trainer.code, ErrorCode::Unsupported);
  EXPECT_THAT(trainer.message, testing::HasSubstr("/nowhere/libtrainer.so"));
  unsetenv("BATCHWISE_TRAINER");
}

}  // namespace
}  // namespace batchwise
