// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/run/trainer.h"

namespace batchwise {

/// One run from the outside, wherever it trains: start, command, wait. Events come through the sink given at the start,
/// from another thread. The window and the command line know only this.
class RunController {
 public:
  virtual ~RunController() = default;

  /// Begins and returns at once; the outcome arrives as RunFinished. Fails with Busy if a run is under way here.
  /// An error before the run exists arrives as a RunFinished with status Failed and an empty run.
  virtual Result<void> start(const LaunchRequest& request) = 0;
  /// Any thread; obeyed at the next step boundary.
  virtual void command(RunCommand command) = 0;
  virtual bool running() const = 0;
  /// Blocks until the run has ended. Returns how it ended.
  virtual Result<RunFinished> wait() = 0;
};

/// Trains in a worker thread of this process, loading the trainer first. `events` must outlive the controller; it is
/// called from the worker thread. The destructor posts Abort and waits.
std::unique_ptr<RunController> makeThreadRunController(EventSink& events);

/// Trains in a process of its own, the command-line program beside this one (or $BATCHWISE_PROGRAM), which writes the
/// store itself: whatever happens to it, this process lives on, and the other way round. A child that dies makes the
/// run Interrupted, with the reason, here and in the store. `events` must outlive the controller; it is called from a
/// thread of the controller. The destructor leaves a child that trains alone; it can still be commanded
/// (command_channel.h).
std::unique_ptr<RunController> makeChildRunController(EventSink& events);

}  // namespace batchwise
