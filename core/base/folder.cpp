// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/folder.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "core/base/file.h"
#include "core/base/format.h"

namespace batchwise {

bool isPlainFileName(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  return !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

Error symlinkError(const std::filesystem::path& link) {
  return Error::unsupported(
      formatText("'{}' is a link, which is not followed inside a workspace; put the file or folder itself there (the "
                 "workspace as a whole may be a link)",
                 link.native()));
}

Result<Folder> Folder::open(const std::filesystem::path& path) {
  FileDescriptor folder{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!folder.valid()) return Error::fromErrno(errno, "cannot open the folder '{}'", path.native());
  return Folder(std::move(folder), path);
}

Result<FileDescriptor> Folder::openPlain(const std::string& name, int flags, mode_t mode, mode_t kind) const {
  const std::filesystem::path path = path_ / name;
  if (!isPlainFileName(name)) return Error::corrupt(formatText("'{}' is not a plain file name", name));
  // O_NONBLOCK: opening a pipe must not block. O_NOFOLLOW: a link must not lead out of the folder.
  FileDescriptor opened{
      ::openat(folder_.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, mode)};
  const int failure = opened.valid() ? 0 : errno;
  struct stat info {};
  if (::fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
    return symlinkError(path);
  if (failure != 0) return Error::fromErrno(failure, "cannot open '{}'", path.native());
  if (::fstat(opened.get(), &info) != 0) return Error::fromErrno(errno, "cannot open '{}'", path.native());
  if ((info.st_mode & S_IFMT) != kind)
    return Error::unsupported(kind == S_IFDIR ? formatText("'{}' is not a plain folder", path.native())
                                              : notPlainFileText(path.native()));
  return opened;
}

Result<Folder> Folder::inner(const std::string& name) const {
  ASSIGN_OR_RETURN(auto opened, openPlain(name, O_PATH | O_DIRECTORY, 0, S_IFDIR));
  return Folder(std::move(opened), path_ / name);
}

Result<FileDescriptor> Folder::file(const std::string& name, int flags, mode_t mode) const {
  return openPlain(name, flags, mode, S_IFREG);
}

Result<void> Folder::remove(const std::string& name) const {
  if (!isPlainFileName(name)) return Error::corrupt(formatText("'{}' is not a plain file name", name));
  if (::unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return Error::fromErrno(errno, "cannot delete '{}'", (path_ / name).native());
}

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kRandomLetters = 6;

namespace fs = std::filesystem;

fs::path absoluteOf(const Environment& environment, const char* name) {
  const char* value = environment(name);
  const fs::path path(value == nullptr ? "" : value);
  return path.is_absolute() ? path : fs::path();
}

fs::path userFolder(const Environment& environment, const fs::path& accountHome, const char* variable,
                    const char* belowHome) {
  if (const fs::path folder = absoluteOf(environment, variable); !folder.empty()) return folder / "batchwise";
  const fs::path home = userHome(environment, accountHome);
  return home.empty() ? fs::path() : home / belowHome / "batchwise";
}

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

fs::path accountHome() {
  std::array<char, 16384> texts;
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found) != 0 || found == nullptr) return {};
  return entry.pw_dir == nullptr ? fs::path() : fs::path(entry.pw_dir);
}

fs::path userHome(const Environment& environment, const fs::path& home) {
  if (const fs::path named = absoluteOf(environment, "HOME"); !named.empty()) return named;
  return home.is_absolute() ? home : fs::path();
}

fs::path userCacheFolder(const Environment& environment, const fs::path& home) {
  return userFolder(environment, home, "XDG_CACHE_HOME", ".cache");
}

fs::path defaultWorkspacePath(const Environment& environment, const fs::path& home) {
  return userFolder(environment, home, "XDG_DATA_HOME", ".local/share");
}

}  // namespace batchwise
