// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
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

/// Copy of tensors on their device, until they are moved to the host. Created by the training thread without waiting
/// for the device; then used by one other thread.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  /// Returns the device memory used until toHost().
  virtual std::int64_t bytes() const = 0;
  /// Returns the tensors in host memory, reusing `spare` where it fits (see copyToHost()). Waits for the device. Call
  /// once. Throws c10::Error.
  virtual std::vector<NamedTensor> toHost(const std::vector<NamedTensor>& spare) = 0;
};

using MakeSnapshot = std::function<std::unique_ptr<Snapshot>(const std::vector<NamedTensor>&)>;

/// Returns a snapshot if the tensors fit into `availableBytes` of device memory; null if not or if the device is out of
/// memory (use copyToHost() then).
std::unique_ptr<Snapshot> takeSnapshot(const std::vector<NamedTensor>& tensors, std::int64_t availableBytes,
                                       const MakeSnapshot& make);

/// Copies tensors on their GPU, ordered with its current stream, so later steps do not affect the copy. toHost() uses
/// its own stream, concurrent with training. Throws c10::OutOfMemoryError.
std::unique_ptr<Snapshot> makeGpuSnapshot(const std::vector<NamedTensor>& tensors);

/// Host buffers that a device fills asynchronously, numbered from 0.
class StagingBuffers {
 public:
  virtual ~StagingBuffers() = default;
  virtual std::int64_t count() const = 0;
  /// Returns the size of each buffer.
  virtual std::int64_t bytes() const = 0;
  /// Starts to fill an unused buffer from `source`: [n], uint8, 0 < n <= bytes().
  virtual void begin(std::int64_t stage, const at::Tensor& source) = 0;
  /// Waits until the buffer is filled and returns its memory.
  virtual const void* wait(std::int64_t stage) = 0;
};

/// Copies `from` (contiguous, any device) to `to` (contiguous host tensors of the same sizes and types), filling some
/// buffers while emptying another. Throws what `stages` throws.
void copyStaged(StagingBuffers& stages, const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to);

}  // namespace batchwise
