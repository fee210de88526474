// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"

namespace batchwise {

/// A text file as it was when its content was hashed.
struct FileIdentity {
  std::filesystem::path path;
  std::int64_t bytes = 0;
  std::int64_t modifiedNs = 0;  ///< time of the last change, nanoseconds since 1970
  std::uint64_t inode = 0;
  Hash128 content;
};

/// What is remembered of a file that was read once, and may be gone.
struct RememberedFile {
  std::filesystem::path path;
  std::int64_t bytes = 0;
  Hash128 content;
};

/// Hashes files and remembers the answers in a small file, for as long as path, size, time of change and inode stay. A
/// damaged memory counts as an empty one. One thread at a time.
class FileIdentities {
 public:
  explicit FileIdentities(std::filesystem::path memory) : memory_(std::move(memory)) {}

  /// Identities of `paths`, in order. `progress(done, total)` in bytes. Fails with NotFound, Io, or Stopped.
  Result<std::vector<FileIdentity>> of(const std::vector<std::filesystem::path>& paths,
                                       const std::function<void(std::int64_t, std::int64_t)>& progress,
                                       std::stop_token stop);

  /// Everything that is remembered.
  std::vector<RememberedFile> remembered();

 private:
  void load();
  Result<void> save() const;

  std::filesystem::path memory_;
  std::map<std::string, std::string> known_;  // what identifies a state of a file -> hexadecimal hash
};

/// Fails with Config if a file is not any more what `identities` say.
Result<void> checkUnchanged(const std::vector<FileIdentity>& identities);

}  // namespace batchwise
