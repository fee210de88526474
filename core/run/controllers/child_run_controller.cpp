// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "core/base/result.h"
#include "core/run/controllers/child_process.h"
#include "core/run/controllers/command_channel.h"
#include "core/run/own_program.h"
#include "core/run/run_controller.h"
#include "core/run/trainer.h"
#include "core/store/workspace.h"

namespace batchwise {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kWaitMs = 50;
constexpr std::chrono::seconds kListenTimeout{2};  // time for the child to listen, before a stop is sent as a signal

// What is known of the child's run.
struct ChildState {
  EventLineParser lines;
  bool malformedReported = false;
  std::optional<RunStarted> started;
  std::optional<RunFinished> finished;
  Timestamp at;
  std::string lastCheckpoint;
  std::optional<SteadyTime> sendFailedSince;
};

class ChildRunController final : public RunControllerBase {
 public:
  ChildRunController(EventSink& events, std::vector<std::string> program)
      : events_(events), program_(std::move(program)) {}
  ~ChildRunController() override {
    detach_ = true;
    if (worker_.joinable()) worker_.join();
  }

  Result<void> start(const LaunchRequest& request) override {
    if (run_.running())
      return Error{ErrorCode::Busy, "this window already follows a run; wait for it or stop it first", {}};
    if (worker_.joinable()) worker_.join();
    ASSIGN_OR_RETURN(auto child, ChildProcess::start(program_, requestToText(request)));
    commands_.clear();  // meant for an earlier run
    child_ = {};
    run_.begin();
    worker_ = std::thread(
        [this, workspace = request.workspace, made = std::move(child)]() mutable { work(std::move(made), workspace); });
    return {};
  }

 private:
  void work(ChildProcess child, const std::filesystem::path& workspace) {
    std::optional<ChildExit> end;
    while (!end && !detach_) {
      takeOutput(child, kWaitMs);
      deliverCommands(child, workspace);
      end = child.ended();
    }
    if (!end) return run_.end(Error{ErrorCode::Stopped, "the run continues in its own process", {}});
    takeOutput(child, 0);
    if (!child_.finished) {
      child_.finished = outcomeOf(*end, workspace);
      events_.publish(*child_.finished);
    }
    if (!child_.started && child_.finished->status == RunStatus::Failed)
      return run_.end(Error{
          !end->bySignal && end->number == 2 ? ErrorCode::Config : ErrorCode::Internal, child_.finished->reason, {}});
    run_.end(*child_.finished);
  }

  void takeOutput(ChildProcess& child, int waitMs) {
    for (std::string bytes = child.read(waitMs); !bytes.empty(); bytes = child.read(0)) {
      for (const RunEvent& event : child_.lines.take(bytes)) {
        if (child_.finished) continue;  // nothing may follow RunFinished
        if (const auto* started = std::get_if<RunStarted>(&event)) child_.started = *started;
        if (const auto* row = std::get_if<MetricsRow>(&event)) child_.at = row->at;
        if (const auto* saved = std::get_if<CheckpointSaved>(&event)) child_.lastCheckpoint = saved->id;
        if (const auto* finished = std::get_if<RunFinished>(&event)) child_.finished = *finished;
        events_.publish(event);
      }
    }
    if (child_.lines.malformedLines() > 0 && !std::exchange(child_.malformedReported, true))
      events_.publish(RunNote{NoteLevel::Warning,
                              "the training process wrote something that is not an event; it was ignored", child_.at});
  }

  void deliverCommands(const ChildProcess& child, const std::filesystem::path& workspace) {
    const RunCommand command = commands_.take();
    if (command == RunCommand::None) return;
    if (sendRunCommand(workspace, child.id(), command).ok()) {
      child_.sendFailedSince.reset();
      return;
    }
    const SteadyTime now = std::chrono::steady_clock::now();
    if (!child_.sendFailedSince) child_.sendFailedSince = now;
    if (!endsRun(command) || now - *child_.sendFailedSince < kListenTimeout) return commands_.post(command);  // retried
    child_.sendFailedSince.reset();
    child.signal(SIGTERM);  // stops with a checkpoint, or ends a child that is still starting
  }

  RunFinished outcomeOf(const ChildExit& end, const std::filesystem::path& workspace) const {
    RunFinished outcome;
    outcome.at = child_.at;
    outcome.lastCheckpoint = child_.lastCheckpoint;
    outcome.reason = describeExit(end);
    if (end.bySignal && end.number == SIGKILL && end.oomKills > 0) outcome.cause = FailureCause::OutOfMemory;
    if (!child_.started) {
      outcome.status = RunStatus::Failed;
      return outcome;
    }
    outcome.status = RunStatus::Interrupted;
    const auto opened = Workspace::open(workspace);
    if (!opened.ok()) return outcome;
    // The child may have finished regularly without its last event arriving.
    if (const auto stored = (*opened)->setInterruptionReason(child_.started->run, outcome.reason, outcome.cause);
        !stored.ok())
      return outcome;
    const auto run = (*opened)->findRun(child_.started->run);
    if (!run.ok()) return outcome;
    outcome.status = run->summary.status;
    outcome.reason = run->summary.reason;
    outcome.cause = run->summary.cause;
    outcome.at = run->summary.at;
    return outcome;
  }

  EventSink& events_;
  const std::vector<std::string> program_;
  std::atomic<bool> detach_ = false;  // tells the worker to detach from the child

  ChildState child_;  // used by the worker only

  std::thread worker_;
};

}  // namespace

std::unique_ptr<RunController> makeChildRunController(EventSink& events) {
  return makeChildRunController(events, {trainingProgram().native(), "train", "--request", "--json"});
}

std::unique_ptr<RunController> makeChildRunController(EventSink& events, std::vector<std::string> program) {
  return std::make_unique<ChildRunController>(events, std::move(program));
}

}  // namespace batchwise
