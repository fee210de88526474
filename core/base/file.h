// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"

namespace batchwise {

inline std::string notPlainFileText(const auto& path) {
  return formatText("'{}' is not a plain file", path);
}

/// Owner of a POSIX file descriptor. Move-only.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();
  int get() const { return descriptor_; }
  bool valid() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// Identity of a file, independent of its name.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};
/// Returns nothing if there is no such file. Opens nothing, because closing a descriptor would drop the process's POSIX
/// locks on the file.
std::optional<FileId> fileIdOf(const std::filesystem::path& path);

/// Reads a whole file. Fails with NotFound, Io, or Config if it is a folder or larger than `limitBytes`.
Result<std::string> readFile(const std::filesystem::path& path, std::int64_t limitBytes = std::int64_t{1} << 30);

/// Fails with Config if a file that begins with `head` is what Git leaves in place of one that Git LFS has not fetched.
Result<void> checkFetched(const std::filesystem::path& path, std::string_view head);

/// Creates `path` for reading and writing. `mode` is subject to the umask; use 0600 for private files. Fails with Io,
/// and leaves errno set, if `path` exists, also as a symbolic link.
Result<FileDescriptor> createFile(const std::filesystem::path& path, unsigned mode = 0666);

/// Writes all of `bytes` at the position of an open file. `path`: its name, for messages. Fails with Io or DiskFull.
Result<void> writeAll(const FileDescriptor& file, std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Takes the next bytes of a file, such as one being written; then it fails with Io or DiskFull.
using FileSink = std::function<Result<void>(std::span<const std::byte>)>;

/// Calls `take` with an open file's bytes from `at` on, piece by piece, wherever its position is. `path`: its name, for
/// messages. Fails with Io, or as `take` does.
Result<void> forEachPiece(const FileDescriptor& file, std::int64_t at, const std::filesystem::path& path,
                          const FileSink& take, std::size_t pieceBytes = std::size_t{1} << 20);

/// Replaces the content of `path` atomically and durably: writes a temporary file beside it, syncs, renames, syncs the
/// folder. An existing file keeps its mode, a new one gets 0666 minus the umask. A symbolic link is replaced, not its
/// target. Fails with Config (a device, a pipe), Io or DiskFull; then the old file is untouched, unless only the sync
/// of the folder failed.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

/// A temporary file beside `path` that takes its place on commit(). The destructor removes it if it was not committed.
/// Not thread-safe.
class FileReplacement {
 public:
  /// Keeps the mode of an existing file. Fails with Config (a device, a pipe) or Io.
  static Result<FileReplacement> open(const std::filesystem::path& path);
  FileReplacement(FileReplacement&& other) noexcept
      : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})), file_(std::move(other.file_)) {}
  FileReplacement& operator=(FileReplacement&&) = delete;
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  /// Fails with Io or DiskFull.
  Result<void> write(std::span<const std::byte> bytes) { return writeAll(file_, bytes, path_); }
  /// Syncs the file, renames it, syncs the folder. Fails with Io or DiskFull; then the old file is untouched, unless
  /// only the sync of the folder failed.
  Result<void> commit();
  /// Returns the temporary file.
  std::filesystem::path unfinishedFile() const { return temporary_; }

 private:
  FileReplacement(std::filesystem::path path, std::string temporary, FileDescriptor file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::string temporary_;  // empty once renamed
  FileDescriptor file_;
};

/// Streaming form of writeFileAtomically(): calls `write` once with a sink for the content. If `write` fails,
/// the old file is untouched and its error is returned.
Result<void> replaceFile(const std::filesystem::path& path, const std::function<Result<void>(const FileSink&)>& write);

/// Syncs `folder`, which makes files created, renamed or removed in it durable.
Result<void> syncFolder(const std::filesystem::path& folder);

/// Creates `folder` and its missing parents durably; succeeds if it exists. Fails with Io, naming the folder and the
/// reason.
Result<void> makeFolders(const std::filesystem::path& folder);

/// Lists `folder` in no particular order, up to the first error; empty if it cannot be read. Never throws, unlike
/// std::filesystem::directory_iterator in a range-based for loop.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

/// Returns the bytes that an unprivileged process may still write on the file system of `path`, which must exist.
Result<std::int64_t> freeBytes(const std::filesystem::path& path);

/// Returns `folder` (empty: the working folder) as a normalized absolute path; empty if the working folder is needed
/// but was deleted. std::filesystem::absolute() throws in both cases.
std::filesystem::path absoluteFolder(const std::filesystem::path& folder);

/// Returns `name` with the home folder in place of a leading "~" or "~/", as a shell does; unchanged if there is none.
std::filesystem::path expandedHome(const std::filesystem::path& name);

}  // namespace batchwise
