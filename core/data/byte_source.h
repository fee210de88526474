// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace batchwise {

/// The bytes of a regular file, unpacked if its name ends in .gz, in order and in small memory. Zeros behind packed
/// data are padding. One thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the start of `buffer`; the number of bytes, 0 only at the end. Fails with Io, or Corrupt for bad gzip data.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
  /// Goes forward by `bytes` (>= 0). Fails like read, or with Corrupt if the end comes first.
  virtual Result<void> skip(std::int64_t bytes) = 0;
  /// Bytes taken from the file itself, skipped ones included.
  virtual std::int64_t fileBytesRead() const = 0;
};

/// Fails with NotFound, Io, or Config if `path` is a folder, a pipe or a device (which is not opened for reading).
Result<std::unique_ptr<ByteSource>> openBytes(const std::filesystem::path& path);

}  // namespace batchwise
