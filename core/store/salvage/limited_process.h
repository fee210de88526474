// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// What a program may use at most.
struct ProcessLimits {
  std::int64_t cpuSec = 10;
  std::int64_t memoryBytes = 256 << 20;
  std::int64_t fileBytes = 1 << 30;  ///< of each file that it writes
};

/// How a program ended: with 0, with another number, or by a signal, as one beyond its limits.
enum class ProcessEnd { Well, Badly, BySignal };

/// A program that works on a file of unknown origin: in a folder of its own, with few descriptors, a short environment
/// and limits. It is killed when this is destroyed before its end. One thread at a time.
class LimitedProcess {
 public:
  /// `words`: the program (a path, or looked for on PATH) and its arguments. `in`, `out`: its standard input and
  /// output; without them it has none. Fails with NotFound or Io.
  static Result<LimitedProcess> start(const std::vector<std::string>& words, const std::filesystem::path& folder,
                                      const ProcessLimits& limits, int in = -1, int out = -1);
  LimitedProcess(LimitedProcess&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  LimitedProcess& operator=(LimitedProcess&&) = delete;
  LimitedProcess(const LimitedProcess&) = delete;
  LimitedProcess& operator=(const LimitedProcess&) = delete;
  ~LimitedProcess();

  /// Waits for its end. Fails with Stopped, or Io at `deadline`; it is killed then.
  Result<ProcessEnd> wait(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);

 private:
  explicit LimitedProcess(pid_t process) : process_(process) {}
  pid_t process_;
};

}  // namespace batchwise
