// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

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

}  // namespace batchwise
