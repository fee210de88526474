// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/moved_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "core/base/return_if_error.h"
#include "core/base/working_folder.h"
#include "core/data/file_identity.h"
#include "core/data/messages.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Contents = std::vector<CachedFileHash>;  // known states of one file

bool matches(const fs::path& pattern, const fs::path& file) {
  const std::string wanted = pattern.lexically_normal().native();
  const std::string path = file.lexically_normal().native();
  return path == wanted || path.starts_with(wanted + "/") || ::fnmatch(wanted.c_str(), path.c_str(), 0) == 0;
}

/// Returns the cached entries that match `pattern`, by path.
std::map<fs::path, Contents> cachedMatches(const fs::path& pattern, const std::vector<CachedFileHash>& known) {
  std::map<fs::path, Contents> files;
  for (const CachedFileHash& file : known)
    if (matches(pattern, file.path)) files[file.path].push_back(file);
  return files;
}

/// Returns the only folder relative to which `pattern` matches cached files; empty if there is none or more than one.
fs::path cachedBaseFolder(const std::string& pattern, const std::vector<CachedFileHash>& known) {
  fs::path start;
  for (const CachedFileHash& file : known) {
    fs::path folder = file.path.parent_path();
    while (folder.has_relative_path() && !matches(folder / pattern, file.path)) folder = folder.parent_path();
    if (!folder.has_relative_path() || folder == start) continue;
    if (!start.empty()) return {};
    start = folder;
  }
  return start;
}

/// Returns regular files below `folder`, sorted, without hidden ones and links to folders, within the search limits.
std::vector<fs::path> listFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  for (int seen = 0; !failure && entry != fs::recursive_directory_iterator() && seen < kMovedSearchEntries; ++seen) {
    std::error_code unreadable;
    const bool hidden = entry->path().filename().native().starts_with('.');
    if (hidden || entry.depth() + 1 >= kMovedSearchDepth) entry.disable_recursion_pending();
    if (!hidden && entry->is_regular_file(unreadable)) files.push_back(entry->path());
    entry.increment(failure);
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Search {
 public:
  Search(const DataRequest& request, const ProgressFn& progress, std::stop_token stop)
      : base_(absoluteFolder(request.baseFolder)),
        baseKnown_(!request.baseFolder.empty()),
        identities_(request.cacheFolder / "files.json"),
        known_(identities_.cached()),
        progress_(progress),
        stop_(std::move(stop)) {}

  Result<void> replace(const std::string& pattern, const Error& missing, ResolvedPatterns& found) {
    const bool anywhere = !baseKnown_ && fs::path(pattern).is_relative();
    const fs::path start = anywhere ? cachedBaseFolder(pattern, known_) : base_;
    const auto once = start.empty() ? std::map<fs::path, Contents>() : cachedMatches(start / pattern, known_);
    if (once.empty()) return missing.within(messages::dataMayHaveMoved());
    for (const auto& [path, contents] : once) {
      ASSIGN_OR_RETURN(auto now, place(path, contents));
      found.patterns.push_back(now.native());
      if (anywhere)
        found.notes.push_back(messages::movedFileUsedAgain(now.native(), pattern));
      else if (now != path)
        found.notes.push_back(messages::movedFileHasSameContent(path.native(), now.native()));
    }
    return {};
  }

 private:
  /// Searches the original path, then the base folder and its parent, then the original folder and its parent.
  Result<fs::path> place(const fs::path& path, const Contents& contents) {
    if (const Result<bool> same = isOneOf(path, contents); !same.ok() || *same)
      return same.ok() ? Result<fs::path>(path) : same.error();
    const fs::path folder = path.parent_path();
    for (const fs::path& place : {base_, base_.parent_path(), folder, folder.parent_path()})
      for (const fs::path& file : filesNear(place))
        if (const Result<bool> same = isOneOf(file, contents); !same.ok() || *same)
          return same.ok() ? Result<fs::path>(file) : same.error();
    return Error::notFound(messages::dataFileGone(path.native(), folder.native(), base_.native()));
  }
  const std::vector<fs::path>& filesNear(const fs::path& folder) {
    const auto [entry, isNew] = filesNear_.try_emplace(folder);
    if (isNew) entry->second = listFiles(folder);
    return entry->second;
  }
  // On other errors further files may still be readable.
  static bool isFatal(const Error& error) {
    return error.code == ErrorCode::DiskFull || error.code == ErrorCode::Stopped;
  }
  Result<bool> isOneOf(const fs::path& file, const Contents& contents) {
    std::error_code unreadable;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(file, unreadable));
    const auto sameSize = [&](const CachedFileHash& known) { return known.bytes == bytes; };
    if (unreadable || std::none_of(contents.begin(), contents.end(), sameSize)) return false;
    const auto report = [this](std::int64_t done, std::int64_t total) {
      if (progress_) progress_({messages::searchingMovedFilesPhase(), done, total});
    };
    const auto identity = identities_.of({file}, report, stop_);
    if (!identity.ok()) return isFatal(identity.error()) ? Result<bool>(identity.error()) : false;
    return std::any_of(contents.begin(), contents.end(),
                       [&](const CachedFileHash& known) { return known.content == identity->front().content; });
  }

  const fs::path base_;
  const bool baseKnown_;
  FileIdentities identities_;
  const std::vector<CachedFileHash> known_;
  std::map<fs::path, std::vector<fs::path>> filesNear_;  // files found below a folder
  const ProgressFn& progress_;
  const std::stop_token stop_;
};

}  // namespace

Result<ResolvedPatterns> findMovedFiles(const std::vector<std::string>& patterns, const DataRequest& request,
                                        const ProgressFn& progress, std::stop_token stop) {
  ResolvedPatterns found;
  Search search(request, progress, std::move(stop));
  for (const std::string& pattern : patterns) {
    const auto files = findTextFiles({pattern}, request.baseFolder, request.format);
    if (files.ok()) {
      found.patterns.push_back(pattern);
      continue;
    }
    if (files.error().code != ErrorCode::NotFound) return files.error();
    RETURN_IF_ERROR(search.replace(pattern, files.error(), found));
  }
  return found;
}

}  // namespace batchwise
