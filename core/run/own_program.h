// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace batchwise {

/// Returns the file of this program; if it was replaced by a newer one since the start, that one. Empty if the system
/// does not say.
std::filesystem::path ownProgram();

/// Returns the file of the environment variable `variable` if it is set, else `name` in the folder of this program.
std::filesystem::path fileBesideProgram(const char* name, const char* variable);

/// Returns the program for child processes: $BATCHWISE_PROGRAM, or batchwise in the folder of this program.
std::filesystem::path trainingProgram();

/// Makes waiting OpenMP threads sleep instead of spin; spinning takes cores from working threads and slows training
/// several times beside other work. OpenMP reads its wait policy when its library is loaded, which happens before
/// main(). So this executes the program again in the same process with OMP_WAIT_POLICY=passive, unless the variable is
/// set. Call it first in main(), with main's `arguments`. If the system refuses, the program continues.
void restartWithPassiveThreads(char* const* arguments);

}  // namespace batchwise
