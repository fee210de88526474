// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// Whether `name` is the name of one file: 1 to 255 bytes, neither "." nor "..", without '/' and zero bytes.
bool isPlainFileName(std::string_view name);

/// A folder that is held open. Whatever is done in it stays in it: names are plain file names, and no link is followed.
/// For folders whose content may come from elsewhere. One thread at a time.
class Folder {
 public:
  /// The path may lead through links: a person named it. Fails with NotFound or Io.
  static Result<Folder> open(const std::filesystem::path& path);

  /// A folder in this one. Fails with NotFound, Io, Corrupt (no plain name), or Unsupported (a link or no folder).
  Result<Folder> inner(const std::string& name) const;

  /// A regular file in this folder; `flags` as for open(2). Fails as inner() does.
  Result<FileDescriptor> file(const std::string& name, int flags, mode_t mode = 0) const;

  /// Deletes a file, or a link itself; fine if there is none. Fails with Io or Corrupt (no plain name).
  Result<void> remove(const std::string& name) const;

 private:
  Folder(FileDescriptor folder, std::filesystem::path path) : folder_(std::move(folder)), path_(std::move(path)) {}
  Result<FileDescriptor> openPlain(const std::string& name, int flags, mode_t mode, mode_t kind) const;

  FileDescriptor folder_;
  std::filesystem::path path_;
};

/// The error for a link where none is followed.
Error linkNotFollowed(const std::filesystem::path& link);

}  // namespace batchwise
