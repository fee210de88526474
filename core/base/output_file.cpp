// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string>

#include "core/base/format.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

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

}  // namespace

bool isStream(const fs::path& file) {
  std::error_code unknown;
  const fs::file_status status = fs::status(file, unknown);
  return openStreamOf(file) >= 0 || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

Result<void> checkOutsideWorkspaces(const fs::path& path) {
  std::error_code unknown;
  for (fs::path folder = fs::weakly_canonical(path, unknown); folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / "workspace.sqlite", unknown))
      return Error::config(
          formatText("'{}' lies in the workspace '{}'; choose a place elsewhere", path.native(), folder.native()));
  return {};
}

Result<void> checkOutputFile(const fs::path& file, Replaces replaces) {
  std::error_code unknown;
  if (fs::is_block_file(file, unknown))
    return Error::config(formatText("'{}' is a device that holds a file system; name a file", file.native()));
  if (isStream(file)) return {};
  const fs::file_type type = fs::symlink_status(file, unknown).type();
  if (fs::is_directory(file, unknown)) return Error::config(formatText("'{}' is a folder; name a file", file.native()));
  RETURN_IF_ERROR(checkOutsideWorkspaces(file));
  if (replaces == Replaces::AnyFiles || type == fs::file_type::not_found) return {};
  return Error::config(formatText("'{}' exists; name another file, or replace it with --force", file.native()));
}

Result<OutputFile> OutputFile::open(const fs::path& file, Replaces replaces) {
  RETURN_IF_ERROR(checkOutputFile(file, replaces));
  if (isStream(file)) {
    const int stream = openStreamOf(file);
    FileDescriptor opened{stream >= 0 ? ::fcntl(stream, F_DUPFD_CLOEXEC, 0)
                                      : ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
    if (!opened.valid()) return Error::fromErrno(errno, "cannot write '{}'", file.native());
    return OutputFile(file, std::move(opened), std::nullopt);
  }
  std::error_code missing;
  const fs::path target = fs::canonical(file, missing);
  ASSIGN_OR_RETURN(auto replacement, FileReplacement::open(missing ? file : target));
  return OutputFile(file, {}, std::move(replacement));
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  return replacement_ ? replacement_->write(bytes) : writeAll(stream_, bytes, path_);
}

Result<void> OutputFile::commit() {
  return replacement_ ? replacement_->commit() : Result<void>{};
}

std::optional<fs::path> OutputFile::unfinishedFile() const {
  return replacement_ ? std::optional(replacement_->unfinishedFile()) : std::nullopt;
}

Result<void> writeOutput(const fs::path& file, Replaces replaces,
                         const std::function<Result<void>(const FileSink&)>& write) {
  ASSIGN_OR_RETURN(auto output, OutputFile::open(file, replaces));
  const auto written = write([&](std::span<const std::byte> bytes) { return output.write(bytes); });
  return written.ok() ? output.commit() : written;
}

Result<void> writeOutput(const fs::path& file, Replaces replaces, std::string_view bytes) {
  return writeOutput(file, replaces, [bytes](const FileSink& sink) { return sink(std::as_bytes(std::span(bytes))); });
}

}  // namespace batchwise
