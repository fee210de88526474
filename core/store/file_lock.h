// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// An advisory lock of a workspace: `workspace.lock`, held for one write transaction or WAL checkpoint, or
/// `queue.lock`. It is tied to the open file (an OFD lock), so two stores in one process exclude each other as two
/// processes do, and the system frees it when its holder dies. One thread at a time per object.
class FileLock {
 public:
  /// Makes the file if it is missing. Fails with Io, or as checkLocksWork().
  static Result<FileLock> open(const std::filesystem::path& file);

  /// Held while this lives.
  class Guard {
   public:
    explicit Guard(int descriptor) : descriptor_(descriptor) {}
    Guard(Guard&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Guard& operator=(Guard&&) = delete;
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard();

   private:
    int descriptor_;
  };

  /// Waits for its turn. Fails with Busy after `patience`.
  Result<Guard> take(std::chrono::milliseconds patience = std::chrono::seconds{30}) const;

 private:
  FileLock(FileDescriptor file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}
  FileDescriptor file_;
  std::filesystem::path path_;
};

/// A stretch of a file; `length` 0: up to any end. The same bytes need not exist.
struct LockRange {
  std::int64_t start = 0;
  std::int64_t length = 0;
};

/// Locks `range` of an open file for writing, for as long as the file is open; false if somebody else has it. Fails
/// with Unsupported, naming the reason, where the file system has no locks.
Result<bool> tryLock(const FileDescriptor& file, const std::filesystem::path& path, const LockRange& range);

/// Whether somebody else has locked a part of `range`; true, too, if that cannot be asked.
bool mayBeLocked(const FileDescriptor& file, const LockRange& range);

/// Locks one byte far behind the end and sees whether that keeps another descriptor out, as two programs rely on. Fails
/// with Unsupported where the file system has no locks, or grants them to everybody.
Result<void> checkLocksWork(const FileDescriptor& file, const std::filesystem::path& path);

}  // namespace batchwise
