// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Returns why evaluations of a run that is launched with `config` would not be measured like those of the run
/// `baseline` of the workspace; empty if they would, or one of them has no evaluation. What the texts hold is compared
/// where the cache has that of `config`, else the settings that name them.
std::string baselineNote(const LoadedConfig& config, const RunDetail& baseline, const Workspace& workspace);

/// Returns for each run of a sweep why its evaluations would not be measured like those of the first; empty messages
/// for those that would.
std::vector<std::string> sweepBaselineNotes(const std::vector<LoadedConfig>& runs);

}  // namespace batchwise
