// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/moved_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "core/base/working_folder.h"
#include "core/data/file_identity.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSearchPhase = "looking for files that have moved";

using Contents = std::vector<RememberedFile>;  // states that a file had

bool finds(const fs::path& pattern, const fs::path& file) {
  const std::string wanted = pattern.lexically_normal().native();
  const std::string path = file.lexically_normal().native();
  return path == wanted || path.starts_with(wanted + "/") || ::fnmatch(wanted.c_str(), path.c_str(), 0) == 0;
}

/// What `pattern` once found, by path.
std::map<fs::path, Contents> rememberedFor(const fs::path& pattern, const std::vector<RememberedFile>& known) {
  std::map<fs::path, Contents> files;
  for (const RememberedFile& file : known)
    if (finds(pattern, file.path)) files[file.path].push_back(file);
  return files;
}

/// The one folder that the relative `pattern` can have started at to find what is remembered; empty: none, or several.
fs::path rememberedStart(const std::string& pattern, const std::vector<RememberedFile>& known) {
  fs::path start;
  for (const RememberedFile& file : known) {
    fs::path folder = file.path.parent_path();
    while (folder.has_relative_path() && !finds(folder / pattern, file.path)) folder = folder.parent_path();
    if (!folder.has_relative_path() || folder == start) continue;
    if (!start.empty()) return {};
    start = folder;
  }
  return start;
}

/// Plain files in `folder`, hidden ones and links to folders aside, within the bounds of the search.
std::vector<fs::path> filesAround(const fs::path& folder) {
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
        known_(identities_.remembered()),
        progress_(progress),
        stop_(std::move(stop)) {}

  Result<void> replace(const std::string& pattern, const Error& missing, FoundPatterns& found) {
    const bool anywhere = !baseKnown_ && fs::path(pattern).is_relative();
    const fs::path start = anywhere ? rememberedStart(pattern, known_) : base_;
    const auto once = start.empty() ? std::map<fs::path, Contents>() : rememberedFor(start / pattern, known_);
    if (once.empty()) return missing.within("it may have moved: name its new place with --set data.train=[...]");
    for (const auto& [path, contents] : once) {
      Result<fs::path> now = place(path, contents);
      if (!now.ok()) return now.error();
      found.patterns.push_back(now->native());
      if (anywhere)
        found.notes.push_back("'" + now->native() + "' is taken for '" + pattern + "', as before");
      else if (*now != path)
        found.notes.push_back("'" + path.native() + "' is gone; '" + now->native() +
                              "' has the same content and is taken");
    }
    return {};
  }

 private:
  /// Where it was, else around the folder that names start at, else around the folder that it was in.
  Result<fs::path> place(const fs::path& path, const Contents& contents) {
    if (const Result<bool> same = isOneOf(path, contents); !same.ok() || *same)
      return same.ok() ? Result<fs::path>(path) : same.error();
    const fs::path folder = path.parent_path();
    for (const fs::path& place : {base_, base_.parent_path(), folder, folder.parent_path()})
      for (const fs::path& file : around(place))
        if (const Result<bool> same = isOneOf(file, contents); !same.ok() || *same)
          return same.ok() ? Result<fs::path>(file) : same.error();
    return Error::notFound("'" + path.native() + "' is gone, and no file with its content is near '" + folder.native() +
                           "' or '" + base_.native() +
                           "'; put it back, or name its new place with --set data.train=[...]");
  }
  const std::vector<fs::path>& around(const fs::path& folder) {
    const auto [entry, isNew] = around_.try_emplace(folder);
    if (isNew) entry->second = filesAround(folder);
    return entry->second;
  }
  // Other files may still be readable.
  static bool endsTheSearch(const Error& error) {
    return error.code == ErrorCode::DiskFull || error.code == ErrorCode::Stopped;
  }
  Result<bool> isOneOf(const fs::path& file, const Contents& contents) {
    std::error_code unreadable;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(file, unreadable));
    const auto sameSize = [&](const RememberedFile& known) { return known.bytes == bytes; };
    if (unreadable || std::none_of(contents.begin(), contents.end(), sameSize)) return false;
    const auto tell = [this](std::int64_t done, std::int64_t total) {
      if (progress_) progress_({kSearchPhase, done, total});
    };
    const auto identity = identities_.of({file}, tell, stop_);
    if (!identity.ok()) return endsTheSearch(identity.error()) ? Result<bool>(identity.error()) : false;
    return std::any_of(contents.begin(), contents.end(),
                       [&](const RememberedFile& known) { return known.content == identity->front().content; });
  }

  const fs::path base_;
  const bool baseKnown_;
  FileIdentities identities_;
  const std::vector<RememberedFile> known_;
  std::map<fs::path, std::vector<fs::path>> around_;  // files that were found in a folder
  const ProgressFn& progress_;
  const std::stop_token stop_;
};

}  // namespace

Result<FoundPatterns> findMovedFiles(const std::vector<std::string>& patterns, const DataRequest& request,
                                     const ProgressFn& progress, std::stop_token stop) {
  FoundPatterns found;
  Search search(request, progress, std::move(stop));
  for (const std::string& pattern : patterns) {
    const auto files = findTextFiles({pattern}, request.baseFolder, request.format);
    if (files.ok()) {
      found.patterns.push_back(pattern);
      continue;
    }
    if (files.error().code != ErrorCode::NotFound) return files.error();
    if (auto replaced = search.replace(pattern, files.error(), found); !replaced.ok()) return replaced.error();
  }
  return found;
}

}  // namespace batchwise
