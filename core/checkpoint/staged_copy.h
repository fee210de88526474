// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/model/bert_model.h"

namespace batchwise {

/// Some buffers on the host that a device fills by itself. Numbered from 0.
class Stages {
 public:
  virtual ~Stages() = default;
  virtual std::int64_t count() const = 0;
  /// Of each.
  virtual std::int64_t bytes() const = 0;
  /// Begins to fill a stage, which nobody reads any more, with `source`: [n], bytes, 0 < n <= bytes().
  virtual void begin(std::int64_t stage, const at::Tensor& source) = 0;
  /// Waits until the stage is filled; its memory.
  virtual const void* wait(std::int64_t stage) = 0;
};

/// Copies `from`, contiguous, wherever it is, to `to`: as many tensors of the same sizes and types in host memory,
/// contiguous. While one stage is emptied the others fill. Throws what the stages throw.
void copyThrough(Stages& stages, const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to);

}  // namespace batchwise
