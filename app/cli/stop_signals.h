// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <thread>

namespace batchwise::cli {

/// Turns SIGINT, SIGTERM, SIGHUP and SIGUSR1 into calls, as long as it lives. Make it before other threads start: they
/// inherit that these signals wait for it. `onSignal` gets how many have come so far, SIGUSR1 not counted, and at least
/// 1; it is called from a thread of its own. After the third signal the process ends at once.
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
