// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/model/bert_model.h"

namespace batchwise {

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
