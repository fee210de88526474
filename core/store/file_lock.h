// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/store/process_identity.h"

namespace batchwise {

/// An advisory lock file of a workspace: `workspace.lock`, held for one write transaction or WAL checkpoint, or
/// `queue.lock`. It is an OFD lock, tied to the open file: two stores in one process exclude each other as two
/// processes do, and the kernel releases it when its holder dies. Not thread-safe.
class FileLock {
 public:
  /// Creates the file if it is missing. Fails with Io, or as checkLocksWork().
  static Result<FileLock> open(const std::filesystem::path& file);

  /// Holds the lock for as long as it lives.
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

  /// Waits for the lock. Fails with Busy after `timeout`.
  Result<Guard> acquire(std::chrono::milliseconds timeout = std::chrono::seconds{30}) const;

 private:
  FileLock(FileDescriptor file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}
  FileDescriptor file_;
  std::filesystem::path path_;
};

/// A byte range of a file, which may lie beyond its end; `length` 0: to the end of the file, however it grows.
struct LockRange {
  std::int64_t start = 0;
  std::int64_t length = 0;
};

/// Locks `range` of an open file for writing until the file is closed. Returns false if another holder has it. Fails
/// with Unsupported where the file system has no locks.
Result<bool> tryLock(const FileDescriptor& file, const std::filesystem::path& path, const LockRange& range);

/// Returns whether another holder has locked a part of `range`; nullopt if that cannot be determined.
std::optional<bool> isLocked(const FileDescriptor& file, const LockRange& range);
/// The same; true if that cannot be determined.
bool mayBeLocked(const FileDescriptor& file, const LockRange& range);

/// Locks one byte far beyond the end of the file and checks that a second descriptor cannot lock it. Fails with
/// Unsupported where the file system has no locks, or grants the same lock twice.
Result<void> checkLocksWork(const FileDescriptor& file, const std::filesystem::path& path);

/// Returns the name of a file system that several machines may share ("NFS", "type 0x1234"), given `f_type` of
/// statfs(2); nullopt if it is known to be local. Unknown types count as shared: SQLite's WAL needs memory shared by
/// all users of the file, and a wrong guess costs the database.
std::optional<std::string> networkFileSystemName(long type);

/// The same for the file system of `folder`; nullopt if the folder does not exist.
std::optional<std::string> networkFileSystemOf(const std::filesystem::path& folder);

/// Returns whether a FUSE file system (all of them have the same `f_type`) is local: on a block device, or the upper
/// layer of a container. `mounts`: text of /proc/self/mountinfo; `device`: "major:minor" of the file system.
bool isLocalFuse(std::string_view mounts, std::string_view device);

/// Returns the machine named in `workspace.host` of `folder`, if it is not `machine`.
std::optional<MachineIdentity> otherMachineOf(const std::filesystem::path& folder, const MachineIdentity& machine);

/// Claims the workspace on a shared file system, where only one machine may open the database: writes `machine` into
/// `workspace.host`, also when it has changed (a restart). Fails with Unsupported if
/// another machine has claimed it.
Result<void> claimForMachine(const std::filesystem::path& folder, const std::string& fileSystem,
                             const MachineIdentity& machine);

}  // namespace batchwise
