// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/prepare_data.h"

namespace batchwise {

/// Limits of the search for moved files: directory entries per folder, and depth.
constexpr int kMovedSearchEntries = 10'000;
constexpr int kMovedSearchDepth = 3;

struct ResolvedPatterns {
  std::vector<std::string> patterns;
  std::vector<Message> notes;  ///< which file replaces which
};

/// Returns `patterns` (as in DataRequest::train), replacing those that match nothing by files of the same content. The
/// content is known from the cache; the search covers `request.baseFolder`, the folder a file was in, and their
/// parents, within the limits above, and reads only files of equal size. If `request.baseFolder` is empty (runs of
/// earlier versions), relative patterns are searched for wherever the cache has seen them. `progress` reports bytes
/// read, from the calling thread. Fails with NotFound, Stopped on `stop`, or as findTextFiles().
Result<ResolvedPatterns> findMovedFiles(const std::vector<std::string>& patterns, const DataRequest& request,
                                        const ProgressFn& progress, std::stop_token stop);

}  // namespace batchwise
