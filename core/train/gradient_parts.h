// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/model/encoder_model.h"
#include "core/model/example_norms.h"
#include "core/text/masking.h"

namespace batchwise {

/// Squared norm of the gradients of the parameters together: [], fp64, on their device.
at::Tensor squaredGradientNorm(const std::vector<at::Tensor>& parameters);

/// Squared norms of the parts that the gradient of a step is the mean of, for its noise scale: of micro-batches, read
/// on their way into .grad(), so without a copy; or of single samples, of the norm layers alone. Not thread-safe.
class GradientParts {
 public:
  enum class Of { Microbatches, Samples };

  /// `model` must outlive this.
  GradientParts(EncoderModel& model, Of parts);
  GradientParts(const GradientParts&) = delete;
  GradientParts& operator=(const GradientParts&) = delete;
  ~GradientParts();

  void startStep() { sum_.zero_(); }
  /// Returns what the forward pass over `batch` is to be given.
  ExampleNorms* startPass(const MicroBatch& batch);
  /// After its backward pass, scaled by 1 / `predicted`, that of the step.
  void endPass(const MicroBatch& batch, std::int64_t predicted);

  /// StepNoise::partNormSquared of the passes since startStep(), times the square of the loss scale: [], fp64. To be
  /// summed over the ranks.
  const at::Tensor& sum() const { return sum_; }
  /// Of Samples: StepNoise::normSquared of the complete gradient, times the same: [], fp64. Else undefined.
  at::Tensor wholeNormSquared() const;

 private:
  EncoderModel& model_;
  const Of parts_;
  at::Tensor sum_;
  ExampleNorms examples_;
  at::Tensor norms_;               // [parameters], fp32, of a pass
  std::vector<at::Tensor> slots_;  // its elements
  std::vector<unsigned> hooks_;
  bool watching_ = false;
};

}  // namespace batchwise
