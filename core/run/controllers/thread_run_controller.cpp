// SPDX-License-Identifier: GPL-3.0-or-later
#include <exception>
#include <thread>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/run/controllers/command_channel.h"
#include "core/run/run_controller.h"
#include "core/run/trainer.h"

namespace batchwise {
namespace {

class ThreadRunController final : public RunControllerBase {
 public:
  ThreadRunController(EventSink& events, TrainerSource source) : events_(events), source_(std::move(source)) {}
  ~ThreadRunController() override {
    command(RunCommand::Abort);
    if (worker_.joinable()) worker_.join();
  }

  Result<void> start(const LaunchRequest& request) override {
    if (!run_.begin()) return Error{ErrorCode::Busy, kProcessAlreadyTraining, {}};
    if (worker_.joinable()) worker_.join();
    commands_.clear();  // meant for an earlier run
    worker_ = std::thread([this, request] { work(request); });
    return {};
  }

 private:
  void work(const LaunchRequest& request) {
    Result<RunFinished> outcome = train(request);
    if (!outcome.ok()) events_.publish(failedRun(outcome.error()));
    run_.end(std::move(outcome));
  }

  Result<RunFinished> train(const LaunchRequest& request);

  // Returns null if the socket cannot be opened; the run can still be commanded from this process.
  std::unique_ptr<CommandListener> listen(const LaunchRequest& request) {
    if (request.workspace.empty()) return nullptr;
    Result<std::unique_ptr<CommandListener>> opened = CommandListener::open(request.workspace, commands_);
    if (opened.ok()) return std::move(*opened);
    events_.publish(RunNote{NoteLevel::Info, opened.error().text(), {}});
    return nullptr;
  }

  EventSink& events_;
  const TrainerSource source_;
  std::thread worker_;
};

Result<RunFinished> ThreadRunController::train(const LaunchRequest& request) try {
  ASSIGN_OR_RETURN(auto trainer, source_());
  const std::unique_ptr<CommandListener> listener = listen(request);
  return trainer->train(request, events_, commands_);
} catch (const std::exception& e) {
  return Error::internal(formatText("the trainer failed: {}", e.what()));
}

}  // namespace

std::unique_ptr<RunController> makeThreadRunController(EventSink& events) {
  return makeThreadRunController(events, loadTrainer);
}

std::unique_ptr<RunController> makeThreadRunController(EventSink& events, TrainerSource source) {
  return std::make_unique<ThreadRunController>(events, std::move(source));
}

}  // namespace batchwise
