// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <thread>

namespace batchwise::cli {

/// Turns SIGINT, SIGTERM, SIGHUP and SIGUSR1 into calls of `onRequest` during its lifetime. Create it before other
/// threads start, so that they inherit the signal mask. `onRequest` receives the number of requests so far, at least 1
/// and without SIGUSR1, on its own thread. The third request exits the process. Signals within a second of the first
/// one of a request belong to it, because launchers repeat them: timeout signals its child and then the group, a closed
/// terminal the shell and the group. Ignores a SIGHUP that is ignored at the start, as under nohup.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int count)> onRequest);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
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
