// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// Says that a writer of a run exists: one byte of `workspace.writers`, at the number of the run, is locked for as long
/// as this lives (an OFD lock, as FileLock: tied to this object, not to the process, and freed by the system when the
/// process dies). A claim in the database may outlive its writer inside a living process, if a full disk kept the
/// writer from taking it back; the lock does not.
class WriterLock {
 public:
  /// Fails with Busy if somebody has it, with Unsupported on a file system without locks.
  static Result<WriterLock> take(const std::filesystem::path& workspaceFolder, std::int64_t run);

 private:
  explicit WriterLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

/// False only if the lock can be asked for and nobody has it.
bool mayHaveWriter(const std::filesystem::path& workspaceFolder, std::int64_t run);

}  // namespace batchwise
