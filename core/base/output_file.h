// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

// Output files of commands and exports: tables, charts, reports, archives, configurations.

/// What an export may replace.
enum class Replaces { Nothing, AnyFiles };

/// Returns whether `file` is a pipe, a device or an open stream such as /dev/stdout.
bool isStream(const std::filesystem::path& file);

/// Fails with Config if `path`, a file or a folder to be written, is or lies in a workspace.
Result<void> checkOutsideWorkspaces(const std::filesystem::path& path);

/// Fails with Config if `file` is a folder, a block device, lies in a workspace, or exists and may not be replaced.
/// Streams always pass.
Result<void> checkOutputFile(const std::filesystem::path& file, Replaces replaces);

/// An output file being written beside its place, renamed by commit(). Of a link, the target is replaced. A stream is
/// written directly. Not thread-safe.
class OutputFile {
 public:
  /// Fails as checkOutputFile, or with Io.
  static Result<OutputFile> open(const std::filesystem::path& file, Replaces replaces);

  /// Fails with Io or DiskFull.
  Result<void> write(std::span<const std::byte> bytes);
  /// Fails with Io or DiskFull; the old file is then unchanged.
  Result<void> commit();
  /// Returns the file beside the place, which another writer may fill; nullopt for a stream.
  std::optional<std::filesystem::path> unfinishedFile() const;

 private:
  OutputFile(std::filesystem::path path, FileDescriptor stream, std::optional<FileReplacement> replacement)
      : path_(std::move(path)), stream_(std::move(stream)), replacement_(std::move(replacement)) {}

  std::filesystem::path path_;
  FileDescriptor stream_;
  std::optional<FileReplacement> replacement_;  // nullopt for a stream
};

/// Opens the file, calls `write` once with a sink, and commits. Fails as OutputFile or `write` does.
Result<void> writeOutput(const std::filesystem::path& file, Replaces replaces,
                         const std::function<Result<void>(const FileSink&)>& write);
Result<void> writeOutput(const std::filesystem::path& file, Replaces replaces, std::string_view bytes);

}  // namespace batchwise
