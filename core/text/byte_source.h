// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace batchwise {

/// Sequential reader of a regular file in bounded memory; decompresses files whose names end in .gz. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the start of `buffer` and returns the number of bytes, 0 only at the end. Fails with Io, or Corrupt for
  /// damaged gzip data.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
  /// Skips `bytes` >= 0. Fails like read(), or with Corrupt if the file ends first.
  virtual Result<void> skip(std::int64_t bytes) = 0;
  /// Returns the bytes read or skipped in the file itself (compressed size for .gz).
  virtual std::int64_t fileBytesRead() const = 0;
};

/// Opens `path`. Fails with NotFound, Io, or Config if it is a folder, pipe or device.
Result<std::unique_ptr<ByteSource>> openByteSource(const std::filesystem::path& path);

}  // namespace batchwise
