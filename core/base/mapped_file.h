// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/result.h"

namespace batchwise {

/// A file mapped read-only into memory; pages are read when touched and may be dropped by the system. Move-only.
/// Reading from it is safe from any thread. A file that shrinks while mapped ends the process with SIGBUS: map only
/// files that are replaced by rename, never rewritten in place.
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

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace batchwise
