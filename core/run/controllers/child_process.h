// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/run/controllers/child_death.h"

namespace batchwise {

/// A program in a session of its own, so that what ends ours (a closed terminal, Ctrl-C, a kill) leaves it alone. Its
/// stdout and stderr are read here. Not for use by several threads at a time, signal() aside.
class ChildProcess {
 public:
  /// `words`: the program's path, then its arguments. `input` is what it finds on stdin. Fails with NotFound or Io.
  static Result<ChildProcess> start(const std::vector<std::string>& words, const std::string& input);
  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&&) = default;
  /// A child that still lives goes on; when it ends, a thread of this process takes note.
  ~ChildProcess();

  pid_t id() const { return process_.id; }
  /// What has come on stdout; waits up to `waitMs` for something to happen.
  std::string read(int waitMs);
  /// How it ended, once it has. What is left in the pipes can still be read.
  std::optional<ChildEnd> ended();
  void signal(int number) const;

 private:
  struct ProcessId {  // moves away from the object it is taken from
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
  void readWords();

  ProcessId process_;
  FileDescriptor out_, err_;
  std::optional<ChildEnd> end_;
  std::string lastWords_;
  std::int64_t memoryKillsBefore_ = 0;
};

}  // namespace batchwise
