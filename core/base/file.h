// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// An owned POSIX file descriptor. Move-only.
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

/// Which file a name leads to, whatever it is called.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};
/// Nothing if there is no such file. Opens nothing: closing a descriptor would drop the process's locks on the file.
std::optional<FileId> fileIdOf(const std::filesystem::path& path);

/// The whole file as bytes. Fails with NotFound, Io, or Config if it is a folder or larger than `limitBytes`.
Result<std::string> readFile(const std::filesystem::path& path, std::int64_t limitBytes = std::int64_t{1} << 30);

/// Makes the file `path`, which must not exist yet (a link neither), for reading and writing. `mode` is what the umask
/// takes its part from: all files of ours are made with the default, private ones with 0600. Fails with Io, with errno
/// left as it was.
Result<FileDescriptor> createFile(const std::filesystem::path& path, unsigned mode = 0666);

/// Replaces `path` by `bytes` so that a reader sees the old or the new content, whatever happens: writes beside, syncs,
/// renames, syncs the folder. A file that is there keeps its mode, a new one gets 0666 less the umask. Of a link the
/// link is replaced; what it points to stays as it is. Fails with Config (a device, a pipe), Io or DiskFull; then the
/// old file is untouched, unless only its folder could not be synced.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

/// Makes names created, renamed or removed in `folder` durable.
Result<void> syncFolder(const std::filesystem::path& folder);

/// Makes `folder` with its parents; fine if it exists. Those that are new outlast a loss of power, so that what is
/// written and synced inside does too. Fails with Io (naming the folder and the reason).
Result<void> makeFolders(const std::filesystem::path& folder);

/// What lies in `folder`, in no order; what there is up to an error (none if it is not there or cannot be read). Never
/// throws, unlike std::filesystem::directory_iterator in a for loop.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

/// Bytes an unprivileged process may still write on the file system of `path` (which must exist).
Result<std::int64_t> freeBytes(const std::filesystem::path& path);

/// $XDG_DATA_HOME/batchwise, or ~/.local/share/batchwise: the default workspace.
std::filesystem::path defaultWorkspacePath();

}  // namespace batchwise
