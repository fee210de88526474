// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace batchwise::cli {

/// Returns what the last of `words`, of which the user may have typed the beginning, can become: commands, options or
/// names of runs. Empty where a file or another value may stand. `words`: those after the program's name. `runs` is
/// called only where a run may be named.
std::vector<std::string> completions(CLI::App& app, const std::vector<std::string>& words,
                                     const std::function<std::vector<std::string>()>& runs);

}  // namespace batchwise::cli
