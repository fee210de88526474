// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/store_presence.h"

#include <cerrno>
#include <utility>

#include "core/store/database.h"
#include "core/store/messages.h"

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
    return Error::notFound(messages::storeFileChangedByOther(walOf(file_).native()));
  }
  const std::string which = "'" + file_.native() + "'";
  const auto path = currentPath();
  if (path && *path != file_) return Error::notFound(messages::storeFileMoved(which, path->native()));
  if (now) return Error::notFound(messages::storeFileReplaced(which));
  if (failure == ENOENT || failure == ENOTDIR) return Error::notFound(messages::storeFileDeleted(which));
  return Error::fromErrno(failure, messages::cannotFindStore, file_.native());
}

// Reads the present path of the open file from /proc.
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
