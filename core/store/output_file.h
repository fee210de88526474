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

// Files that a person asked for: tables, charts, reports, archives, configurations. Every command and every export of
// the window writes them through here.

/// What an export may take the place of.
enum class Replaces {
  OwnFiles,  ///< a file that an export of the same kind wrote
  AnyFiles,  ///< any regular file: the person said so
};

/// The rule of an output file.
struct OutputRule {
  Replaces replaces = Replaces::OwnFiles;
  std::string mark;                 ///< text at the start of a file of this kind that we wrote; empty: there is none
  std::filesystem::path workspace;  ///< the one at hand: its files are recognised under other names, too
};

/// In every HTML, SVG and YAML file that we write.
inline constexpr std::string_view kGeneratorMark = "Generator: Batchwise";

/// The first line of a table that is written as CSV: a file that begins with it is an earlier export of the same
/// values.
std::string csvMark(std::string_view csv);

/// Whether writing to `file` sends bytes to somebody who reads: a pipe, a device, an open stream such as /dev/stdout.
bool isStream(const std::filesystem::path& file);

/// The file that an export to `file` replaces or makes: `file` itself, or what it links to. Fails with Config if it
/// lies in a workspace (also by a link or as another name of one of its files), is a folder, or is there and `rule`
/// does not allow to replace it; a link is followed only with AnyFiles. Streams always pass.
Result<std::filesystem::path> checkOutputFile(const std::filesystem::path& file, const OutputRule& rule);

/// Fails with Config if `folder` is a workspace or lies in one.
Result<void> checkOutputFolder(const std::filesystem::path& folder);

/// An output file that is being written. It is written beside its place as ".NAME.partial-XXXXXX" and renamed by
/// commit(); without commit() nothing is left behind. What a killed export left in the folder is removed by the next
/// one. A stream is written directly. Any thread, one at a time.
class OutputFile {
 public:
  /// Fails as checkOutputFile, or with NotFound, Io.
  static Result<OutputFile> open(const std::filesystem::path& file, const OutputRule& rule);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Fails with Io, DiskFull.
  Result<void> write(std::span<const std::byte> bytes);
  /// Syncs and puts the file into its place. Fails with Io, DiskFull; then the old file is untouched.
  Result<void> commit();

 private:
  OutputFile(FileDescriptor file, std::filesystem::path target, std::filesystem::path partial)
      : file_(std::move(file)), target_(std::move(target)), partial_(std::move(partial)) {}

  FileDescriptor file_;
  std::filesystem::path target_;
  std::filesystem::path partial_;  // empty: a stream
};

/// Opens, calls `write` once with a sink, and commits. Fails as OutputFile, or as `write`.
Result<void> writeOutput(const std::filesystem::path& file, const OutputRule& rule,
                         const std::function<Result<void>(const FileSink&)>& write);
Result<void> writeOutput(const std::filesystem::path& file, const OutputRule& rule, std::string_view bytes);

/// A hidden folder for what is on its way into `parent`, on the same disk: "MARKXXXXXX". It goes with what is left in
/// it; what a killed program left is removed by the next one with the same mark. Any thread, one at a time.
class StagingFolder {
 public:
  /// `mark` begins with ".batchwise-": folders of that name are removed. Fails with Io, DiskFull.
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

/// Removes what killed programs left in `folder`: hidden files of ours whose name ends in `mark` and six letters or
/// digits, folders whose whole name is that. Entries that a living process has locked (flock) stay.
void removeLeftovers(const std::filesystem::path& folder, std::string_view mark);

}  // namespace batchwise
