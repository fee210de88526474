// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"
#include "core/config/config_file.h"
#include "core/data/prepare_data.h"

namespace batchwise::cli {

/// Prepares the data of a configuration in the workspace's cache. Shows progress on `descriptor` (stdout or stderr)
/// unless --json is given. Fails with Stopped after a signal, otherwise as prepareData.
Result<PreparedData> prepareWithProgress(const LoadedConfig& config, const Globals& globals, int descriptor);

}  // namespace batchwise::cli
