// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {

/// The settings of the bundled demo for a run of one's own: without the demo's name. Relative paths start at the
/// working folder.
LoadedConfig newRunConfig();

/// Rules that a new run has to keep beside checkRules(). A stored run that breaks one was trained all the same, and can
/// be resumed, stretched and forked: `stored`, the configuration of a run that this one continues (null for none),
/// excuses a field that breaks a rule there too and has the same value.
std::vector<FieldProblem> checkNewRun(const TrainConfig& config, const TrainConfig* stored = nullptr);

}  // namespace batchwise
