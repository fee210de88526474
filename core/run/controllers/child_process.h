// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace batchwise {

/// How a process ended.
struct ChildExit {
  bool bySignal = false;
  int number = 0;             ///< exit code, or signal number
  std::int64_t oomKills = 0;  ///< processes killed by the system for lack of memory while it ran
  std::string stderrTail;     ///< end of its stderr
};

/// Describes the end in words: "was killed (SIGKILL), probably because memory ran out", with the last line of stderr.
std::string describeExit(const ChildExit& end);

/// Returns how many processes the system killed for lack of memory since boot; 0 if unknown.
std::int64_t systemOomKills();

/// A program in its own session, so that it survives a closed terminal, Ctrl-C or a kill of this process. Its stdout
/// and stderr are piped to this object. Not thread-safe, except for signal().
class ChildProcess {
 public:
  /// Starts a program. `command`: its path, then its arguments. `input`: content of its stdin. Fails with NotFound or
  /// Io.
  static Result<ChildProcess> start(const std::vector<std::string>& command, const std::string& input);
  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&&) = default;
  /// Leaves a running child running; a detached thread reaps it.
  ~ChildProcess();

  pid_t id() const { return process_.id; }
  /// Returns what has arrived on stdout; waits up to `waitMs` for output or an end.
  std::string read(int waitMs);
  /// Returns how it ended, or nothing while it runs. Output left in the pipes can still be read.
  std::optional<ChildExit> ended();
  void signal(int number) const;

 private:
  struct ProcessId {  // move-only: the source loses the id
    pid_t id = -1;
    ProcessId() = default;
    explicit ProcessId(pid_t process) : id(process) {}
    ProcessId(ProcessId&& other) noexcept : id(std::exchange(other.id, -1)) {}
    ProcessId& operator=(ProcessId&& other) noexcept {
      std::swap(id, other.id);
      return *this;
    }
  };
  ChildProcess(pid_t process, FileDescriptor out, FileDescriptor err);
  void readStderr();

  ProcessId process_;
  FileDescriptor out_, err_;
  std::optional<ChildExit> end_;
  std::string stderrTail_;
  std::int64_t oomKillsBefore_ = 0;
};

}  // namespace batchwise
