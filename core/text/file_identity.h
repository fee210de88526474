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

struct FileIdentity {
  std::filesystem::path path;
  std::int64_t bytes = 0;
  std::int64_t modifiedNs = 0;  ///< last change of the content, nanoseconds since 1970; programs may set it
  std::int64_t changedNs = 0;   ///< last change of the file or its attributes, likewise; kept by the system alone
  std::uint64_t inode = 0;
  Hash128 content;

  /// Tells apart what readers find: the content, and how the name says that it is read.
  std::string readingKey() const;
};

struct HashOptions {
  std::int64_t from = 0;                                 ///< first byte
  std::function<void(std::int64_t bytes)> advance = {};  ///< called after each piece read
  std::stop_token stop = {};
};
/// Returns the hash of a file's bytes, read through a small buffer. Fails with NotFound, Io, or Stopped.
Result<Hash128> hashFile(const std::filesystem::path& path, const HashOptions& options);

/// Cached hash of a file read before, which may no longer exist.
struct CachedFileHash {
  std::filesystem::path path;
  std::int64_t bytes = 0;
  Hash128 content;
};

/// Hashes files and caches the hashes in a small JSON file, keyed by path, size, modification time and inode. A damaged
/// cache counts as empty; without a file nothing is kept. Not thread-safe.
class FileIdentities {
 public:
  explicit FileIdentities(std::filesystem::path cacheFile) : cacheFile_(std::move(cacheFile)) {}

  /// Returns identities in the order of `paths`. `progress(done, total)` reports bytes. Fails with NotFound, Io, or
  /// Stopped.
  Result<std::vector<FileIdentity>> of(const std::vector<std::filesystem::path>& paths,
                                       const std::function<void(std::int64_t, std::int64_t)>& progress,
                                       std::stop_token stop);

  /// Returns all cached entries.
  std::vector<CachedFileHash> cached();

 private:
  void load();
  Result<void> save() const;

  std::filesystem::path cacheFile_;
  std::map<std::string, CachedFileHash> known_;  // by cacheKey()
};

/// Fails with Config if a file no longer matches its entry in `identities`.
Result<void> checkUnchanged(const std::vector<FileIdentity>& identities);

}  // namespace batchwise
