// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/run/trainer.h"

namespace batchwise {

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
  virtual bool running() const = 0;
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

}  // namespace batchwise
