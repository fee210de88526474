// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace batchwise {

/// Returns the program for child processes: $BATCHWISE_PROGRAM, or batchwise in the folder of this program.
std::filesystem::path trainingProgram();

}  // namespace batchwise
