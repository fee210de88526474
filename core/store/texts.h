// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string runContextText(const auto& run) {
  return formatText("run '{}'", run);
}
inline std::string storeFileLostText(const auto& path) {
  return formatText("'{}' was moved, replaced or deleted while it was in use; put it back", path);
}
inline constexpr const char* kStoreWorkCanceled = "canceled";
inline constexpr const char* kUnlistedCheckpointOfNoRun =
    "it belongs to no run: `batchwise store restore` makes one of it if it can; otherwise delete the file";
inline constexpr const char* kWorkspaceFolderUnknown =
    "this account has no home folder for a workspace: neither HOME nor XDG_DATA_HOME names one; name a folder with "
    "--workspace";

inline constexpr const char* kSegmentLineLost = "the line that begins its segment is damaged or missing";

}  // namespace batchwise
