// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {

/// Returns the settings of the bundled demo for a new run, without its name. Relative paths start at the working
/// folder.
LoadedConfig newRunConfig();

/// Checks rules for new runs beyond checkRules(). A stored run that breaks one can still be resumed, extended and
/// forked: `stored`, the configuration of the run that this one continues (or null), excuses a field that breaks a rule
/// there too and has the same value.
std::vector<FieldProblem> checkNewRun(const TrainConfig& config, const TrainConfig* stored = nullptr);

}  // namespace batchwise
