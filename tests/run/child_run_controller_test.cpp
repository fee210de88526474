// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <semaphore>
#include <thread>

#include "core/run/controllers/child_process.h"
#include "core/run/controllers/command_channel.h"
#include "core/run/run_controller.h"
#include "core/run/trainer.h"
#include "core/store/workspace.h"
#include "tests/run/controller_test_support.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using test::EventRecorder;

// The same trainer behind both controllers.
struct InAThread {
  static std::unique_ptr<RunController> make(EventSink& events) {
    return makeThreadRunController(events, []() -> Result<std::shared_ptr<Trainer>> {
      return std::shared_ptr<Trainer>(std::make_shared<test::ObedientTrainer>());
    });
  }
};
struct InAProcess {
  static std::unique_ptr<RunController> make(EventSink& events) {
    return makeChildRunController(events, {BATCHWISE_STRANGE_CHILD, "obey"});
  }
};

template <typename Place>
class RunControllerTest : public ::testing::Test {
 protected:
  RunControllerTest() { request_.workspace = folder_.path() / "workspace"; }

  test::TempFolder folder_;
  LaunchRequest request_;
  EventRecorder recorder_;
  std::binary_semaphore ended_{0};
  std::unique_ptr<RunController> controller_ = Place::make(recorder_);
};

struct PlaceNames {
  template <typename Place>
  static std::string GetName(int) {
    return std::is_same_v<Place, InAThread> ? "InAThread" : "InAProcess";
  }
};
using Places = ::testing::Types<InAThread, InAProcess>;
TYPED_TEST_SUITE(RunControllerTest, Places, PlaceNames);

TYPED_TEST(RunControllerTest, PassesEveryCommandInAndTheOutcomeOut) {
  this->controller_->onEnd([this] { this->ended_.release(); });
  ASSERT_TRUE(this->controller_->start(this->request_).ok());
  EXPECT_EQ(test::refused(this->controller_->start(this->request_)).code, ErrorCode::Busy);
  this->recorder_.template waitFor<RunStarted>();
  std::size_t told = 0;
  for (const RunCommand command : {RunCommand::Pause, RunCommand::Continue, RunCommand::SaveCheckpoint}) {
    this->controller_->command(command);
    this->recorder_.template waitFor<RunNote>(++told);
    EXPECT_EQ(this->recorder_.template of<RunNote>().back().text, choiceName(command));
  }
  this->controller_->command(RunCommand::StopWithCheckpoint);
  const Result<RunFinished> end = test::checked(this->controller_->wait());
  EXPECT_EQ(end->status, RunStatus::Stopped);
  EXPECT_EQ(end->reason, "stop");
  ASSERT_TRUE(this->ended_.try_acquire_for(std::chrono::minutes(1)));
  EXPECT_EQ(this->recorder_.template of<RunFinished>().size(), 1u);
}

TYPED_TEST(RunControllerTest, StartsAgainAfterARunHasEnded) {
  for (const RunCommand command : {RunCommand::StopAfterBatch, RunCommand::StopWithCheckpoint, RunCommand::Abort}) {
    ASSERT_TRUE(this->controller_->start(this->request_).ok());
    this->controller_->command(command);  // at once: it is kept until somebody listens
    const Result<RunFinished> end = test::checked(this->controller_->wait());
    EXPECT_EQ(end->reason, choiceName(command));
  }
  EXPECT_EQ(this->recorder_.template of<RunStarted>().size(), 3u);
}

TYPED_TEST(RunControllerTest, IsIdleBeforeAnythingStarts) {
  EXPECT_FALSE(this->controller_->wait().ok());
}

class ChildTest : public ::testing::Test {
 protected:
  Result<RunFinished> run(const std::string& behavior) {
    begin(behavior);
    return controller_->wait();
  }
  void begin(const std::string& behavior) {
    controller_ = makeChildRunController(recorder_, {BATCHWISE_STRANGE_CHILD, behavior});
    LaunchRequest request;
    request.workspace = folder_.path() / "workspace";
    const auto started = test::checked(controller_->start(request));
  }
  RunDetail stored() {
    const auto workspace = test::checked(Workspace::open(folder_.path() / "workspace"));
    return *test::checked((*workspace)->findRun("latest"));
  }
  /// The child's process id, once its run is in the store.
  std::int64_t childId() {
    recorder_.waitFor<MetricsRow>();
    return stored().segments.back().processId;
  }

  test::TempFolder folder_;
  EventRecorder recorder_;
  std::unique_ptr<RunController> controller_;
};

TEST_F(ChildTest, AKilledChildIsAnInterruptedRunWithTheReason) {
  const Result<RunFinished> end = test::checked(run("kill"));
  EXPECT_EQ(end->status, RunStatus::Interrupted);
  EXPECT_THAT(end->reason, testing::HasSubstr("killed (SIGKILL)"));
  EXPECT_EQ(end->at.batch, 7);
  EXPECT_EQ(stored().summary.status, RunStatus::Interrupted);
  EXPECT_EQ(stored().summary.reason, end->reason);
  ASSERT_EQ(recorder_.of<RunFinished>().size(), 1u);
  EXPECT_EQ(recorder_.of<RunFinished>().front().reason, end->reason);
}

TEST_F(ChildTest, TellsACrashAndAnExitByTheirNames) {
  const Result<RunFinished> crash = test::checked(run("crash"));
  EXPECT_THAT(crash->reason, testing::HasSubstr("crashed (SIGABRT)"));
  const Result<RunFinished> left = test::checked(run("exit"));
  EXPECT_EQ(left->status, RunStatus::Interrupted);
  EXPECT_THAT(left->reason, testing::HasSubstr("exit code 7"));
}

TEST_F(ChildTest, ARefusalBeforeTheRunCarriesTheLastWords) {
  const Error end = test::refused(run("refuse"));
  EXPECT_EQ(end.code, ErrorCode::Config);
  EXPECT_THAT(end.message, testing::HasSubstr("no such device"));
  ASSERT_EQ(recorder_.of<RunFinished>().size(), 1u);
  EXPECT_EQ(recorder_.of<RunFinished>().front().status, RunStatus::Failed);
}

TEST_F(ChildTest, AProgramThatIsNotThereIsNamed) {
  const auto controller = makeChildRunController(recorder_, {"/nowhere/batchwise"});
  EXPECT_THAT(test::refused(controller->start({})).text(), testing::HasSubstr("/nowhere/batchwise"));
}

TEST_F(ChildTest, AnEndThatNobodyHeardIsReadFromTheStore) {
  const Result<RunFinished> end = test::checked(run("finish-unheard"));
  EXPECT_EQ(end->status, RunStatus::Finished);
  EXPECT_EQ(end->reason, "max_duration reached");
}

TEST_F(ChildTest, NonsenseBetweenTheEventsIsLeftOutAndToldOnce) {
  const Result<RunFinished> end = test::checked(run("nonsense"));
  EXPECT_EQ(end->reason, "done");
  ASSERT_EQ(recorder_.of<RunFinished>().size(), 1u);
  const auto notes = recorder_.of<RunNote>();
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(std::count_if(notes.begin(), notes.end(), [](const RunNote& note) { return note.text == "still here"; }),
            1);
  EXPECT_EQ(std::count_if(notes.begin(), notes.end(), [](const RunNote& n) { return n.level == NoteLevel::Warning; }),
            1);
}

TEST_F(ChildTest, AChildOutlivesItsController) {
  begin("wait");
  const auto child = static_cast<pid_t>(childId());
  controller_.reset();
  EXPECT_EQ(kill(child, 0), 0);
  EXPECT_EQ(stored().summary.status, RunStatus::Running);
  kill(child, SIGKILL);
  while (kill(child, 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(stored().summary.status, RunStatus::Interrupted);  // opening the workspace finds it
}

TEST_F(ChildTest, OfManyKilledChildrenEveryOneIsFoundAndTold) {
  const int count = test::isFullTier() ? 100 : 10;
  for (int i = 0; i < count; ++i) {
    EventRecorder recorder;
    const auto controller = makeChildRunController(recorder, {BATCHWISE_STRANGE_CHILD, "wait"});
    LaunchRequest request;
    request.workspace = folder_.path() / "workspace";
    ASSERT_TRUE(controller->start(request).ok());
    recorder.waitFor<MetricsRow>();
    kill(static_cast<pid_t>(stored().segments.back().processId), SIGKILL);
    const auto end = test::checked(controller->wait());
    EXPECT_EQ(end->status, RunStatus::Interrupted);
    EXPECT_EQ(stored().summary.reason, end->reason);
  }
}

TEST(CommandChannelTest, ReachesTheListenerFromOutsideAndSaysWhenThereIsNone) {
  const test::TempFolder folder;
  const std::filesystem::path workspace = folder.path() / std::string(90, 'w') / std::string(90, 'x');
  CommandMailbox commands;
  {
    const auto listener = test::checked(CommandListener::open(workspace, commands));
    ASSERT_TRUE(sendRunCommand(workspace, getpid(), RunCommand::SaveCheckpoint).ok());
    EXPECT_EQ(commands.waitFor(std::chrono::minutes(1)), RunCommand::SaveCheckpoint);
  }
  EXPECT_EQ(test::refused(sendRunCommand(workspace, getpid(), RunCommand::Abort)).code, ErrorCode::NotFound);
  EXPECT_TRUE(std::filesystem::is_empty(workspace / "runs"));
}

TEST(LaunchRequestTextTest, ComesBackAsItWas) {
  LaunchRequest request;
  request.workspace = "/somewhere/\"quoted\"";
  request.config = parseConfig(bundledConfig("demo"), "demo", "/base", {"optimizer.lr=3e-4"});
  ASSERT_TRUE(request.config.ok());
  request.resumeRun = "abc";
  request.resumeCheckpoint = "def";
  request.fork = true;
  request.firstSegment = 3;
  request.timeLimitSec = 0.5;
  const auto read = test::checked(requestFromText(requestToText(request)));
  EXPECT_EQ(read->workspace, request.workspace);
  EXPECT_EQ(read->config.config, request.config.config);
  EXPECT_EQ(read->config.baseFolder, request.config.baseFolder);
  EXPECT_EQ(read->resumeRun, "abc");
  EXPECT_EQ(read->resumeCheckpoint, "def");
  EXPECT_TRUE(read->fork);
  EXPECT_FALSE(read->stretch);
  EXPECT_EQ(read->firstSegment, 3);
  EXPECT_EQ(read->timeLimitSec, 0.5);
  for (const char* text : {"", "{}", "[1]", "{\"schema\":\"other\"}"}) EXPECT_FALSE(requestFromText(text).ok()) << text;
}

TEST(EventLineParserTest, PutsPiecesTogether) {
  const std::string line = eventToLine(RunNote{NoteLevel::Info, "a note", {}}) + "\n";
  EventLineParser lines;
  std::vector<RunEvent> events;
  for (const char byte : line + line) {
    const auto more = lines.take(std::string_view(&byte, 1));
    events.insert(events.end(), more.begin(), more.end());
  }
  EXPECT_EQ(events.size(), 2u);
  EXPECT_EQ(lines.malformedLines(), 0);
}

TEST(DeathReasonTest, SaysThatMemoryRanOutWhenTheSystemKilledForIt) {
  EXPECT_EQ(describeExit({true, SIGKILL, 1, ""}), "its process was killed (SIGKILL), probably because memory ran out");
  EXPECT_EQ(describeExit({true, SIGKILL, 0, "noise"}), "its process was killed (SIGKILL)");
  EXPECT_EQ(describeExit({true, SIGSEGV, 0, "one\ntwo\n"}), "its process crashed (SIGSEGV): two");
  EXPECT_EQ(describeExit({false, 3, 0, ""}), "its process ended with exit code 3");
}

}  // namespace
}  // namespace batchwise
