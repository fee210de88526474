// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/config/events/run_command.h"

namespace batchwise {

// Commands a run that another process trains, over a datagram socket `runs/<process id>-<host>.commands` in the
// workspace. The training process creates it; the same user on the same host can write to it. A message is the name of
// a command. The process id is in the store (RunSegment), so any window can find the socket.

/// Receives commands from other processes during its lifetime.
class CommandListener {
 public:
  /// Posts commands to `commands`, which must outlive the listener. Fails with Io if the socket cannot be created.
  static Result<std::unique_ptr<CommandListener>> open(const std::filesystem::path& workspace,
                                                       CommandMailbox& commands);
  ~CommandListener();

 private:
  CommandListener(std::filesystem::path path, FileDescriptor socket, CommandMailbox& commands);
  void listen(const std::stop_token& stop);

  const std::filesystem::path path_;
  const FileDescriptor socket_;
  CommandMailbox& commands_;
  std::jthread thread_;
};

/// Sends `command` to the process of this host that trains in `workspace`, without blocking. Fails with NotFound if no
/// such process listens (it ended, is starting, or runs on another host), Busy if earlier commands are still unread, Io
/// if the folder cannot be reached. Thread-safe.
Result<void> sendRunCommand(const std::filesystem::path& workspace, std::int64_t processId, RunCommand command);

}  // namespace batchwise
