// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/cli/commands.h"

namespace batchwise::cli {

/// Runs `export RUN --archive FILE` and returns the exit code. `checkpoints`: the value of --checkpoints.
int exportRunArchive(const Globals& globals, const std::string& run, const std::string& file,
                     const std::string& checkpoints, Replaces replaces);

}  // namespace batchwise::cli
