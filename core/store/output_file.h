// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/replace_file.h"
#include "core/base/result.h"

namespace batchwise {

// Output files of commands and exports: tables, charts, reports, archives, configurations.

/// Which existing files an export may replace.
enum class Replaces {
  OwnFiles,  ///< files that an export of the same kind wrote
  AnyFiles,  ///< any regular file; requested explicitly
};

struct OutputRule {
  Replaces replaces = Replaces::OwnFiles;
  std::string mark;                 ///< text at the start of files of this kind that Batchwise wrote; empty: none
  std::filesystem::path workspace;  ///< the current one: its files are recognized under other names (hard links), too
};

/// Contained in every HTML, SVG and YAML file that Batchwise writes.
inline constexpr std::string_view kGeneratorMark = "Generator: Batchwise";

/// Returns the first line of `csv`: a file that starts with it is an earlier export of the same values.
std::string csvMark(std::string_view csv);

/// Returns whether `file` is a pipe, a device or an open stream such as /dev/stdout.
bool isStream(const std::filesystem::path& file);

/// Returns the file that an export to `file` replaces or creates: `file` itself, or the target of a link. Fails with
/// Config if it lies in a workspace (also through a link or as a hard link), is a folder, or exists and `rule` does not
/// allow replacing it. Follows links only with AnyFiles. Streams always pass.
Result<std::filesystem::path> checkOutputFile(const std::filesystem::path& file, const OutputRule& rule);

/// Fails with Config if `folder` is a workspace or lies in one.
Result<void> checkOutputFolder(const std::filesystem::path& folder);

/// An output file being written as ".NAME.partial-XXXXXX" in the target's folder and renamed by commit(). The
/// destructor removes an uncommitted file; open() removes those that killed processes left. A stream is written
/// directly. Not thread-safe.
class OutputFile {
 public:
  /// Fails as checkOutputFile, or with NotFound or Io.
  static Result<OutputFile> open(const std::filesystem::path& file, const OutputRule& rule);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Fails with Io or DiskFull.
  Result<void> write(std::span<const std::byte> bytes);
  /// Syncs the file and renames it to the target. Fails with Io or DiskFull; the old file is then unchanged.
  Result<void> commit();

 private:
  OutputFile(FileDescriptor file, std::filesystem::path target, std::filesystem::path partial)
      : file_(std::move(file)), target_(std::move(target)), partial_(std::move(partial)) {}

  FileDescriptor file_;
  std::filesystem::path target_;
  std::filesystem::path partial_;  // empty for a stream
};

/// Opens the file, calls `write` once with a sink, and commits. Fails as OutputFile or `write` does.
Result<void> writeOutput(const std::filesystem::path& file, const OutputRule& rule,
                         const std::function<Result<void>(const FileSink&)>& write);
Result<void> writeOutput(const std::filesystem::path& file, const OutputRule& rule, std::string_view bytes);

/// A hidden folder "MARKXXXXXX" inside `parent` for files to be moved there later (same file system). The destructor
/// removes it with its contents; make() removes those that killed processes left. Not thread-safe.
class StagingFolder {
 public:
  /// Requires that `mark` starts with ".batchwise-": folders of that name are removed. Fails with Io or DiskFull.
  static Result<StagingFolder> make(const std::filesystem::path& parent, std::string_view mark);
  StagingFolder(StagingFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), alive_(std::move(other.alive_)) {}
  StagingFolder& operator=(StagingFolder&&) = delete;
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  ~StagingFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  StagingFolder(std::filesystem::path path, FileDescriptor alive) : path_(std::move(path)), alive_(std::move(alive)) {}
  std::filesystem::path path_;
  FileDescriptor alive_;  // locked
};

/// Removes what killed processes left in `folder`: our hidden files whose names end in `mark` plus six letters or
/// digits, and folders with exactly such a name. Keeps entries that a live process has locked (flock).
void removeLeftovers(const std::filesystem::path& folder, std::string_view mark);

}  // namespace batchwise
