// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/store_presence.h"

#include <cerrno>
#include <utility>

#include "core/store/database.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOpenFiles = "/proc/self/fd";
constexpr std::string_view kDeleted = " (deleted)";

}  // namespace

StorePresence::StorePresence(fs::path file)
    : file_(std::move(file)), id_(fileIdOf(file_)), wal_(fileIdOf(walOf(file_))) {}

std::optional<Error> StorePresence::loss() const {
  if (!id_) return std::nullopt;
  const auto now = fileIdOf(file_);
  const int failure = errno;
  if (now == id_) {
    if (!wal_ || fileIdOf(walOf(file_)) == wal_) return std::nullopt;
    return Error::notFound("another program deleted or replaced '" + walOf(file_).native() + "' while it was in use");
  }
  const std::string which = "'" + file_.native() + "'";
  const auto path = currentPath();
  if (path && *path != file_)
    return Error::notFound(which + " was moved to '" + path->native() + "' while it was in use");
  if (now) return Error::notFound(which + " was replaced by another file while it was in use");
  if (failure == ENOENT || failure == ENOTDIR) return Error::notFound(which + " was deleted while it was in use");
  return Error::fromErrno(failure, "cannot find the store", file_.native());
}

// The system knows by which path a file that is open can be reached now.
std::optional<fs::path> StorePresence::currentPath() const {
  if (fileIdOf(file_) && wal_ && fileIdOf(walOf(file_)) != wal_) return std::nullopt;
  for (const fs::path& open : entriesOf(kOpenFiles)) {
    if (!id_ || fileIdOf(open) != id_) continue;
    std::error_code failure;
    const fs::path target = fs::read_symlink(open, failure);
    if (failure || target.native().ends_with(kDeleted)) return std::nullopt;
    return target;
  }
  return std::nullopt;
}

}  // namespace batchwise
