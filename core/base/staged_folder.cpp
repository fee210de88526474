// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/staged_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kRandomLetters = 6;

}  // namespace

Result<StagedFolder> StagedFolder::make(const fs::path& parent, std::string_view mark) {
  constexpr int kAttempts = 10;
  for (int tries = 0; tries < kAttempts; ++tries) {
    std::string path = (parent / mark).native() + std::string(kRandomLetters, 'X');
    if (::mkdtemp(path.data()) == nullptr)
      return Error::fromErrno(errno, "cannot write into the folder '{}'", parent.native());
    FileDescriptor lock{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    // A concurrent removeStagedFolders() may have locked or removed it before it is locked.
    struct stat own {};
    const bool locked = lock.valid() && (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    if (locked && ::fstat(lock.get(), &own) == 0 && own.st_nlink > 0)
      return StagedFolder(std::move(path), std::move(lock));
  }
  return Error::fromErrno(EBUSY, "cannot write into the folder '{}'", parent.native());
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> StagedFolder::moveTo(const fs::path& target) {
  if (::fsync(lock_.get()) != 0 || ::rename(path_.c_str(), target.c_str()) != 0)
    return Error::fromErrno(errno, "cannot write '{}'", target.native());
  path_.clear();
  return syncFolder(target.parent_path());
}

void removeStagedFolders(const fs::path& parent, std::string_view mark) {
  for (const fs::path& entry : entriesOf(parent)) {
    const std::string name = entry.filename().native();
    if (!name.starts_with(mark) || name.size() != mark.size() + kRandomLetters) continue;
    const FileDescriptor opened{::open(entry.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    std::error_code ignored;
    if (opened.valid() && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry, ignored);
  }
}

}  // namespace batchwise
