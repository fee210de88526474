// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/file_lock.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace batchwise {
namespace {

bool setLock(int descriptor, short type) {
  struct flock whole {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

}  // namespace

Result<FileLock> FileLock::open(const std::filesystem::path& file) {
  FileDescriptor opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)};
  if (!opened.valid()) return Error::fromErrno(errno, "cannot open the lock", file.native());
  return FileLock(std::move(opened), file);
}

FileLock::Guard::~Guard() {
  if (descriptor_ >= 0) setLock(descriptor_, F_UNLCK);
}

Result<FileLock::Guard> FileLock::take(std::chrono::milliseconds patience) const {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + patience;
  std::chrono::microseconds pause{200};
  // The blocking form has no time limit, and a stopped process would hold everybody.
  while (!setLock(file_.get(), F_WRLCK)) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR)
      return Error::fromErrno(errno, "cannot lock", path_.native());
    if (steady_clock::now() >= deadline)
      return Error{ErrorCode::Busy,
                   "another program has held '" + path_.native() + "' for " +
                       std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience).count()) +
                       " s; see with `fuser` which one, and end or continue it",
                   {}};
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds{10});
  }
  return Guard(file_.get());
}

}  // namespace batchwise
