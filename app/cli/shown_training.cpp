// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/shown_training.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "app/cli/output.h"
#include "app/cli/stop_signals.h"
#include "core/base/launched_rank.h"

namespace batchwise::cli {
namespace {

constexpr std::chrono::seconds kForLastWords{2};

/// Hands events on but for notes that have been shown, and tells when the run exists.
class BegunTeller final : public EventSink {
 public:
  BegunTeller(EventSink& next, std::vector<std::string> shown, std::function<void(const std::string&)> begun)
      : next_(next), shown_(std::move(shown)), begun_(std::move(begun)) {}
  void publish(const RunEvent& event) override {
    if (const auto* note = std::get_if<RunNote>(&event); note != nullptr && isShown(note->text)) return;
    if (const auto* started = std::get_if<RunStarted>(&event); started != nullptr && begun_) begun_(started->run);
    next_.publish(event);
  }

 private:
  bool isShown(const std::string& note) const { return std::find(shown_.begin(), shown_.end(), note) != shown_.end(); }

  EventSink& next_;
  const std::vector<std::string> shown_;
  std::function<void(const std::string&)> begun_;
};

/// Shows what there is to say of the configuration before any text is read; returns the notes.
std::vector<std::string> showAtOnce(const LaunchRequest& request, const Globals& globals) {
  if (globals.json || !request.resumeRun.empty() || followsAnotherRank()) return {};
  showNotes(request.config);
  std::vector<std::string> shown;
  for (const ConfigIssue& note : request.config.notes) shown.push_back(note.text());
  return shown;
}

// Nobody who does not read keeps a process that hangs alive.
[[noreturn]] void endAtOnce(EventDisplay& display, const std::string& reason) {
  TextOutlet errors(STDERR_FILENO);
  errors.write("batchwise: " + reason + "\n");
  errors.drain(kForLastWords);
  display.outlet().drain(kForLastWords);
  std::_Exit(kFailed);
}

/// Whoever asked twice for the end does not wait for a reader who never comes. Returns if all has been read.
void endWithoutReader(EventDisplay& display, TextOutlet& errors, const Result<RunFinished>& finished) {
  display.outlet().drain(kForLastWords);
  errors.drain(kForLastWords);
  if (!display.outlet().idle() || !errors.idle()) std::_Exit(finished.ok() ? exitCodeOf(*finished) : kFailed);
}

}  // namespace

bool followsAnotherRank() {
  const auto launched = launchedRank();
  return launched && launched->rank > 0;
}

int exitCodeOf(const RunFinished& finished) {
  if (finished.status == RunStatus::Finished) return kDone;
  return finished.status == RunStatus::Stopped && !finished.lastCheckpoint.empty() ? kStopped : kFailed;
}

Result<RunFinished> awaitShown(LaunchRequest request, EventDisplay& display, RunController& controller,
                               const StopWords& words, bool follows) {
  request.eventsHeldUp = [&display] { return display.outlet().obstacle(); };
  TextOutlet said(STDERR_FILENO);  // nobody may read that either, and the next signal must be heard
  std::atomic<bool> aborted = false;
  StopSignals signals([&](int count) {
    if (follows) return;  // rank 0 has got it too, and decides for all
    aborted = count > 1;
    controller.command(count == 1 ? RunCommand::StopWithCheckpoint : RunCommand::Abort);
    said.write(std::string("\nbatchwise: ") + (count == 1 ? words.first : words.second) + "\n");
  });
  if (Result<void> started = controller.start(request); !started.ok()) return started.error();
  Result<RunFinished> finished = controller.wait();
  if (aborted) endWithoutReader(display, said, finished);
  return finished;
}

Result<RunFinished> trainToEnd(LaunchRequest request, const Globals& globals,
                               std::function<void(const std::string& run)> begun) {
  const SystemClock clock;
  const bool follows = followsAnotherRank();
  SilentSink silent;
  EventDisplay display(displayModeFor(globals.json), STDOUT_FILENO, clock);
  request.onHung = [&display](const std::string& reason) { endAtOnce(display, reason); };
  BegunTeller events(follows ? static_cast<EventSink&>(silent) : display, showAtOnce(request, globals),
                     std::move(begun));
  const std::unique_ptr<RunController> controller = makeThreadRunController(events);
  return awaitShown(request, display, *controller,
                    {"stopping after this step, with a checkpoint; once more stops without one",
                     "stopping after this step, without a checkpoint; once more ends at once"},
                    follows);
}

int trainShown(LaunchRequest request, const Globals& globals) {
  const Result<RunFinished> finished = trainToEnd(std::move(request), globals);
  return finished.ok() ? exitCodeOf(*finished) : fail(finished.error());
}

}  // namespace batchwise::cli
