// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/thread_run_controller.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "core/run/command_channel.h"

namespace batchwise {
namespace {

class ThreadRunController final : public RunController {
 public:
  ThreadRunController(EventSink& events, TrainerSource source) : events_(events), source_(std::move(source)) {}
  ~ThreadRunController() override {
    command(RunCommand::Abort);
    if (worker_.joinable()) worker_.join();
  }

  Result<void> start(const LaunchRequest& request) override;
  void command(RunCommand command) override { commands_.post(command); }
  bool running() const override {
    const std::scoped_lock lock(mutex_);
    return running_;
  }
  Result<RunFinished> wait() override;

 private:
  void work(const LaunchRequest& request);
  Result<RunFinished> train(const LaunchRequest& request);
  std::unique_ptr<CommandListener> listen(const LaunchRequest& request);

  EventSink& events_;
  const TrainerSource source_;
  CommandMailbox commands_;
  mutable std::mutex mutex_;  // guards running_ and outcome_
  std::condition_variable ended_;
  bool running_ = false;
  std::optional<Result<RunFinished>> outcome_;
  std::thread worker_;
};

Result<void> ThreadRunController::start(const LaunchRequest& request) {
  {
    const std::scoped_lock lock(mutex_);
    if (running_) return Error{ErrorCode::Busy, "a run is under way in this process; wait for it or stop it first", {}};
    running_ = true;
    outcome_.reset();
  }
  if (worker_.joinable()) worker_.join();
  commands_.take();  // what was meant for an earlier run
  worker_ = std::thread([this, request] { work(request); });
  return {};
}

void ThreadRunController::work(const LaunchRequest& request) {
  Result<RunFinished> outcome = train(request);
  if (!outcome.ok()) {
    RunFinished failed;
    failed.status = RunStatus::Failed;
    failed.reason = outcome.error().text();
    events_.publish(failed);
  }
  const std::scoped_lock lock(mutex_);
  outcome_ = std::move(outcome);
  running_ = false;
  ended_.notify_all();
}

Result<RunFinished> ThreadRunController::train(const LaunchRequest& request) try {
  Result<std::shared_ptr<Trainer>> trainer = source_();
  if (!trainer.ok()) return trainer.error();
  const std::unique_ptr<CommandListener> listener = listen(request);
  return (*trainer)->train(request, events_, commands_);
} catch (const std::exception& e) {
  return Error::internal(std::string("the trainer failed: ") + e.what());
}

// Without it the run can still be commanded from here.
std::unique_ptr<CommandListener> ThreadRunController::listen(const LaunchRequest& request) {
  if (request.workspace.empty()) return nullptr;
  Result<std::unique_ptr<CommandListener>> opened = CommandListener::open(request.workspace, commands_);
  if (opened.ok()) return std::move(*opened);
  events_.publish(RunNote{NoteLevel::Info, opened.error().text(), {}});
  return nullptr;
}

Result<RunFinished> ThreadRunController::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return !running_; });
  if (!outcome_) return Error::internal("no run was started");
  return *outcome_;
}

}  // namespace

std::unique_ptr<RunController> makeThreadRunController(EventSink& events) {
  return makeThreadRunController(events, loadTrainer);
}

std::unique_ptr<RunController> makeThreadRunController(EventSink& events, TrainerSource source) {
  return std::make_unique<ThreadRunController>(events, std::move(source));
}

}  // namespace batchwise
