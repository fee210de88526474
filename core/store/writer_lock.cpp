// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/writer_lock.h"

#include <fcntl.h>

#include <cerrno>

#include "core/base/return_if_error.h"
#include "core/store/file_lock.h"
#include "core/store/messages.h"

namespace batchwise {
namespace {

constexpr const char* kFileName = "workspace.writers";

}  // namespace

Result<WriterLock> WriterLock::acquire(const std::filesystem::path& workspaceFolder, std::int64_t run) {
  const std::filesystem::path path = workspaceFolder / kFileName;
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!file.valid()) return Error::fromErrno(errno, messages::cannotOpenLock, path.native());
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, {run, 1}));
  if (!locked) return Error{ErrorCode::Busy, messages::runHasOtherWriter(), {}};
  return WriterLock(std::move(file));
}

bool mayHaveWriter(const std::filesystem::path& workspaceFolder, std::int64_t run) {
  return mayBeLocked(FileDescriptor{::open((workspaceFolder / kFileName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)},
                     {run, 1});
}

}  // namespace batchwise
