// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <thread>

namespace batchwise::cli {

/// Turns SIGINT, SIGTERM, SIGHUP and SIGUSR1 into calls of `onSignal` during its lifetime. Create it before other
/// threads start, so that they inherit the signal mask. `onSignal` receives the number of signals so far, at least 1
/// and without SIGUSR1, on its own thread. The third signal exits the process.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int count)> onSignal);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  void watch();

  std::function<void(int)> onSignal_;
  std::atomic<bool> leaving_ = false;
  sigset_t before_{};
  sigset_t watched_{};
  std::thread thread_;
};

}  // namespace batchwise::cli
