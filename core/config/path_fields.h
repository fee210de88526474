// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/sweep.h"

namespace batchwise {

/// What a text field names: no path, files and folders, one folder, one file, files and folders by the name of a set,
/// or the files of tasks.
enum class PathKind { None, Files, Folder, File, NamedFiles, Tasks };
PathKind pathKind(std::string_view fieldPath);

/// Makes the names of files absolute, starting at `folder`.
void makePathsAbsolute(TaskConfig& task, const std::filesystem::path& folder);

/// Makes relative file and folder names in the configuration absolute, starting at `folder` (empty: the working
/// folder), so that it does not depend on where it is read. Returns false if nothing changed.
bool makePathsAbsolute(TrainConfig& config, std::vector<SweepAxis>& axes, const std::filesystem::path& folder);

/// Same for the text of a configuration, which must be valid: rewrites only the names and keeps comments, order and
/// layout. Returns nothing if the names cannot be located in the text, as in a block scalar or behind an alias: then
/// the text must be generated again.
std::optional<std::string> makePathsAbsoluteInText(const std::string& yaml, const std::filesystem::path& folder);

}  // namespace batchwise
