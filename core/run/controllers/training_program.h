// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace batchwise {

/// The program that trains in a process of its own: $BATCHWISE_PROGRAM, or the command-line program beside this one.
std::filesystem::path trainingProgram();

}  // namespace batchwise
