// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/file.h"
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

/// A temporary file or folder "…MARKXXXXXX" beside the place that it will be moved to. Locked (flock), so that the
/// removeLeftovers() of other processes keeps it. The destructor removes it with its contents, if it was not moved. Not
/// thread-safe.
class StagedEntry {
 public:
  /// Makes a hidden folder "MARKXXXXXX" inside `parent`, after removing those that killed processes left. Requires that
  /// `mark` starts with ".batchwise-": folders of that name are removed. Fails with Io or DiskFull.
  static Result<StagedEntry> folder(const std::filesystem::path& parent, std::string_view mark);
  /// Makes a file ".NAME.partial-XXXXXX" in the folder of `target` with the mode of the file that it will replace,
  /// after removing those that killed processes left. Fails with NotFound, Io or DiskFull.
  static Result<StagedEntry> file(const std::filesystem::path& target);
  StagedEntry(StagedEntry&& other) noexcept : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
  StagedEntry& operator=(StagedEntry&&) = delete;
  StagedEntry(const StagedEntry&) = delete;
  StagedEntry& operator=(const StagedEntry&) = delete;
  ~StagedEntry();

  const std::filesystem::path& path() const { return path_; }
  const FileDescriptor& descriptor() const { return file_; }
  /// Syncs the file and renames it to `target`. Fails with Io or DiskFull; `target` is then unchanged.
  Result<void> moveTo(const std::filesystem::path& target);

 private:
  StagedEntry(std::filesystem::path path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  template <typename Create>
  static Result<StagedEntry> make(const std::filesystem::path& prefix, const std::filesystem::path& wanted,
                                  Create create);

  std::filesystem::path path_;  // empty once moved
  FileDescriptor file_;         // locked
};

/// An output file being written as a StagedEntry, renamed by commit(). A stream is written directly. Not thread-safe.
class OutputFile {
 public:
  /// Fails as checkOutputFile, or with NotFound or Io.
  static Result<OutputFile> open(const std::filesystem::path& file, const OutputRule& rule);

  /// Fails with Io or DiskFull.
  Result<void> write(std::span<const std::byte> bytes);
  /// Syncs the file and renames it to the target. Fails with Io or DiskFull; the old file is then unchanged.
  Result<void> commit();

 private:
  OutputFile(FileDescriptor stream, std::filesystem::path target, std::optional<StagedEntry> staged)
      : stream_(std::move(stream)), target_(std::move(target)), staged_(std::move(staged)) {}

  FileDescriptor stream_;
  std::filesystem::path target_;
  std::optional<StagedEntry> staged_;  // nullopt for a stream
};

/// Opens the file, calls `write` once with a sink, and commits. Fails as OutputFile or `write` does.
Result<void> writeOutput(const std::filesystem::path& file, const OutputRule& rule,
                         const std::function<Result<void>(const FileSink&)>& write);
Result<void> writeOutput(const std::filesystem::path& file, const OutputRule& rule, std::string_view bytes);

/// Removes what killed processes left in `folder`: our hidden files whose names end in `mark` plus six letters or
/// digits, and folders with exactly such a name. Keeps entries that a live process has locked (flock).
void removeLeftovers(const std::filesystem::path& folder, std::string_view mark);

}  // namespace batchwise
