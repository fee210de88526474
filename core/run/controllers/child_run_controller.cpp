// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/child_run_controller.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "core/run/awaited_run_controller.h"
#include "core/run/controllers/child_process.h"
#include "core/run/controllers/command_channel.h"
#include "core/run/controllers/event_lines.h"
#include "core/run/controllers/training_program.h"
#include "core/run/launch_request_text.h"
#include "core/store/workspace.h"

namespace batchwise {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kWaitMs = 50;
constexpr std::chrono::seconds kPatience{2};  // for the child to listen, before a stop becomes a signal

class ChildRunController final : public AwaitedRunController {
 public:
  ChildRunController(EventSink& events, std::vector<std::string> program)
      : events_(events), program_(std::move(program)) {}
  ~ChildRunController() override {
    leave_ = true;
    if (worker_.joinable()) worker_.join();
  }

  Result<void> start(const LaunchRequest& request) override;

 private:
  void work(ChildProcess child, const std::filesystem::path& workspace);
  void takeOutput(ChildProcess& child, int waitMs);
  void deliverCommands(const ChildProcess& child, const std::filesystem::path& workspace);
  RunFinished outcomeOf(const ChildEnd& end, const std::filesystem::path& workspace) const;

  EventSink& events_;
  const std::vector<std::string> program_;
  std::atomic<bool> leave_ = false;  // the worker is to let the child go on alone

  // The worker's own.
  EventLines lines_;
  std::int64_t unreadableTold_ = 0;
  std::optional<RunStarted> started_;
  std::optional<RunFinished> finished_;
  Timestamp at_;
  std::string lastCheckpoint_;
  std::optional<SteadyTime> unheardSince_;

  std::thread worker_;
};

Result<void> ChildRunController::start(const LaunchRequest& request) {
  if (running()) return Error{ErrorCode::Busy, "a run is under way here; wait for it or stop it first", {}};
  if (worker_.joinable()) worker_.join();
  Result<ChildProcess> child = ChildProcess::start(program_, requestToText(request));
  if (!child.ok()) return child.error();
  commands_.clear();  // what was meant for an earlier run
  lines_ = {};
  unreadableTold_ = 0;
  started_.reset();
  finished_.reset();
  at_ = {};
  lastCheckpoint_.clear();
  unheardSince_.reset();
  run_.begin();
  worker_ = std::thread(
      [this, workspace = request.workspace, made = std::move(*child)]() mutable { work(std::move(made), workspace); });
  return {};
}

void ChildRunController::work(ChildProcess child, const std::filesystem::path& workspace) {
  std::optional<ChildEnd> end;
  while (!end && !leave_) {
    takeOutput(child, kWaitMs);
    deliverCommands(child, workspace);
    end = child.ended();
  }
  if (!end) return run_.end(Error{ErrorCode::Stopped, "the run goes on in its own process", {}});
  takeOutput(child, 0);
  if (!finished_) {
    finished_ = outcomeOf(*end, workspace);
    events_.publish(*finished_);
  }
  if (!started_ && finished_->status == RunStatus::Failed)
    return run_.end(
        Error{!end->bySignal && end->number == 2 ? ErrorCode::Config : ErrorCode::Internal, finished_->reason, {}});
  run_.end(*finished_);
}

void ChildRunController::takeOutput(ChildProcess& child, int waitMs) {
  for (std::string bytes = child.read(waitMs); !bytes.empty(); bytes = child.read(0)) {
    for (const RunEvent& event : lines_.take(bytes)) {
      if (finished_) continue;  // nothing comes after the end
      if (const auto* started = std::get_if<RunStarted>(&event)) started_ = *started;
      if (const auto* row = std::get_if<MetricsRow>(&event)) at_ = row->at;
      if (const auto* saved = std::get_if<CheckpointSaved>(&event)) lastCheckpoint_ = saved->id;
      if (const auto* finished = std::get_if<RunFinished>(&event)) finished_ = *finished;
      events_.publish(event);
    }
  }
  if (lines_.unreadable() > 0 && unreadableTold_ == 0)
    events_.publish(
        RunNote{NoteLevel::Warning, "the process that trains wrote something that is no event; it was left out", at_});
  unreadableTold_ = lines_.unreadable();
}

void ChildRunController::deliverCommands(const ChildProcess& child, const std::filesystem::path& workspace) {
  const RunCommand command = commands_.take();
  if (command == RunCommand::None) return;
  if (sendRunCommand(workspace, child.id(), command).ok()) {
    unheardSince_.reset();
    return;
  }
  const SteadyTime now = std::chrono::steady_clock::now();
  if (!unheardSince_) unheardSince_ = now;
  if (!endsRun(command) || now - *unheardSince_ < kPatience) return commands_.post(command);  // tried again
  unheardSince_.reset();
  child.signal(SIGTERM);  // which stops with a checkpoint, or ends a child that does not get as far
}

RunFinished ChildRunController::outcomeOf(const ChildEnd& end, const std::filesystem::path& workspace) const {
  RunFinished outcome;
  outcome.at = at_;
  outcome.lastCheckpoint = lastCheckpoint_;
  outcome.reason = deathReason(end);
  if (!started_) {
    outcome.status = RunStatus::Failed;
    return outcome;
  }
  outcome.status = RunStatus::Interrupted;
  const auto opened = Workspace::open(workspace);
  if (!opened.ok()) return outcome;
  // The child may have ended in good order and only not been heard.
  if (const auto told = (*opened)->setInterruptionReason(started_->run, outcome.reason); !told.ok()) return outcome;
  const auto run = (*opened)->findRun(started_->run);
  if (!run.ok()) return outcome;
  outcome.status = run->summary.status;
  outcome.reason = run->summary.reason;
  outcome.at = run->summary.at;
  return outcome;
}

}  // namespace

std::unique_ptr<RunController> makeChildRunController(EventSink& events) {
  return makeChildRunController(events, {trainingProgram().native(), "train", "--request", "--json"});
}

std::unique_ptr<RunController> makeChildRunController(EventSink& events, std::vector<std::string> program) {
  return std::make_unique<ChildRunController>(events, std::move(program));
}

}  // namespace batchwise
