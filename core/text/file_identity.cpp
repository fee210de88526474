// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/text/csv_row.h"
#include "core/text/text_check.h"
#include "core/text/text_source.h"

namespace batchwise {
namespace fs = std::filesystem;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hash128, high, low)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CachedFileHash, path, bytes, content)

namespace {

constexpr std::size_t kMaxCachedHashes = 100'000;
/// A file changed within this time may change again without a new time stamp (coarse clock ticks).
constexpr std::int64_t kSettledNs = 2'000'000'000;

std::int64_t nanoseconds(const struct timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Result<FileIdentity> inspect(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  FileIdentity identity;
  identity.path = path;
  identity.bytes = info.st_size;
  identity.modifiedNs = nanoseconds(info.st_mtim);
  identity.changedNs = nanoseconds(info.st_ctim);
  identity.inode = info.st_ino;
  return identity;
}

std::string cacheKey(const FileIdentity& identity) {
  return identity.path.native() + "|" + std::to_string(identity.bytes) + "|" + std::to_string(identity.changedNs) +
         "|" + std::to_string(identity.inode);
}

bool isSettled(const FileIdentity& identity) {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - identity.modifiedNs > kSettledNs;
}

}  // namespace

std::string FileIdentity::readingKey() const {
  return content.hex() + (isPacked(path) ? "z" : "t") + (csvSeparator(path) == '\t' ? "v" : "");
}

Result<Hash128> hashFile(const fs::path& path, const HashOptions& options) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  Hasher hasher;
  RETURN_IF_ERROR(forEachPiece(file, options.from, path, [&](std::span<const std::byte> piece) -> Result<void> {
    if (options.stop.stop_requested()) return stoppedWhileReading(path);
    hasher.update(piece);
    if (options.advance) options.advance(std::ssize(piece));
    return {};
  }));
  return hasher.digest();
}

Result<std::vector<FileIdentity>> FileIdentities::of(const std::vector<fs::path>& paths,
                                                     const std::function<void(std::int64_t, std::int64_t)>& progress,
                                                     std::stop_token stop) {
  load();
  std::vector<FileIdentity> identities;
  std::int64_t total = 0;
  for (const fs::path& path : paths) {
    ASSIGN_OR_RETURN(auto identity, inspect(path));
    total += identity.bytes;
    identities.push_back(std::move(identity));
  }
  bool changed = false;
  std::int64_t done = 0;
  for (FileIdentity& identity : identities) {
    const std::string key = cacheKey(identity);
    const auto cached = known_.find(key);
    if (cached != known_.end()) {
      identity.content = cached->second.content;
      done += identity.bytes;
      continue;
    }
    const auto advance = [&](std::int64_t bytes) { progress(done += bytes, total); };
    ASSIGN_OR_RETURN(const auto hash, hashFile(identity.path, {.advance = advance, .stop = stop}));
    identity.content = hash;
    if (isSettled(identity)) {
      known_[key] = {identity.path, identity.bytes, hash};
      changed = true;
    }
  }
  if (changed) RETURN_IF_ERROR(save());
  return identities;
}

std::vector<CachedFileHash> FileIdentities::cached() {
  load();
  std::vector<CachedFileHash> files;
  for (const auto& [key, file] : known_) files.push_back(file);
  return files;
}

void FileIdentities::load() {
  const auto text = readFile(cacheFile_);
  if (!text.ok()) return;
  try {
    known_ = parseJsonOrDiscarded(*text).get<decltype(known_)>();
  } catch (const nlohmann::json::exception&) {  // damaged: everything is hashed again
  }
}

Result<void> FileIdentities::save() const {
  if (cacheFile_.empty()) return {};
  nlohmann::json known = nlohmann::json::object();
  for (const auto& [key, value] : known_)
    if (known.size() < kMaxCachedHashes) known[key] = value;
  // A path that is not valid UTF-8 is stored damaged and so not found again; its file is then hashed each time.
  return writeFileAtomically(cacheFile_, known.dump(0, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<void> checkUnchanged(const std::vector<FileIdentity>& identities) {
  for (const FileIdentity& identity : identities) {
    ASSIGN_OR_RETURN(const auto now, inspect(identity.path));
    if (cacheKey(now) != cacheKey(identity))
      return Error::config(formatText("'{}' changed while it was being prepared; start again once it is complete",
                                      identity.path.native()));
  }
  return {};
}

}  // namespace batchwise
