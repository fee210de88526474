// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// Imports an untrusted checkpoint file: writes it under a temporary name, and finish() verifies and renames it. The
/// destructor removes an unfinished file. Not thread-safe.
class CheckpointImporter {
 public:
  /// Fails with Io.
  static Result<CheckpointImporter> create(const std::filesystem::path& path);
  CheckpointImporter(CheckpointImporter&&) noexcept = default;
  CheckpointImporter& operator=(CheckpointImporter&&) = delete;
  ~CheckpointImporter();

  /// Fails with Io or DiskFull.
  Result<void> add(std::span<const std::byte> bytes);
  /// Fails as CheckpointReader::verify, or with Io.
  Result<void> finish();

 private:
  CheckpointImporter(std::filesystem::path path, std::filesystem::path beside, FileDescriptor file)
      : path_(std::move(path)), beside_(std::move(beside)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::filesystem::path beside_;
  FileDescriptor file_;
};

}  // namespace batchwise
