// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// A file mapped read-only into memory; pages are read when touched and may be dropped by the system. Move-only.
/// Reading from it is safe from any thread, whatever becomes of the file. The rule for readers: read, call intact(),
/// and use what was read only if that succeeds. Between the two the bytes may be anything (zeros for pages that are
/// gone), so an index that comes from the file is checked before use.
///
/// Why a mapping and not reads: token caches and length tables of 100 GB are read in random places by several threads,
/// where a system call per sample would cost more than the sample. Touching a page that is gone (the file was cut, a
/// server or a disk failed) raises SIGBUS; the first open() installs one handler for the process, which puts zeros in
/// the place of such pages if they belong to a MappedFile, and notes that. Everything else goes to the handler that was
/// there before. The handler takes no lock and allocates nothing. intact() also looks at the size and the time of the
/// last change, so that a file that was cut or written anew without any page being missed is found too.
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

  /// Whether all that was read so far is what the file held when it was opened. Fails with Corrupt, naming the file,
  /// and then always. One system call; any thread.
  Result<void> intact() const;

  struct Guarded;  ///< what the signal handler knows of a mapping

 private:
  std::span<const std::byte> bytes_;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::int64_t changedNs_ = 0;
  Guarded* guarded_ = nullptr;
};

}  // namespace batchwise
