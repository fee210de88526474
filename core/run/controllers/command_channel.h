// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/events/run_command.h"

namespace batchwise {

// How one process commands the run that another one trains: a datagram socket `runs/<process id>-<host>.commands` in
// the workspace, made by the process that trains, usable by the same user on the same host. A message is the name of a
// command. The process id is in the store (RunSegment), so a window that did not start the run finds it.

/// Takes commands from other processes as long as it lives.
class CommandListener {
 public:
  /// Commands go to `commands`, which must outlive the listener. Fails with Io if the socket cannot be made.
  static Result<std::unique_ptr<CommandListener>> open(const std::filesystem::path& workspace,
                                                       CommandMailbox& commands);
  CommandListener(const CommandListener&) = delete;
  CommandListener& operator=(const CommandListener&) = delete;
  ~CommandListener();

 private:
  CommandListener(std::filesystem::path path, FileDescriptor socket, CommandMailbox& commands);
  void listen(const std::stop_token& stop);

  const std::filesystem::path path_;
  const FileDescriptor socket_;
  CommandMailbox& commands_;
  std::jthread thread_;
};

/// Hands `command` to the process of this host that trains in `workspace`; returns at once. Fails with NotFound if no
/// such process listens (it has ended, is still starting, or runs on another host), with Busy if it has not taken
/// earlier ones, with Io if the folder cannot be reached. Any thread.
Result<void> sendRunCommand(const std::filesystem::path& workspace, std::int64_t processId, RunCommand command);

}  // namespace batchwise
