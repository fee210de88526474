// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise::test {

/// One broken rule, as compilers print it: "core/config/time/time.h:7: what is wrong".
using Violation = std::string;

/// Texts of source files by path from the project root ("core/config/time/time.h").
using SourceTree = std::map<std::string, std::string>;

/// Checks the `#include` lines of .h, .cpp, .cu and .cuh files: own headers are named by their path from the root and
/// lie to the left in the layer chain and among the subfolders of a layer, and each foreign library is seen only where
/// it may be (STYLE, "The shape").
std::vector<Violation> checkIncludes(const SourceTree& tree);

/// What a file reaches through our own headers, however many: window, programs and light layers no LibTorch, CUDA, NCCL
/// or MPI; nothing outside core/store the database library.
std::vector<Violation> checkReach(const SourceTree& tree);

/// Each file names its license in the first line, or in the second below "#!".
std::vector<Violation> checkLicenseLines(const SourceTree& tree);

}  // namespace batchwise::test
