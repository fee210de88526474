// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/process_setup.h"
#include "core/base/result.h"

namespace batchwise {

// Where LibTorch is that a program was not linked to find: a wheel has none inside.

/// The version that the trainer is built for: "2.11". Another one has another binary interface.
extern const char* const kTorchVersion;

/// Returns whether the program came in a wheel, which has no LibTorch inside. Others were linked with the place of
/// theirs.
bool comesWithoutTorch(const std::filesystem::path& program);

/// Returns the folder of libtorch.so that `program` (.../batchwise/bin/batchwise) is to use: the one in BATCHWISE_TORCH
/// if that is set; else, if it comes without one, the first that has LibTorch of kTorchVersion of torch/lib beside its
/// package and the environments below `userData`; else nothing. Fails with Unsupported if the named one does not fit,
/// or if another version is all there is.
Result<std::optional<std::filesystem::path>> findTorch(const Environment& environment,
                                                       const std::filesystem::path& program,
                                                       const std::filesystem::path& userData);

/// Loads LibTorch from the folder into this process, so that a library linked against it finds it there. A LibTorch
/// without CUDA lacks two libraries of the other; those beside `program` are taken in their place. Fails with
/// Unsupported.
Result<void> loadTorchFrom(const std::filesystem::path& folder, const std::filesystem::path& program);

/// Returns that training lacks LibTorch, with what would do here.
Error noTorchError(const Environment& environment);

/// Returns why dlopen() failed for the library. Under `ulimit -v`, it may not have fit into the address space.
Error loadError(const std::filesystem::path& library, const std::string& reason, const std::string& remedy);

}  // namespace batchwise
