// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/bert_model.h"

namespace batchwise {

/// What a checkpoint holds: tensors by name ("model/…", "optimizer/…") and the small state as text by name.
struct CheckpointState {
  std::vector<NamedTensor> tensors;  ///< in host memory, contiguous
  std::map<std::string, std::string> facts;

  std::int64_t tensorBytes() const;
};

/// A copy of `tensors` in host memory that later steps do not change. Waits for the device. Uses the memory of `spare`,
/// an earlier copy of the same tensors, again if it fits.
std::vector<NamedTensor> copyToHost(const std::vector<NamedTensor>& tensors,
                                    const std::vector<NamedTensor>& spare = {});

/// Tensors of the same names, sizes and types in host memory, those of `spare` if they fit, with any contents.
std::vector<NamedTensor> hostTensorsLike(const std::vector<NamedTensor>& tensors,
                                         const std::vector<NamedTensor>& spare);

/// True if no floating-point tensor holds a NaN or an infinity. Tensors in host memory, contiguous. In the calling
/// thread alone: those of LibTorch are left to who trains.
bool allFinite(const std::vector<NamedTensor>& tensors);

/// Writes the file, durably (see CHECKPOINT.md). Fails with Io or DiskFull; then nothing is left behind.
Result<void> writeCheckpoint(const std::filesystem::path& path, const CheckpointState& state);

/// Reads all of it, checking every hash. Fails with NotFound, Corrupt or Unsupported.
Result<CheckpointState> readCheckpoint(const std::filesystem::path& path);

/// The tensors whose names begin with `prefix`, without it.
std::vector<NamedTensor> tensorsUnder(const CheckpointState& state, const std::string& prefix);

}  // namespace batchwise
