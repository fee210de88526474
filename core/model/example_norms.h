// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "core/model/backend.h"
#include "core/text/masking.h"

namespace batchwise {

/// Squared norms of each sequence's own gradient of the norm layers (EncoderModel::measuredNorms()), a by-product of
/// the backward pass: with y = gamma * unit + beta they are |sum_t g_t * unit_t|^2 and |sum_t g_t|^2, over the rows of
/// the sequence (Gray et al. 2024, arXiv 2411.00999). Not thread-safe.
class ExampleNorms {
 public:
  /// Starts a pass over `batch` on `device`.
  void begin(const MicroBatch& batch, c10::Device device);
  /// Adds a norm layer, whose outputs have `gradients`; its rows are all tokens or the predicted ones.
  void add(const NormOutputGradients& gradients, const NormResult& result, bool hasBeta);

  /// Of the gradients of the objective that the pass has gone back from: [sequences], fp64.
  const at::Tensor& normSquared() const { return normSquared_; }
  /// Predicted tokens: [sequences], fp64.
  const at::Tensor& predicted() const { return predicted_; }

 private:
  std::int64_t rows_[2] = {};  // tokens, predicted tokens
  at::Tensor starts_;          // [2, sequences + 1] of these, int64, on the device
  at::Tensor normSquared_, predicted_;
};

}  // namespace batchwise
