// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// An advisory lock of a workspace: `workspace.lock`, held for one write transaction or WAL checkpoint, or
/// `queue.lock`. It is tied to the open file (an OFD lock), so two stores in one process exclude each other as two
/// processes do, and the system frees it when its holder dies. One thread at a time per object.
class FileLock {
 public:
  /// Makes the file if it is missing. Fails with Io.
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

}  // namespace batchwise
