// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Resource limits of a child process.
struct ProcessLimits {
  std::int64_t cpuSec = 10;
  std::int64_t memoryBytes = 256 << 20;
  std::int64_t fileBytes = 1 << 30;  ///< size of each file it writes
};

/// Exit with status 0, exit with another status, or a signal, for example for exceeding a limit.
enum class ProcessOutcome { Success, Failure, Signal };

/// A child process that works on an untrusted file: in its own folder, with few descriptors, a short environment and
/// resource limits. The destructor kills it if it still runs. Not thread-safe.
class LimitedProcess {
 public:
  /// `argv`: the program (a path, or a name to search on PATH) and its arguments. `in`, `out`: descriptors of its
  /// standard input and output; -1: /dev/null. Fails with NotFound or Io.
  static Result<LimitedProcess> start(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                                      const ProcessLimits& limits, int in = -1, int out = -1);
  LimitedProcess(LimitedProcess&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  LimitedProcess& operator=(LimitedProcess&&) = delete;
  LimitedProcess(const LimitedProcess&) = delete;
  LimitedProcess& operator=(const LimitedProcess&) = delete;
  ~LimitedProcess();

  /// Waits until it ends. Fails with Stopped, or with Io at `deadline`.
  Result<ProcessOutcome> wait(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);

 private:
  explicit LimitedProcess(pid_t process) : process_(process) {}
  pid_t process_;
};

}  // namespace batchwise
