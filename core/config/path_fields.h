// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/sweep.h"

namespace batchwise {

/// What the text of a field names: nothing of the file system, files and folders, one folder, or one file.
enum class PathKind { None, Files, Folder, File };
PathKind pathKind(std::string_view fieldPath);

/// Makes the relative names of files and folders in the configuration absolute, so that it means the same from whatever
/// folder it is read. They start at `folder`; empty: the working folder. False if there is none to change.
bool anchorPaths(TrainConfig& config, std::vector<SweepAxis>& axes, const std::filesystem::path& folder);

/// The same in the text of a configuration: only the names are rewritten; comments, order and all else stay. Nothing if
/// the names cannot be told apart from the text around them, as in a block of several lines or behind an alias: the
/// text has to be written anew then. Requires text that can be read.
std::optional<std::string> anchorPathsInText(const std::string& yaml, const std::filesystem::path& folder);

}  // namespace batchwise
