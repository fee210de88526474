// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "core/run/run_controller.h"
#include "core/run/trainer.h"

namespace batchwise::cli {

/// Messages printed at the first and at the second request to stop.
struct StopMessages {
  const char *first, *second;
};

/// Starts a run whose events `controller` passes to `display`, and waits until it ends. The first request to stop (see
/// StopSignals) saves a checkpoint, the second stops, the third exits without waiting for unread output.
/// `follows`: signals are ignored, because rank 0 handles them. Fails if the run could not start.
Result<RunFinished> runInForeground(LaunchRequest request, EventDisplay& display, RunController& controller,
                                    const StopMessages& messages, bool follows = false);

inline constexpr StopMessages kUsualStopMessages = {
    "stopping after this step, with a checkpoint; press Ctrl-C again to stop without one",
    "stopping after this step, without a checkpoint; press Ctrl-C again to exit at once"};

/// Whether --json shows the events of a run: not if it is a part of what the command prints.
enum class JsonEvents { Shown, Hidden };

/// Reads the events of a run that trains in this process, and may command it.
class RunObserver {
 public:
  explicit RunObserver(const StopMessages& messages, JsonEvents events = JsonEvents::Hidden)
      : stopMessages(messages), jsonEvents(events) {}
  virtual ~RunObserver() = default;
  /// Called by the threads of the run.
  virtual void observe(const RunEvent& event, RunController& controller) = 0;

  const StopMessages stopMessages;
  const JsonEvents jsonEvents;
};

/// Trains in this process with signals handled as in runInForeground(). The observer may be null. Fails if the run
/// could not start.
Result<RunFinished> trainToEnd(LaunchRequest request, const Globals& globals, RunObserver* observer = nullptr);

/// Calls trainToEnd(), prints an error, and returns the exit code.
int trainAndReport(LaunchRequest request, const Globals& globals);

int exitCodeOf(const RunFinished& finished);

/// Returns whether this process is a rank other than 0 of a multi-process run; such a rank ignores its own request.
bool isFollowerRank();

/// Returns what lets retryWhileTransient() go on until it succeeds or Ctrl-C ends the program; says once what it waits
/// for.
std::function<bool(const Error& obstacle)> reportWaitOnce();

/// Turns SIGINT, SIGTERM, SIGHUP and SIGUSR1 into calls of `onRequest` during its lifetime. Create it before other
/// threads start, so that they inherit the signal mask. `onRequest` receives the number of requests so far, at least 1
/// and without SIGUSR1, on its own thread. The third request exits the process. Signals within a second of the first
/// one of a request belong to it, because launchers repeat them: timeout signals its child and then the group, a closed
/// terminal the shell and the group. Ignores a SIGHUP that is ignored at the start, as under nohup.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int count)> onRequest);
  ~StopSignals();

 private:
  void watch();

  std::function<void(int)> onRequest_;
  std::atomic<bool> leaving_ = false;
  sigset_t before_{};
  sigset_t watched_{};
  std::thread thread_;
};

}  // namespace batchwise::cli
