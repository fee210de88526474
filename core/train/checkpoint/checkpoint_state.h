// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/encoder_model.h"

namespace batchwise {

/// Content of a checkpoint: tensors ("model/…", "optimizer/…") and small values as text, by name.
struct CheckpointState {
  std::vector<NamedTensor> tensors;  ///< in host memory, contiguous
  std::map<std::string, std::string> facts;
};

/// Returns the size of all tensors.
std::int64_t tensorBytes(const std::vector<NamedTensor>& tensors);

/// Copies `tensors` to host memory. Waits for the device. Reuses `spare`, an earlier copy of the same tensors, if it
/// fits.
std::vector<NamedTensor> copyToHost(const std::vector<NamedTensor>& tensors,
                                    const std::vector<NamedTensor>& spare = {});

/// Returns uninitialized host tensors of the same names, shapes and types; reuses those of `spare` that fit.
std::vector<NamedTensor> hostTensorsLike(const std::vector<NamedTensor>& tensors,
                                         const std::vector<NamedTensor>& spare);

/// Returns whether all floating-point values are finite. Requires contiguous host tensors. Runs on the calling thread
/// only, leaving LibTorch's thread pool to training.
bool allFinite(const std::vector<NamedTensor>& tensors);

/// Writes a checkpoint file durably (see CHECKPOINT.md). Fails with Io or DiskFull and leaves no file then.
Result<void> writeCheckpoint(const std::filesystem::path& path, const CheckpointState& state);

/// Reads a checkpoint and verifies all hashes. Fails with NotFound, Corrupt or Unsupported.
Result<CheckpointState> readCheckpoint(const std::filesystem::path& path);

/// Returns the tensors whose names start with `prefix`, which is removed from the names.
std::vector<NamedTensor> tensorsUnder(const CheckpointState& state, const std::string& prefix);

}  // namespace batchwise
