// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/text/file_identity.h"
#include "core/text/text_source.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

std::span<const std::string_view> endingsOf(TextFormat format) {
  static constexpr std::array<std::string_view, 5> kText{".txt", ".text", ".md", ".raw", ".tokens"};
  static constexpr std::array<std::string_view, 2> kJsonl{".jsonl", ".ndjson"};
  static constexpr std::array<std::string_view, 2> kCsv{".csv", ".tsv"};
  if (format == TextFormat::Jsonl) return kJsonl;
  static constexpr std::array<std::string_view, 4> kParquet{".parquet", ".pq", ".arrow", ".feather"};
  static constexpr std::array<std::string_view, 1> kMds{".mds"};
  if (format == TextFormat::Csv) return kCsv;
  if (format == TextFormat::Parquet) return kParquet;
  if (format == TextFormat::Mds) return kMds;
  return kText;
}

std::string endingsText(TextFormat format) {
  std::string text;
  for (const std::string_view ending : endingsOf(format)) text.append(text.empty() ? "" : ", ").append(ending);
  return text;
}

bool isHidden(const fs::path& path) {
  return path.filename().native().starts_with('.');
}
bool isGlob(std::string_view part) {
  return part.find_first_of("*?[") != std::string_view::npos;
}

bool isRegularFile(const fs::path& path) {
  std::error_code unreadable;  // broken and circular links are no regular files
  return fs::is_regular_file(path, unreadable);
}

/// Calls visit(path) for everything below `folder` except hidden entries; does not follow links to folders.
template <typename Visit>
Result<void> walk(const fs::path& folder, const Visit& visit) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  while (!failure && entry != fs::recursive_directory_iterator()) {
    if (isHidden(entry->path())) {
      entry.disable_recursion_pending();
    } else {
      visit(entry->path());
    }
    entry.increment(failure);
  }
  if (failure) return Error::fromErrno(failure.value(), "cannot read the folder '{}'", folder.native());
  return {};
}

constexpr const char* kSavedSplits = "dataset_dict.json";  // of `datasets`, beside a folder for each split

Error severalSplits(const fs::path& folder) {
  constexpr std::int64_t kMostBytes = 1 << 20;
  const auto text = readFile(folder / kSavedSplits, kMostBytes);
  const auto saved = text.ok() ? parseJsonOrDiscarded(*text) : nlohmann::json();
  std::vector<std::string> names;
  if (saved.is_object() && saved.contains("splits") && saved["splits"].is_array())
    for (const nlohmann::json& name : saved["splits"])
      if (name.is_string()) names.push_back(name.get<std::string>());
  return Error::config(formatText(
      "the folder '{}' is a saved DatasetDict{}, and all of it together would be read; name the folder of one split, "
      "such as '{}'",
      folder.native(), names.empty() ? "" : " with the splits " + joined(names),
      (folder / (names.empty() ? "train" : names.front())).native()));
}

Result<std::vector<fs::path>> filesInFolder(const fs::path& folder, TextFormat format) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  fs::path splits = fs::exists(folder / kSavedSplits, unreadable) ? folder : fs::path();
  const auto walked = walk(folder, [&](const fs::path& path) {
    if (hasEndingOf(format, path) && isRegularFile(path)) files.push_back(path);
    if (format == TextFormat::Parquet && path.filename() == kSavedSplits) splits = path.parent_path();
  });
  if (!walked.ok()) return walked.error();
  if (!splits.empty()) return severalSplits(splits);
  if (files.empty())
    return Error::notFound(formatText(
        "the folder '{}' has no file for the format '{}' ({}, also with .gz or .zst); name other files with a "
        "pattern such as '{}'",
        folder.native(), choiceName(format), endingsText(format), (folder / "*").native()));
  return files;
}

/// Returns the entries of `folder` that match one path component of a pattern.
Result<std::vector<fs::path>> matchPart(const fs::path& folder, const std::string& part) {
  std::vector<fs::path> matches;
  if (part == "**") {
    matches.push_back(folder);
    const auto walked = walk(folder, [&](const fs::path& path) {
      std::error_code unreadable;
      if (fs::is_directory(path, unreadable) && !fs::is_symlink(path, unreadable)) matches.push_back(path);
    });
    if (!walked.ok()) return walked.error();
    return matches;
  }
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure))
    if (::fnmatch(part.c_str(), entry->path().filename().c_str(), FNM_PERIOD) == 0) matches.push_back(entry->path());
  if (failure) return Error::fromErrno(failure.value(), "cannot read the folder '{}'", folder.native());
  return matches;
}

/// What a user wrote, and the folder where it starts, whose own name is no pattern: it may be "[work]".
struct Pattern {
  fs::path base;
  fs::path written;

  Pattern(const fs::path& folder, const std::string& text)
      : base(absoluteFolder(folder)), written(expandedHome(text).lexically_normal()) {
    if (text.starts_with('~') && written.is_absolute()) {  // the home folder is no pattern either
      fs::path home = expandedHome("~/.").parent_path().lexically_normal();
      if (!home.has_filename()) home = home.parent_path();
      written = written.lexically_relative(home);
      base = home;
    }
    for (; written.begin() != written.end() && *written.begin() == ".."; written = written.lexically_relative(".."))
      base = base.parent_path();
    if (written.is_absolute()) base = written.root_path();
  }
  fs::path whole() const { return (base / written).lexically_normal(); }
  /// Returns the parts of what was written; at its end, "**" stands for all files below, too.
  std::vector<fs::path> parts() const {
    const fs::path relative = written.relative_path();
    std::vector<fs::path> all(relative.begin(), relative.end());
    if (!all.empty() && all.back() == "**") all.emplace_back("*");
    return all;
  }
};

Result<std::vector<fs::path>> filesOfGlob(const Pattern& pattern) {
  std::vector<fs::path> paths{pattern.base};
  for (const fs::path& part : pattern.parts()) {
    std::vector<fs::path> next;
    for (const fs::path& path : paths) {
      std::error_code unreadable;
      if (fs::exists(path / part, unreadable)) {  // a name, even if it looks like a pattern
        next.push_back(path / part);
      } else if (!isGlob(part.native())) {
        continue;
      } else if (fs::is_directory(path, unreadable)) {
        ASSIGN_OR_RETURN(auto matches, matchPart(path, part.native()));
        next.insert(next.end(), matches.begin(), matches.end());
      }
    }
    paths = std::move(next);
  }
  std::erase_if(paths, [](const fs::path& path) { return !isRegularFile(path); });
  if (paths.empty()) return Error::notFound(formatText("no file matches the pattern '{}'", pattern.whole().native()));
  return paths;
}

Result<std::vector<fs::path>> filesOfPattern(const Pattern& pattern, TextFormat format) {
  std::error_code failure;
  const fs::path whole = pattern.whole();
  const fs::file_status status = fs::status(whole, failure);
  if (status.type() == fs::file_type::not_found) {
    if (isGlob(pattern.written.native())) return filesOfGlob(pattern);
    return Error::notFound(formatText("there is no file or folder '{}'", whole.native()));
  }
  if (failure) return Error::fromErrno(failure.value(), "cannot read '{}'", whole.native());
  if (fs::is_directory(status)) return filesInFolder(whole, format);
  if (!fs::is_regular_file(status))
    return Error::config(
        formatText("'{}' is a pipe, socket or device; a regular file or a folder is needed", whole.native()));
  return std::vector<fs::path>{whole};
}

/// Returns a note about duplicates in `files` (sorted), empty if there are none.
std::string duplicatesNote(const std::vector<fs::path>& files) {
  std::size_t repeated = 0;
  std::string example;
  for (auto first = files.begin(); first != files.end();) {
    const auto next = std::find_if(first, files.end(), [&](const fs::path& path) { return path != *first; });
    if (next - first > 1 && repeated++ == 0)
      example = formatText("'{}' is named {} times", first->native(), next - first);
    first = next;
  }
  if (repeated == 0) return {};
  if (repeated == 1) return formatText("{}; it is read once", example);
  return formatText("{} files are named more than once ({}); each is read once", repeated, example);
}

/// Limits of the search for moved files: directory entries per folder, and depth.
constexpr int kMovedSearchEntries = 10'000;
constexpr int kMovedSearchDepth = 3;

using Contents = std::vector<CachedFileHash>;  // known states of one file

/// Returns whether the parts of a path are what those of a pattern stand for, "**" for any number of folders.
bool matchParts(std::span<const fs::path> pattern, std::span<const fs::path> path) {
  if (pattern.empty()) return path.empty();
  const fs::path& part = pattern.front();
  if (part != "**")
    return !path.empty() && (part == path.front() || ::fnmatch(part.c_str(), path.front().c_str(), FNM_PERIOD) == 0) &&
           matchParts(pattern.subspan(1), path.subspan(1));
  for (;; path = path.subspan(1)) {
    if (matchParts(pattern.subspan(1), path)) return true;
    if (path.empty() || isHidden(path.front())) return false;
  }
}

/// Returns whether findTextFiles() would find the file by the pattern.
bool matches(const Pattern& pattern, const fs::path& file, TextFormat format) {
  const std::string whole = pattern.whole().native();
  const std::string path = file.lexically_normal().native();
  if (path == whole) return true;
  if (path.starts_with(whole + "/")) return hasEndingOf(format, file);
  const fs::path below = fs::path(path).lexically_relative(pattern.base);  // begins with ".." if it is elsewhere
  return matchParts(pattern.parts(), std::vector<fs::path>(below.begin(), below.end()));
}

/// Returns the cached entries that match `pattern`, by path.
std::map<fs::path, Contents> cachedMatches(const Pattern& pattern, const std::vector<CachedFileHash>& known,
                                           TextFormat format) {
  std::map<fs::path, Contents> files;
  for (const CachedFileHash& file : known)
    if (matches(pattern, file.path, format)) files[file.path].push_back(file);
  return files;
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

class MovedFileSearch {
 public:
  MovedFileSearch(const DataRequest& request, const ProgressFn& progress, std::stop_token stop)
      : base_(absoluteFolder(request.baseFolder)),
        format_(request.format),
        identities_(request.cacheFolder / "files.json"),
        known_(identities_.cached()),
        progress_(progress),
        stop_(std::move(stop)) {}

  Result<void> replace(const std::string& pattern, const Error& missing, ResolvedPatterns& found) {
    const auto once = cachedMatches({base_, pattern}, known_, format_);
    if (once.empty()) return missing.within("it may have moved: name its new place in data.train");
    for (const auto& [path, contents] : once) {
      ASSIGN_OR_RETURN(auto now, place(path, contents));
      found.patterns.push_back(now.native());
      if (now != path)
        found.notes.push_back(
            formatText("'{}' is gone; '{}' has the same content and is used instead", path.native(), now.native()));
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
    return Error::notFound(
        formatText("'{}' is missing, and no file with its content was found near '{}' or '{}'; put it back, or name "
                   "its new place in data.train",
                   path.native(), folder.native(), base_.native()));
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
      if (progress_) progress_({"looking for files that have moved", done, total});
    };
    const auto identity = identities_.of({file}, report, stop_);
    if (!identity.ok()) return isFatal(identity.error()) ? Result<bool>(identity.error()) : false;
    return std::any_of(contents.begin(), contents.end(),
                       [&](const CachedFileHash& known) { return known.content == identity->front().content; });
  }

  const fs::path base_;
  const TextFormat format_;
  FileIdentities identities_;
  const std::vector<CachedFileHash> known_;
  std::map<fs::path, std::vector<fs::path>> filesNear_;  // files found below a folder
  const ProgressFn& progress_;
  const std::stop_token stop_;
};

}  // namespace

bool hasEndingOf(TextFormat format, const fs::path& file) {
  const bool isTable = format == TextFormat::Parquet;
  if (isTable && file.filename().native().starts_with("cache-"))
    return false;  // what `datasets` keeps beside its files
  const std::string_view name = isTable ? std::string_view(file.native()) : unpackedName(file);
  return std::ranges::any_of(endingsOf(format), [&](std::string_view ending) { return name.ends_with(ending); });
}

std::int64_t sizeOnDisk(const fs::path& file) {
  std::error_code unknown;
  const auto bytes = fs::file_size(file, unknown);
  return unknown ? 0 : static_cast<std::int64_t>(bytes);
}

std::int64_t sizeOnDisk(const std::vector<fs::path>& files) {
  std::int64_t bytes = 0;
  for (const fs::path& file : files) bytes += sizeOnDisk(file);
  return bytes;
}

Result<std::vector<fs::path>> findTextFiles(const std::vector<std::string>& patterns, const fs::path& baseFolder,
                                            TextFormat format, std::vector<std::string>* notes) {
  std::vector<fs::path> files;
  for (const std::string& pattern : patterns) {
    if (pattern.empty()) return Error::config("a name is empty; give a file, a folder or a pattern");
    ASSIGN_OR_RETURN(auto found, filesOfPattern(Pattern(baseFolder, pattern), format));
    files.insert(files.end(), found.begin(), found.end());
  }
  std::sort(files.begin(), files.end());
  if (std::string note = duplicatesNote(files); notes != nullptr && !note.empty()) notes->push_back(std::move(note));
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

Result<ResolvedPatterns> findMovedFiles(const std::vector<std::string>& patterns, const DataRequest& request,
                                        const ProgressFn& progress, std::stop_token stop) {
  ResolvedPatterns found;
  MovedFileSearch search(request, progress, std::move(stop));
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
