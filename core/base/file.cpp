// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include "core/base/folder.h"
#include "core/base/format.h"

namespace batchwise {
namespace fs = std::filesystem;

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (valid()) ::close(descriptor_);
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (valid()) ::close(descriptor_);
}

std::optional<FileId> fileIdOf(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

Result<void> checkFetched(const fs::path& path, std::string_view head) {
  if (!head.starts_with("version https://git-lfs.github.com/spec/")) return {};
  return Error::config(
      formatText("'{}' holds only the name of a file in Git LFS; fetch it with git lfs pull", path.native()));
}

Result<std::string> readFile(const fs::path& path, std::int64_t limitBytes) {
  // A pipe that no process has open for writing is empty; open(2) would wait for one.
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  const bool waits = S_ISREG(info.st_mode) || ::fcntl(file.get(), F_SETFL, 0) == 0;  // reads do wait
  if (!waits) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (S_ISDIR(info.st_mode)) return Error::config(formatText("'{}' is a folder, a file is needed", path.native()));
  std::string content;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
    if (static_cast<std::int64_t>(content.size()) > limitBytes)
      return Error::config(formatText("'{}' is larger than {} bytes", path.native(), limitBytes));
  }
}

Result<void> writeAll(const FileDescriptor& file, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error::fromErrno(errno, "cannot write '{}'", path.native());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> forEachPiece(const FileDescriptor& file, std::int64_t at, const fs::path& path, const FileSink& take,
                          std::size_t pieceBytes) {
  std::vector<std::byte> piece(pieceBytes);
  for (;;) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
    if (got == 0) return {};
    RETURN_IF_ERROR(take(std::span(piece).first(static_cast<std::size_t>(got))));
    at += got;
  }
}

Result<FileDescriptor> createFile(const fs::path& path, unsigned mode) {
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
  if (file.valid()) return file;
  const int number = errno;
  Error failure = Error::fromErrno(number, "cannot write '{}'", path.native());
  errno = number;
  return failure;
}

namespace {

/// Returns the mode of the regular file `path`, nothing if there is none. Fails with Config for a device or a pipe.
Result<std::optional<mode_t>> modeToKeep(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode) || S_ISDIR(info.st_mode))
    return std::optional<mode_t>();
  if (!S_ISREG(info.st_mode))
    return Error::config(formatText("'{}' is a device, a pipe or a socket; a file is needed", path.native()));
  return std::optional<mode_t>(info.st_mode & 0777U);
}

/// Creates a file with an unused name in the folder of `path`.
Result<std::pair<FileDescriptor, std::string>> createTempFile(const fs::path& path, mode_t mode) {
  constexpr int kTries = 100;
  std::random_device random;
  for (int attempt = 0;; ++attempt) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::string name = path.native() + ".";
    for (int i = 0; i < 6; ++i) name += kLetters[random() % kLetters.size()];
    Result<FileDescriptor> file = createFile(name, mode);
    if (file.ok()) return std::pair(std::move(*file), std::move(name));
    if (errno != EEXIST || attempt == kTries) return Error::fromErrno(errno, "cannot write '{}'", path.native());
  }
}

}  // namespace

Result<FileReplacement> FileReplacement::open(const fs::path& path) {
  ASSIGN_OR_RETURN(const auto kept, modeToKeep(path));
  ASSIGN_OR_RETURN(auto made, createTempFile(path, kept.value_or(0666)));
  if (kept) ::fchmod(made.first.get(), *kept);  // undoes the umask; the owner is not restored
  return FileReplacement(path, std::move(made.second), std::move(made.first));
}

FileReplacement::~FileReplacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> FileReplacement::commit() {
  if (::fsync(file_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0)
    return Error::fromErrno(errno, "cannot write '{}'", path_.native());
  temporary_.clear();
  return syncFolder(path_.has_parent_path() ? path_.parent_path() : fs::path{"."});
}

Result<void> replaceFile(const fs::path& path, const std::function<Result<void>(const FileSink&)>& write) {
  ASSIGN_OR_RETURN(auto replacement, FileReplacement::open(path));
  const auto written = write([&](std::span<const std::byte> bytes) { return replacement.write(bytes); });
  return written.ok() ? replacement.commit() : written;
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view bytes) {
  return replaceFile(path, [bytes](const FileSink& sink) { return sink(std::as_bytes(std::span(bytes))); });
}

Result<void> syncFolder(const fs::path& folder) {
  const FileDescriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!opened.valid()) return Error::fromErrno(errno, "cannot open the folder '{}'", folder.native());
  if (::fsync(opened.get()) != 0 && errno != EINVAL)
    return Error::fromErrno(errno, "cannot sync '{}'", folder.native());
  return {};
}

Result<void> makeFolders(const fs::path& folder) {
  std::error_code failure;
  if (folder.empty() || fs::is_directory(folder, failure)) return {};
  const fs::path parent = folder.parent_path();
  RETURN_IF_ERROR(makeFolders(parent));
  const bool isNew = fs::create_directory(folder, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot create the folder '{}'", folder.native());
  if (!isNew) return {};
  // An unreadable folder cannot be synced; on most file systems syncing the new one persists its name too.
  const fs::path named = parent.empty() ? fs::path{"."} : parent;
  return syncFolder(::access(named.c_str(), R_OK) == 0 ? named : folder);
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure))
    entries.push_back(entry->path());
  return entries;
}

Result<std::int64_t> freeBytes(const fs::path& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0)
    return Error::fromErrno(errno, "cannot determine the free space of '{}'", path.native());
  return static_cast<std::int64_t>(info.f_bavail) * static_cast<std::int64_t>(info.f_frsize);
}

fs::path absoluteFolder(const fs::path& folder) {
  std::error_code failure;
  const fs::path absolute = folder.empty() ? fs::current_path(failure) : fs::absolute(folder, failure);
  return failure ? fs::path() : absolute.lexically_normal();
}

fs::path expandedHome(const fs::path& name) {
  const std::string& text = name.native();
  if (!text.starts_with('~') || (text.size() > 1 && text[1] != '/')) return name;
  const fs::path home = userHome();
  if (home.empty()) return name;
  const std::size_t rest = std::min(text.find_first_not_of('/', 1), text.size());
  return home / text.substr(rest);
}

}  // namespace batchwise
