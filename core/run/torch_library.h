// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/launched_rank.h"
#include "core/base/result.h"

namespace batchwise {

// Where LibTorch is that a program was not linked to find: a wheel has none inside.

/// The version that the trainer is built for: "2.11". Another one has another binary interface.
extern const char* const kTorchVersion;

/// Returns the folders that may hold libtorch.so, the first choice first: the one in BATCHWISE_TORCH and no other, if
/// that is set; else torch/lib beside the package that has `program` (.../batchwise/bin/batchwise), and in the
/// environments below `userData`.
std::vector<std::filesystem::path> torchFolders(const Environment& environment, const std::filesystem::path& program,
                                                const std::filesystem::path& userData);

/// Returns the first of the folders that has LibTorch of kTorchVersion; nothing if none has LibTorch. Fails with
/// Unsupported if the first that has it has another version.
Result<std::optional<std::filesystem::path>> findTorch(const std::vector<std::filesystem::path>& folders);

/// Loads LibTorch from the folder into this process, so that a library linked against it finds it there. A LibTorch
/// without CUDA lacks two libraries of the other; those in `standIns` are taken in their place. Fails with Unsupported.
Result<void> loadTorchFrom(const std::filesystem::path& folder, const std::filesystem::path& standIns);

}  // namespace batchwise
