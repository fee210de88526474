// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/process_setup.h"
#include "core/base/result.h"

namespace batchwise {

/// Returns whether `name` is a valid file name: 1 to 255 bytes, neither "." nor "..", without '/' and zero bytes.
bool isPlainFileName(std::string_view name);

/// An open folder whose operations cannot leave it: names are plain file names, and symbolic links are not followed.
/// For folders with untrusted content. Not thread-safe.
class Folder {
 public:
  /// Opens a folder given by the user; `path` may contain symbolic links. Fails with NotFound or Io.
  static Result<Folder> open(const std::filesystem::path& path);

  /// Opens a subfolder. Fails with NotFound, Io, Corrupt (not a plain name), or Unsupported (a link or not a folder).
  Result<Folder> inner(const std::string& name) const;

  /// Opens a regular file; `flags` as for open(2). Fails like inner().
  Result<FileDescriptor> file(const std::string& name, int flags, mode_t mode = 0) const;

  /// Deletes a file or a symbolic link; succeeds if there is none. Fails with Io or Corrupt (not a plain name).
  Result<void> remove(const std::string& name) const;

 private:
  Folder(FileDescriptor folder, std::filesystem::path path) : folder_(std::move(folder)), path_(std::move(path)) {}
  Result<FileDescriptor> openPlain(const std::string& name, int flags, mode_t mode, mode_t kind) const;

  FileDescriptor folder_;
  std::filesystem::path path_;
};

/// Returns the error for a symbolic link that is not followed.
Error symlinkError(const std::filesystem::path& link);

/// A hidden folder "MARKXXXXXX" in which files are made until they get their places. Locked (flock) while this object
/// lives. The destructor removes it with its contents, if it was not moved. Not thread-safe.
class StagedFolder {
 public:
  /// Fails with Io or DiskFull.
  static Result<StagedFolder> make(const std::filesystem::path& parent, std::string_view mark);
  StagedFolder(StagedFolder&& other) noexcept : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  StagedFolder& operator=(StagedFolder&&) = delete;
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;
  ~StagedFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Renames it to `target`, durably. Fails with Io or DiskFull; `target` is then unchanged.
  Result<void> moveTo(const std::filesystem::path& target);

 private:
  StagedFolder(std::filesystem::path path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;  // empty once moved
  FileDescriptor lock_;
};

/// Removes the staged folders that killed processes left in `parent`. Only for folders that belong to Batchwise alone,
/// such as those of a workspace.
void removeStagedFolders(const std::filesystem::path& parent, std::string_view mark);

// The user's folders, which may not exist. A variable that holds a relative path is ignored (XDG Base Directory
// Specification). ~ is userHome(). Empty if there is none.

/// Returns the home folder of this account in the password database; empty if it names none. Thread-safe.
std::filesystem::path accountHome();

/// Returns $HOME if that is an absolute path, else `home`; empty if neither is one.
std::filesystem::path userHome(const Environment& environment = processEnvironment(),
                               const std::filesystem::path& home = accountHome());

/// Returns the folder for what can be made again: $XDG_CACHE_HOME/batchwise, or ~/.cache/batchwise.
std::filesystem::path userCacheFolder(const Environment& environment,
                                      const std::filesystem::path& home = accountHome());

/// Returns the default workspace: $XDG_DATA_HOME/batchwise, or ~/.local/share/batchwise.
std::filesystem::path defaultWorkspacePath(const Environment& environment = processEnvironment(),
                                           const std::filesystem::path& home = accountHome());

/// Start of the names of the files in it that hold what the check of a GPU's operations found.
inline constexpr const char* kRememberedChecks = "gpu-check-";

}  // namespace batchwise
