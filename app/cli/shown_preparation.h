// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"
#include "core/config/config_file.h"
#include "core/data/prepare_data.h"

namespace batchwise::cli {

/// Prepares the data of a configuration into the workspace's cache, showing on `descriptor` (of stdout or stderr) how
/// far it is unless the answer is JSON. A signal ends it: fails with Stopped, otherwise as prepareData.
Result<PreparedData> prepareShown(const LoadedConfig& config, const Globals& globals, int descriptor);

}  // namespace batchwise::cli
