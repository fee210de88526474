// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/foreground_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/output.h"
#include "core/base/process_setup.h"
#include "core/base/result.h"

namespace batchwise::cli {
namespace {

constexpr std::chrono::seconds kDrainTimeout{2};

/// Forwards events except notes that were already shown.
class UnshownEvents final : public EventSink {
 public:
  UnshownEvents(EventSink& next, std::vector<std::string> shown) : next_(next), shown_(std::move(shown)) {}
  void publish(const RunEvent& event) override {
    if (const auto* note = std::get_if<RunNote>(&event); note != nullptr && isShown(note->text)) return;
    next_.publish(event);
  }

 private:
  bool isShown(const std::string& note) const { return std::find(shown_.begin(), shown_.end(), note) != shown_.end(); }

  EventSink& next_;
  const std::vector<std::string> shown_;
};

/// Forwards events, and lets `observer` read them if there is one.
class ObservedEvents final : public EventSink {
 public:
  ObservedEvents(EventSink& next, RunObserver* observer) : next_(next), observer_(observer) {}
  void follow(RunController& controller) { controller_ = &controller; }
  void publish(const RunEvent& event) override {
    next_.publish(event);
    if (observer_ != nullptr) observer_->observe(event, *controller_);
  }

 private:
  EventSink& next_;
  RunObserver* const observer_;
  RunController* controller_ = nullptr;
};

/// Prints the notes of the configuration before any text is read, and returns them.
std::vector<std::string> showConfigNotes(const LaunchRequest& request, const Globals& globals) {
  if (globals.json || !request.resumeRun.empty() || isFollowerRank()) return {};
  showNotes(request.config);
  std::vector<std::string> shown;
  for (const ConfigIssue& note : request.config.notes) shown.push_back(note.text());
  return shown;
}

// Exits within kDrainTimeout per stream, so that an unread pipe does not keep a hung process alive.
[[noreturn]] void exitNow(EventDisplay& display, const std::string& reason) {
  AsyncTextWriter errors(STDERR_FILENO);
  errors.write("batchwise: " + reason + "\n");
  errors.drain(kDrainTimeout);
  display.writer().drain(kDrainTimeout);
  std::_Exit(kFailed);
}

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kWakeSignal = SIGUSR2;                    // sent by the destructor to wake the thread
constexpr std::chrono::seconds kRepeatedSignalTime{1};  // signals that belong to one request

bool isIgnored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

bool isFollowerRank() {
  const auto launched = launchedRank();
  return launched && launched->rank > 0;
}

int exitCodeOf(const RunFinished& finished) {
  if (finished.status == RunStatus::Finished) return kDone;
  return finished.status == RunStatus::Stopped && !finished.lastCheckpoint.empty() ? kStopped : kFailed;
}

Result<RunFinished> runInForeground(LaunchRequest request, EventDisplay& display, RunController& controller,
                                    const StopMessages& messages, bool follows) {
  request.eventsBlockedReason = [&display] { return display.writer().blockedReason(); };
  AsyncTextWriter messageWriter(STDERR_FILENO);  // non-blocking, so that the next signal is handled
  StopSignals signals([&](int count) {
    if (follows) return;  // rank 0 received it too, and decides for all
    controller.command(count == 1 ? RunCommand::StopWithCheckpoint : RunCommand::Abort);
    messageWriter.write(std::string("\nbatchwise: ") + (count == 1 ? messages.first : messages.second) + "\n");
  });
  RETURN_IF_ERROR(controller.start(request));
  return controller.wait();
}

Result<RunFinished> trainToEnd(LaunchRequest request, const Globals& globals, RunObserver* observer) {
  const SystemClock clock;
  const bool follows = isFollowerRank(), hides = observer != nullptr && observer->jsonEvents == JsonEvents::Hidden;
  const bool isSilent = follows || (hides && globals.json);
  NullSink silent;
  EventDisplay display(displayModeFor(globals.json, STDOUT_FILENO), STDOUT_FILENO, clock);
  request.onHung = [&display](const std::string& reason) { exitNow(display, reason); };
  UnshownEvents shown(isSilent ? static_cast<EventSink&>(silent) : display, showConfigNotes(request, globals));
  ObservedEvents events(shown, observer);
  const std::unique_ptr<RunController> controller = makeThreadRunController(events);
  events.follow(*controller);
  return runInForeground(request, display, *controller,
                         observer != nullptr ? observer->stopMessages : kUsualStopMessages, follows);
}

int trainAndReport(LaunchRequest request, const Globals& globals) {
  const Result<RunFinished> finished = trainToEnd(std::move(request), globals);
  return finished.ok() ? exitCodeOf(*finished) : fail(finished.error());
}

std::function<bool(const Error& obstacle)> reportWaitOnce() {
  return [isTold = false](const Error& obstacle) mutable {
    if (!std::exchange(isTold, true)) std::cerr << "batchwise: waiting: " << obstacle.text() << "\n";
    return true;
  };
}

StopSignals::StopSignals(std::function<void(int)> onRequest) : onRequest_(std::move(onRequest)) {
  sigemptyset(&watched_);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, kWakeSignal}) sigaddset(&watched_, number);
  if (!isIgnored(SIGHUP)) sigaddset(&watched_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  signal(SIGPIPE, SIG_IGN);  // a closed reader of the output must not end a run
  thread_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  leaving_ = true;
  pthread_kill(thread_.native_handle(), kWakeSignal);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::watch() {
  std::optional<SteadyTime> requested;
  for (int count = 0;;) {
    siginfo_t info;
    int number = -1;
    while (number < 0) number = sigwaitinfo(&watched_, &info);
    if (number == kWakeSignal && leaving_) return;
    if (number == kWakeSignal) continue;  // sent by another process: ignored
    // Slurm sends SIGUSR1 some time before it ends a job with SIGTERM: that is not a second request.
    if (number != SIGUSR1) {
      if (requested && std::chrono::steady_clock::now() - *requested < kRepeatedSignalTime) continue;
      if (++count == 3) _exit(128 + number);
    }
    onRequest_(std::max(count, 1));
    if (number != SIGUSR1) requested = std::chrono::steady_clock::now();
  }
}

}  // namespace batchwise::cli
