// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/config/events/run_command.h"
#include "core/config/events/run_event.h"
#include "core/run/trainer.h"
#include "core/store/workspace.h"

namespace batchwise {

struct SlurmOptions;  // core/run/slurm/slurm_client.h

/// Controls one run, wherever it trains: start, command, wait. Events arrive at the sink given at construction, on
/// another thread. The interface that the window and the command line use.
class RunController {
 public:
  virtual ~RunController() = default;

  /// Starts the run and returns at once; the outcome arrives as RunFinished. An error before the run exists arrives as
  /// a RunFinished with status Failed and an empty run. Fails with Busy if a run is already running here.
  virtual Result<void> start(const LaunchRequest& request) = 0;
  /// Posts a command, obeyed at the next step boundary. Thread-safe.
  virtual void command(RunCommand command) = 0;
  /// Before start(): sets what the controller's thread calls last, once it is done with the run.
  virtual void onEnd(std::function<void()> call) = 0;
  /// Blocks until the run has ended and returns its outcome.
  virtual Result<RunFinished> wait() = 0;
};

/// Trains in a worker thread of this process, which loads the trainer first. `events` must outlive the controller and
/// is called from the worker thread. The destructor posts Abort and waits.
std::unique_ptr<RunController> makeThreadRunController(EventSink& events);
/// The same with a given trainer source, called in the worker thread at each start.
std::unique_ptr<RunController> makeThreadRunController(EventSink& events, TrainerSource source);

/// Trains in a child process: the command-line program in the folder of this program (or $BATCHWISE_PROGRAM). The child
/// writes the store itself, and neither process depends on the survival of the other. If the child dies, the run
/// becomes Interrupted, with the reason, here and in the store. `events` must outlive the controller and is called from
/// a thread of the controller. The destructor leaves a training child running; it can still be commanded
/// (command_channel.h).
std::unique_ptr<RunController> makeChildRunController(EventSink& events);
/// The same with a given program: its path, then arguments. The program reads the request (launch_request_text.h) from
/// stdin, writes events as JSON lines to stdout, and takes commands by command_channel.h.
std::unique_ptr<RunController> makeChildRunController(EventSink& events, std::vector<std::string> program);

/// Trains on a cluster: start() returns at once; a thread submits (see submitToSlurm()), then polls the queue, the
/// run's journal and the job's output, imports new records into the workspace's database, and publishes the events.
/// While the run is pending, also after a preemption, PhaseProgress gives the reason; other output lines of the job
/// arrive as notes, at most the last 50 per second. StopWithCheckpoint, StopAfterBatch (treated alike) and Abort reach
/// a job; other commands are answered by a note. A run whose jobs are gone without reporting an end is Interrupted; one
/// stopped here while its job waits is Stopped. `events` must outlive the controller. The destructor leaves the job
/// running and does not wait for the cluster.
std::unique_ptr<RunController> makeSlurmRunController(EventSink& events, const SlurmOptions& options);

/// Watches a run that was submitted before: start() takes its id from request.resumeRun. Of the events already in the
/// journal, only the newest RunStarted and a current pause are published.
std::unique_ptr<RunController> makeSlurmWatcher(EventSink& events, const Clock& clock = Workspace::systemClock());

/// State of a controller's run: whether it is running, and its outcome. Thread-safe.
class RunCompletion {
 public:
  /// Sets what end() calls. Before begin().
  void onEnd(std::function<void()> call) { onEnd_ = std::move(call); }
  /// Marks a run as started. Returns false if one is running already.
  bool begin() {
    const MutexLock lock(mutex_);
    if (!running_) outcome_.reset();
    return !std::exchange(running_, true);
  }
  void end(Result<RunFinished> outcome) {
    {
      const MutexLock lock(mutex_);
      outcome_ = std::move(outcome);
      running_ = false;
      ended_.notify_all();
    }
    if (onEnd_) onEnd_();
  }
  bool running() const {
    const MutexLock lock(mutex_);
    return running_;
  }
  /// Blocks until the run has ended. Fails with Internal if no run was started.
  Result<RunFinished> wait() {
    MutexLock lock(mutex_);
    ended_.wait(lock, [this]() REQUIRES(mutex_) { return !running_; });
    if (!outcome_) return Error::internal("no run was started");
    return *outcome_;
  }

 private:
  std::function<void()> onEnd_;
  mutable Mutex mutex_;
  std::condition_variable_any ended_;
  bool running_ GUARDED_BY(mutex_) = false;
  std::optional<Result<RunFinished>> outcome_ GUARDED_BY(mutex_);
};

/// Common base of the controllers: commands are posted to a mailbox that the run reads; wait() blocks until its end.
class RunControllerBase : public RunController {
 public:
  void command(RunCommand command) final { commands_.post(command); }
  void onEnd(std::function<void()> call) final { run_.onEnd(std::move(call)); }
  Result<RunFinished> wait() final { return run_.wait(); }

 protected:
  CommandMailbox commands_;
  RunCompletion run_;
};

}  // namespace batchwise
