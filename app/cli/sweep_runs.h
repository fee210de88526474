// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "core/config/config_file.h"

namespace batchwise::cli {

/// Returns one run per combination of the lists in the configuration and in `over` ("optimizer.lr=1e-4,5e-4"), or a
/// single run if there is no list. All are validated for launch; notes are printed. Fails with Config.
Result<std::vector<LoadedConfig>> expandSweep(const ConfigArguments& arguments, const std::vector<std::string>& over);

}  // namespace batchwise::cli
