// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>

#include "core/base/file.h"
#include "core/base/result.h"

namespace batchwise {

/// Takes in a checkpoint file from elsewhere, byte by byte: written beside its name and, once complete and verified as
/// a file of unknown origin, renamed. One thread at a time. One that is destroyed before finish() leaves nothing
/// behind.
class CheckpointIntake {
 public:
  /// Fails with Io.
  static Result<CheckpointIntake> create(const std::filesystem::path& path);
  CheckpointIntake(CheckpointIntake&&) noexcept = default;
  CheckpointIntake& operator=(CheckpointIntake&&) = delete;
  ~CheckpointIntake();

  /// Fails with Io or DiskFull.
  Result<void> add(std::span<const std::byte> bytes);
  /// Fails as CheckpointReader::verify, or with Io.
  Result<void> finish();

 private:
  CheckpointIntake(std::filesystem::path path, std::filesystem::path beside, FileDescriptor file)
      : path_(std::move(path)), beside_(std::move(beside)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::filesystem::path beside_;
  FileDescriptor file_;
};

}  // namespace batchwise
