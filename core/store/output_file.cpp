// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <random>

#include "core/store/messages.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr int kMaxLinks = 40;      // as in the kernel
constexpr int kMaxAttempts = 100;  // to find an unused name
constexpr std::size_t kMarkSearch = 4096;
constexpr std::size_t kRandomLetters = 6;
constexpr std::string_view kPartial = ".partial-";

/// Returns the descriptor that "/dev/stdout", "/dev/fd/N" or "/proc/self/fd/N" names, or -1. Renaming onto such a name
/// would not write to the stream.
int openStreamOf(const fs::path& file) {
  const std::string path = file.lexically_normal().native();
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    const std::string number = path.substr(prefix.size());
    if (!number.empty() && number.size() < 8 && std::all_of(number.begin(), number.end(), ::isdigit))
      return std::stoi(number);
  }
  return -1;
}

struct Resolved {
  fs::path path;  ///< the file to replace; its folder contains no links
  bool linked = false;
};

/// Resolves links by hand, because a link may point to a file that does not exist yet.
Result<Resolved> resolve(const fs::path& file) {
  Resolved resolved{file, false};
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code failure;
    const fs::path absolute = fs::absolute(resolved.path, failure);
    const fs::path folder = fs::canonical(absolute.parent_path(), failure);
    if (failure) return Error::fromErrno(failure.value(), messages::cannotWrite, file.native());
    const fs::path name = absolute.filename();
    resolved.path = name.empty() || name == "." || name == ".." ? fs::canonical(absolute, failure) : folder / name;
    const fs::path target = fs::read_symlink(resolved.path, failure);
    if (failure) return resolved;  // no link
    resolved = {folder / target, true};
  }
  return Error::fromErrno(ELOOP, messages::cannotWrite, file.native());
}

/// Returns the innermost workspace that contains `path`, which need not exist; empty if there is none.
fs::path enclosingWorkspace(const fs::path& path) {
  for (fs::path folder = path.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (holdsWorkspace(folder)) return folder;
    if (folder == folder.root_path()) break;
  }
  return {};
}

/// Returns whether a file with several hard links is also a file of the workspace.
bool isFileOf(const fs::path& workspace, const struct stat& file) {
  if (file.st_nlink < 2 || workspace.empty()) return false;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(workspace, failure);
       !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    struct stat own {};
    if (::lstat(entry->path().c_str(), &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino)
      return true;
  }
  return false;
}

Error insideWorkspace(const fs::path& file, const fs::path& workspace) {
  return Error::config(messages::outputFileInsideWorkspace(file.native(), workspace.native()));
}

bool containsMark(const fs::path& file, std::string_view mark) {
  if (mark.empty()) return false;
  const FileDescriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::string start(mark.size() + kMarkSearch, '\0');
  std::size_t got = 0;
  while (opened.valid() && got < start.size()) {
    const ssize_t count = ::read(opened.get(), start.data() + got, start.size() - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  start.resize(got);
  return start.find(mark) != std::string::npos;
}

std::string randomLetters() {
  static constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device source;
  std::string text;
  while (text.size() < kRandomLetters) text += kLetters[source() % kLetters.size()];
  return text;
}

}  // namespace

std::string csvMark(std::string_view csv) {
  const std::size_t end = csv.find('\n');
  return std::string(csv.substr(0, end == std::string_view::npos ? csv.size() : end + 1));
}

bool isStream(const fs::path& file) {
  std::error_code unknown;
  const fs::file_status status = fs::status(file, unknown);
  return openStreamOf(file) >= 0 || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

Result<fs::path> checkOutputFile(const fs::path& file, const OutputRule& rule) {
  std::error_code unknown;
  if (fs::is_block_file(file, unknown)) return Error::config(messages::outputIsBlockDevice(file.native()));
  if (isStream(file)) return file;
  const auto resolved = resolve(file);
  if (!resolved.ok()) return resolved.error();
  std::error_code failure;
  for (const fs::path& place :
       {fs::canonical(fs::absolute(file).parent_path(), failure) / file.filename(), resolved->path})
    if (const fs::path workspace = enclosingWorkspace(place); !workspace.empty())
      return insideWorkspace(file, workspace);
  struct stat old {};
  if (::stat(resolved->path.c_str(), &old) != 0) {
    if (errno != ENOENT) return Error::fromErrno(errno, messages::cannotWrite, file.native());
    if (!resolved->linked || rule.replaces == Replaces::AnyFiles) return resolved->path;
  } else {
    if (S_ISDIR(old.st_mode)) return Error::config(messages::outputIsFolder(file.native()));
    if (isFileOf(rule.workspace, old)) return insideWorkspace(file, rule.workspace);
  }
  if (rule.replaces == Replaces::AnyFiles) return resolved->path;
  if (resolved->linked) return Error::config(messages::outputIsLink(file.native(), resolved->path.native()));
  if (!containsMark(resolved->path, rule.mark)) return Error::config(messages::outputFileExists(file.native()));
  return resolved->path;
}

Result<void> checkOutputFolder(const fs::path& folder) {
  std::error_code failure;
  const fs::path resolved = fs::weakly_canonical(fs::absolute(folder), failure);
  if (failure) return Error::fromErrno(failure.value(), messages::cannotWriteIntoFolder, folder.native());
  if (const fs::path workspace = enclosingWorkspace(resolved / "file"); !workspace.empty())
    return Error::config(messages::outputFolderInsideWorkspace(folder.native(), workspace.native()));
  return {};
}

Result<OutputFile> OutputFile::open(const fs::path& file, const OutputRule& rule) {
  ASSIGN_OR_RETURN(auto target, checkOutputFile(file, rule));
  if (isStream(file)) {
    const int stream = openStreamOf(file);
    FileDescriptor opened{stream >= 0 ? ::fcntl(stream, F_DUPFD_CLOEXEC, 0)
                                      : ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
    if (!opened.valid()) return Error::fromErrno(errno, messages::cannotWrite, file.native());
    return OutputFile(std::move(opened), file, std::nullopt);
  }
  ASSIGN_OR_RETURN(auto staged, StagedEntry::file(target));
  return OutputFile({}, std::move(target), std::move(staged));
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  return writeAll(staged_ ? staged_->descriptor() : stream_, bytes, target_);
}

Result<void> OutputFile::commit() {
  return staged_ ? staged_->moveTo(target_) : Result<void>{};
}

Result<void> writeOutput(const fs::path& file, const OutputRule& rule,
                         const std::function<Result<void>(const FileSink&)>& write) {
  ASSIGN_OR_RETURN(auto output, OutputFile::open(file, rule));
  const auto written = write([&](std::span<const std::byte> bytes) { return output.write(bytes); });
  return written.ok() ? output.commit() : written;
}

Result<void> writeOutput(const fs::path& file, const OutputRule& rule, std::string_view bytes) {
  return writeOutput(file, rule, [bytes](const FileSink& sink) { return sink(std::as_bytes(std::span(bytes))); });
}

template <typename Create>
Result<StagedEntry> StagedEntry::make(const fs::path& prefix, const fs::path& wanted, Create create) {
  int failure = EEXIST;
  for (int tries = 0; tries < kMaxAttempts && (failure == EEXIST || failure == ENOENT); ++tries) {
    fs::path path = prefix.native() + randomLetters();
    FileDescriptor made = create(path.c_str());
    failure = made.valid() ? EEXIST : errno;
    // A concurrent removeLeftovers() may have locked or removed it before it is locked.
    struct stat own {};
    const bool locked = made.valid() && (::flock(made.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    if (locked && ::fstat(made.get(), &own) == 0 && own.st_nlink > 0)
      return StagedEntry(std::move(path), std::move(made));
  }
  return Error::fromErrno(failure, messages::cannotWrite, wanted.native());
}

Result<StagedEntry> StagedEntry::folder(const fs::path& parent, std::string_view mark) {
  removeLeftovers(parent, mark);
  return make(parent / mark, parent, [](const char* path) {
    if (::mkdir(path, 0700) != 0) return FileDescriptor{};
    return FileDescriptor{::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  });
}

Result<StagedEntry> StagedEntry::file(const fs::path& target) {
  removeLeftovers(target.parent_path(), kPartial);
  const fs::path prefix = target.parent_path() / ("." + target.filename().native() + std::string(kPartial));
  auto staged = make(prefix, target, [](const char* path) {
    return FileDescriptor{::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)};
  });
  struct stat old {};
  if (staged.ok() && ::stat(target.c_str(), &old) == 0) ::fchmod(staged->file_.get(), old.st_mode & 07777);
  return staged;
}

StagedEntry::~StagedEntry() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> StagedEntry::moveTo(const fs::path& target) {
  if (::fsync(file_.get()) != 0 || ::rename(path_.c_str(), target.c_str()) != 0)
    return Error::fromErrno(errno, messages::cannotWrite, target.native());
  path_.clear();
  return syncFolder(target.parent_path());
}

void removeLeftovers(const fs::path& folder, std::string_view mark) {
  for (const fs::path& entry : entriesOf(folder)) {
    const std::string name = entry.filename().native();
    if (!name.starts_with('.') || name.size() < mark.size() + kRandomLetters) continue;
    const std::string letters = name.substr(name.size() - kRandomLetters);
    if (!std::string_view(name).substr(0, name.size() - kRandomLetters).ends_with(mark)) continue;
    if (!std::all_of(letters.begin(), letters.end(), ::isalnum)) continue;
    const FileDescriptor opened{::open(entry.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat info {};
    if (!opened.valid() || ::fstat(opened.get(), &info) != 0 || info.st_uid != ::geteuid()) continue;
    const bool ours = S_ISDIR(info.st_mode) ? name.size() == mark.size() + kRandomLetters : S_ISREG(info.st_mode);
    std::error_code ignored;
    if (ours && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry, ignored);
  }
}

}  // namespace batchwise
