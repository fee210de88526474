// SPDX-License-Identifier: GPL-3.0-or-later
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/return_if_error.h"
#include "core/base/working_folder.h"
#include "core/data/messages.h"
#include "core/data/text_source.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

std::span<const std::string_view> endingsOf(TextFormat format) {
  static constexpr std::array<std::string_view, 5> kText{".txt", ".text", ".md", ".raw", ".tokens"};
  static constexpr std::array<std::string_view, 2> kJsonl{".jsonl", ".ndjson"};
  if (format == TextFormat::Jsonl) return kJsonl;
  return kText;
}

bool fits(const fs::path& file, TextFormat format) {
  std::string_view name = file.native();
  if (name.ends_with(".gz")) name.remove_suffix(3);
  const auto endings = endingsOf(format);
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
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
  if (failure) return Error::fromErrno(failure.value(), messages::cannotReadFolder, folder.native());
  return {};
}

Result<std::vector<fs::path>> filesInFolder(const fs::path& folder, TextFormat format) {
  std::vector<fs::path> files;
  const auto walked = walk(folder, [&](const fs::path& path) {
    if (fits(path, format) && isRegularFile(path)) files.push_back(path);
  });
  if (!walked.ok()) return walked.error();
  if (files.empty())
    return Error::notFound(messages::folderLacksFilesOfFormat(folder.native(), textFormatName(format),
                                                              endingsText(format), (folder / "*").native()));
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
  if (failure) return Error::fromErrno(failure.value(), messages::cannotReadFolder, folder.native());
  return matches;
}

Result<std::vector<fs::path>> filesOfGlob(const fs::path& pattern) {
  std::vector<fs::path> paths{pattern.root_path()};
  for (const fs::path& part : pattern.relative_path()) {
    std::vector<fs::path> next;
    for (const fs::path& path : paths) {
      std::error_code unreadable;
      if (!isGlob(part.native())) {
        if (fs::exists(path / part, unreadable)) next.push_back(path / part);
      } else if (fs::is_directory(path, unreadable)) {
        ASSIGN_OR_RETURN(auto matches, matchPart(path, part.native()));
        next.insert(next.end(), matches.begin(), matches.end());
      }
    }
    paths = std::move(next);
  }
  std::erase_if(paths, [](const fs::path& path) { return !isRegularFile(path); });
  if (paths.empty()) return Error::notFound(messages::dataPatternMatchesNoFile(pattern.native()));
  return paths;
}

Result<std::vector<fs::path>> filesOfPattern(const fs::path& pattern, TextFormat format) {
  std::error_code failure;
  const fs::file_status status = fs::status(pattern, failure);
  if (status.type() == fs::file_type::not_found) {
    if (isGlob(pattern.native())) return filesOfGlob(pattern);
    return Error::notFound(messages::dataPathNotFound(pattern.native()));
  }
  if (failure) return Error::fromErrno(failure.value(), messages::cannotRead, pattern.native());
  if (fs::is_directory(status)) return filesInFolder(pattern, format);
  if (!fs::is_regular_file(status)) return Error::config(messages::dataPathIsSpecialFile(pattern.native()));
  return std::vector<fs::path>{pattern};
}

/// Returns a note about duplicates in `files` (sorted), empty if there are none.
Message duplicatesNote(const std::vector<fs::path>& files) {
  std::size_t repeated = 0;
  std::string example;
  for (auto first = files.begin(); first != files.end();) {
    const auto next = std::find_if(first, files.end(), [&](const fs::path& path) { return path != *first; });
    if (next - first > 1 && repeated++ == 0) example = messages::fileNamedSeveralTimes(first->native(), next - first);
    first = next;
  }
  if (repeated == 0) return {};
  if (repeated == 1) return messages::repeatedFileReadOnce(example);
  return messages::repeatedFilesReadOnce(repeated, example);
}

}  // namespace

std::string_view textFormatName(TextFormat format) {
  switch (format) {
    case TextFormat::Text: return "text";
    case TextFormat::Lines: return "lines";
    case TextFormat::Jsonl: return "jsonl";
  }
  return "text";
}

Result<TextFormat> textFormatFromName(std::string_view name) {
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl})
    if (name == textFormatName(format)) return format;
  return Error::config(messages::textFormatUnknown(name));
}

Result<std::vector<fs::path>> findTextFiles(const std::vector<std::string>& patterns, const fs::path& baseFolder,
                                            TextFormat format, std::vector<Message>* notes) {
  std::vector<fs::path> files;
  for (const std::string& pattern : patterns) {
    if (pattern.empty()) return Error::config(messages::dataPathIsEmpty());
    ASSIGN_OR_RETURN(auto found, filesOfPattern((absoluteFolder(baseFolder) / pattern).lexically_normal(), format));
    files.insert(files.end(), found.begin(), found.end());
  }
  std::sort(files.begin(), files.end());
  if (Message note = duplicatesNote(files); notes != nullptr && !note.empty()) notes->push_back(std::move(note));
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace batchwise
