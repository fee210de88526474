// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/file_lock.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr LockRange kWhole{};
constexpr LockRange kFarByte{std::int64_t{1} << 60, 1};

struct flock lockOf(const LockRange& range, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = range.start;
  lock.l_len = range.length;
  return lock;
}

bool setLock(int descriptor, const LockRange& range, short type) {
  struct flock lock = lockOf(range, type);
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

Error noLocks(const std::filesystem::path& path, const std::string& reason) {
  return Error::unsupported(
      formatText("cannot lock '{}': {}; two programs would write over each other there. Put the workspace on a file "
                 "system with working locks (NFS: without 'nolock', with its lock service running)",
                 path.native(), reason));
}

}  // namespace

Result<bool> tryLock(const FileDescriptor& file, const std::filesystem::path& path, const LockRange& range) {
  while (!setLock(file.get(), range, F_WRLCK)) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) return noLocks(path, formatText("the file system has no locks ({})", std::strerror(errno)));
  }
  return true;
}

std::optional<bool> isLocked(const FileDescriptor& file, const LockRange& range) {
  struct flock lock = lockOf(range, F_WRLCK);
  if (!file.valid() || ::fcntl(file.get(), F_OFD_GETLK, &lock) != 0) return std::nullopt;
  return lock.l_type != F_UNLCK;
}

bool mayBeLocked(const FileDescriptor& file, const LockRange& range) {
  return isLocked(file, range).value_or(true);
}

Result<void> checkLocksWork(const FileDescriptor& file, const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, kFarByte));
  if (!locked) return {};  // held by another process, so locks work
  const FileDescriptor other{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const bool kept = !other.valid() || mayBeLocked(other, kFarByte);
  setLock(file.get(), kFarByte, F_UNLCK);
  return kept ? Result<void>() : noLocks(path, "the file system grants the same lock twice");
}

Result<FileLock> FileLock::open(const std::filesystem::path& file) {
  FileDescriptor opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!opened.valid()) return Error::fromErrno(errno, "cannot open the lock '{}'", file.native());
  RETURN_IF_ERROR(checkLocksWork(opened, file));
  return FileLock(std::move(opened), file);
}

FileLock::Guard::~Guard() {
  if (descriptor_ >= 0) setLock(descriptor_, kWhole, F_UNLCK);
}

Result<FileLock::Guard> FileLock::acquire(std::chrono::milliseconds timeout) const {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + timeout;
  std::chrono::microseconds pause{200};
  // Polls, because the blocking form has no time limit: a stopped process would block every other one.
  for (;;) {
    ASSIGN_OR_RETURN(const auto locked, tryLock(file_, path_, kWhole));
    if (locked) return Guard(file_.get());
    if (steady_clock::now() >= deadline)
      return Error{
          ErrorCode::Busy,
          formatText("another program has held '{}' for {} s; find it with `fuser`, and end it or let it continue",
                     path_.native(), std::chrono::duration_cast<std::chrono::seconds>(timeout).count()),
          {}};
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds{10});
  }
}

}  // namespace batchwise
