// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "core/config/config_file.h"

namespace batchwise::cli {

/// The runs of a configuration in which fields may hold lists, with further lists as "optimizer.lr=1e-4,5e-4": one for
/// each combination, one if there is no list. Each has been checked. Notes are shown. Fails with Config.
Result<std::vector<LoadedConfig>> gridOf(const ConfigArguments& arguments, const std::vector<std::string>& over);

}  // namespace batchwise::cli
