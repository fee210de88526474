// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/model/bert_model.h"

namespace batchwise {

/// Tensors as they were at a moment, kept on their device until they are brought to the host. Made by the thread that
/// trains, which need not wait for the device; the rest is for one other thread.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  /// That it takes of the device until toHost().
  virtual std::int64_t bytes() const = 0;
  /// The tensors in host memory, that of `spare` where it fits (see copyToHost()); waits for the device. Once. Throws
  /// c10::Error.
  virtual std::vector<NamedTensor> toHost(const std::vector<NamedTensor>& spare) = 0;
};

using MakeSnapshot = std::function<std::unique_ptr<Snapshot>(const std::vector<NamedTensor>&)>;

/// A snapshot by `make`, if tensors of this size fit into `roomBytes` of the device; null if not, or if the device has
/// no memory for it after all: then copyToHost() remains.
std::unique_ptr<Snapshot> takeSnapshot(const std::vector<NamedTensor>& tensors, std::int64_t roomBytes,
                                       const MakeSnapshot& make);

/// Copies beside the originals on a GPU, in the order of its current stream, so that what later steps write does not
/// reach them. toHost() goes by a stream of its own beside those steps. Throws c10::OutOfMemoryError.
std::unique_ptr<Snapshot> makeGpuSnapshot(const std::vector<NamedTensor>& tensors);

}  // namespace batchwise
