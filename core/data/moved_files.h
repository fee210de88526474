// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/prepare_data.h"

namespace batchwise {

/// Entries that are looked at in a search for files that have moved, and how deep it goes.
constexpr int kMovedSearchEntries = 10'000;
constexpr int kMovedSearchDepth = 3;

struct FoundPatterns {
  std::vector<std::string> patterns;
  std::vector<std::string> notes;  ///< which file was taken for which
};

/// `patterns` (files, folders, globs, as DataRequest::train), with files of the same content in place of those that
/// find nothing any more. What they held is known from the cache; the search goes through `request.baseFolder`, the
/// folder that a file was in, and the parents of both, bounded as above, and reads only files of the right size. An
/// empty `request.baseFolder`, as runs of earlier versions have it, is not known: relative names are then looked for
/// wherever the cache saw them. Fails with NotFound, saying what would do, or as
/// findTextFiles(). `progress` is told, from this thread, how much of a file that may be one of them has been read;
/// fails with Stopped on `stop`.
Result<FoundPatterns> findMovedFiles(const std::vector<std::string>& patterns, const DataRequest& request,
                                     const ProgressFn& progress, std::stop_token stop);

}  // namespace batchwise
