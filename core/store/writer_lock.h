// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// Shows that a writer of a run exists: locks one byte of `workspace.writers`, at the run's number, for as long as it
/// lives. It is an OFD lock as in FileLock: tied to this object, not to the process, and released by the kernel when
/// the process dies. A claim in the database may outlive its writer inside a live process, if a full disk prevented its
/// deletion; this lock does not.
class WriterLock {
 public:
  /// Fails with Busy if another writer has the lock, with Unsupported on a file system without locks.
  static Result<WriterLock> acquire(const std::filesystem::path& workspaceFolder, std::int64_t run);

 private:
  explicit WriterLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

/// Returns false only if the lock can be queried and is free.
bool mayHaveWriter(const std::filesystem::path& workspaceFolder, std::int64_t run);

}  // namespace batchwise
