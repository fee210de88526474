// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <optional>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/config/events/run_command.h"
#include "core/config/events/run_event.h"
#include "core/run/run_controller.h"

namespace batchwise {

/// State of a controller's run: whether it is running, and its outcome. Thread-safe.
class RunCompletion {
 public:
  /// Marks a run as started. Returns false if one is running already.
  bool begin() {
    const MutexLock lock(mutex_);
    if (!running_) outcome_.reset();
    return !std::exchange(running_, true);
  }
  void end(Result<RunFinished> outcome) {
    const MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    running_ = false;
    ended_.notify_all();
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
  mutable Mutex mutex_;
  std::condition_variable_any ended_;
  bool running_ GUARDED_BY(mutex_) = false;
  std::optional<Result<RunFinished>> outcome_ GUARDED_BY(mutex_);
};

/// Common base of the controllers: commands are posted to a mailbox that the run reads; wait() blocks until its end.
class RunControllerBase : public RunController {
 public:
  void command(RunCommand command) final { commands_.post(command); }
  bool running() const final { return run_.running(); }
  Result<RunFinished> wait() final { return run_.wait(); }

 protected:
  CommandMailbox commands_;
  RunCompletion run_;
};

}  // namespace batchwise
