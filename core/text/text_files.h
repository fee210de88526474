// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/text/prepare_data.h"

namespace batchwise {

/// Returns the files that `patterns` match, absolute, unique, sorted by path. A pattern is a file, a folder (all files
/// below it whose names fit `format`, without hidden ones and links to folders) or a glob with * ? [] per path
/// component and ** for any depth; relative patterns start at `baseFolder`, whose own name is no pattern, and "~" at
/// the home folder. A component that names an entry is that entry, whatever characters it has. Appends a sentence to
/// `notes`, if given, when files are matched more than once. Fails with NotFound if a pattern matches nothing, Config
/// if it names something other than a regular file, or a folder that holds a DatasetDict of `datasets`.
Result<std::vector<std::filesystem::path>> findTextFiles(const std::vector<std::string>& patterns,
                                                         const std::filesystem::path& baseFolder, TextFormat format,
                                                         std::vector<std::string>* notes = nullptr);

/// Whether files of that name, also packed ones, are taken from a folder for `format`.
bool hasEndingOf(TextFormat format, const std::filesystem::path& file);

/// Returns the size of the file, or of all files, on disk; those that cannot be read count as empty.
std::int64_t sizeOnDisk(const std::filesystem::path& file);
std::int64_t sizeOnDisk(const std::vector<std::filesystem::path>& files);

struct ResolvedPatterns {
  std::vector<std::string> patterns;
  std::vector<std::string> notes;  ///< which file replaces which
};

/// Returns `patterns` (as in DataRequest::train), replacing those that match nothing by files of the same content. The
/// content is known from the cache; the search covers `request.baseFolder`, the folder a file was in, and their
/// parents, of at most 10,000 entries per folder and depth 3, and reads only files of equal size. `progress` reports
/// bytes read, from the calling thread. Fails with NotFound, Stopped on `stop`, or as findTextFiles().
Result<ResolvedPatterns> findMovedFiles(const std::vector<std::string>& patterns, const DataRequest& request,
                                        const ProgressFn& progress, std::stop_token stop);

}  // namespace batchwise
