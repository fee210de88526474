// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// A file mapped read-only into memory. Move-only. Thread-safe reads, even if the file is truncated meanwhile. Readers
/// must read, then call intact(), and use the data only if it succeeds; until then the bytes may be arbitrary (zeros
/// for missing pages), so an index from the file must be checked before use.
/// A mapping instead of reads, because token caches and length tables of 100 GB are read at random places by several
/// threads, where a system call per sample would cost more than the sample.
/// Touching a missing page (truncated file, failed server or disk) raises SIGBUS. The first open() installs a
/// process-wide handler that maps zeros in place of such pages of a MappedFile and marks it as damaged; other faults go
/// to the previous handler. The handler takes no lock and allocates nothing. intact() also compares size and
/// modification time, to detect a file that was truncated or rewritten without a missing page.
class MappedFile {
 public:
  /// Fails with NotFound or Io. An empty file maps to an empty span.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Verifies that everything read so far is what the file held when it was opened. Fails with Corrupt, naming the
  /// file; once failed, always fails. One system call. Thread-safe.
  Result<void> intact() const;

  struct Mapping;  ///< the signal handler's record of a mapping

 private:
  std::span<const std::byte> bytes_;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::int64_t changedNs_ = 0;
  Mapping* mapping_ = nullptr;
};

}  // namespace batchwise
