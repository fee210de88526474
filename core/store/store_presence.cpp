// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/store_presence.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "core/base/file.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOpenFiles = "/proc/self/fd";
constexpr std::string_view kDeleted = " (deleted)";

/// Beside a database; a journal has none.
fs::path walOf(const fs::path& file) {
  return file.native() + "-wal";
}

}  // namespace

StorePresence::StorePresence(fs::path file) : file_(std::move(file)) {
  struct stat info {};
  if (::stat(file_.c_str(), &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  wal_ = fileIdOf(walOf(file_));
}

std::optional<Error> StorePresence::loss() const {
  struct stat info {};
  if (inode_ == 0) return std::nullopt;
  const bool there = ::stat(file_.c_str(), &info) == 0;
  const int failure = errno;
  if (there && info.st_dev == device_ && info.st_ino == inode_) {
    if (!wal_ || fileIdOf(walOf(file_)) == wal_) return std::nullopt;
    return Error::notFound("another program deleted or replaced '" + walOf(file_).native() + "' while the run trains");
  }
  const std::string which = "'" + file_.native() + "'";
  const auto now = arrivesAt();
  if (now && *now != file_)
    return Error::notFound(which + " was moved to '" + now->native() + "' while the run trains");
  if (there) return Error::notFound(which + " is another file now than the one the run writes");
  if (failure == ENOENT || failure == ENOTDIR) return Error::notFound(which + " was deleted while the run trains");
  return Error::fromErrno(failure, "cannot find the store", file_.native());
}

// The system knows by which path a file that is open can be reached now.
std::optional<fs::path> StorePresence::arrivesAt() const {
  if (const auto now = fileIdOf(file_); now && wal_ && fileIdOf(walOf(file_)) != wal_) return std::nullopt;
  for (const fs::path& open : entriesOf(kOpenFiles)) {
    struct stat info {};
    if (::stat(open.c_str(), &info) != 0 || info.st_dev != device_ || info.st_ino != inode_) continue;
    std::error_code failure;
    const fs::path target = fs::read_symlink(open, failure);
    if (failure || target.native().ends_with(kDeleted)) return std::nullopt;
    return target;
  }
  return std::nullopt;
}

}  // namespace batchwise
