// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/writer_lock.h"

#include <fcntl.h>

#include <cerrno>

namespace batchwise {
namespace {

constexpr const char* kFileName = "workspace.writers";

struct flock byteOf(std::int64_t run) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = run;
  byte.l_len = 1;
  return byte;
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::filesystem::path& workspaceFolder, std::int64_t run) {
  const std::filesystem::path path = workspaceFolder / kFileName;
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot open the lock", path.native());
  struct flock byte = byteOf(run);
  if (::fcntl(file.get(), F_OFD_SETLK, &byte) != 0 && (errno == EAGAIN || errno == EACCES))
    return Error{ErrorCode::Busy, "the run is being written elsewhere; stop that writer first", {}};
  return WriterLock(std::move(file));
}

bool mayHaveWriter(const std::filesystem::path& workspaceFolder, std::int64_t run) {
  const FileDescriptor file{::open((workspaceFolder / kFileName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  struct flock byte = byteOf(run);
  return !file.valid() || ::fcntl(file.get(), F_OFD_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
}

}  // namespace batchwise
