// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Writes a checkpoint whose fp32 entries under `averaged` are the means of those of `files`; everything else, and the
/// facts, are those of the first file, with `facts` added. Sums are exact to fp64. Requires at least one file. Fails
/// with Config if an entry is missing in a file or has another shape, or as CheckpointReader and CheckpointWriter.
/// Source: Izmailov et al. 2018 (averaging of weights).
Result<void> writeCheckpointAverage(const std::vector<std::filesystem::path>& files, std::string_view averaged,
                                    const std::map<std::string, std::string>& facts,
                                    const std::filesystem::path& target);

}  // namespace batchwise
