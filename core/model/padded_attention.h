// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include "core/model/backend.h"

namespace batchwise {

/// Queries, keys and values as [rows, heads, size], views of the input.
struct Heads {
  at::Tensor query, key, value;
};
Heads headsOf(const AttentionInput& input, const AttentionPlan& plan);

/// Attention in plain operations over many sequences at once, each filled up to the longest of them: for the penalty on
/// logits, which fused kernels do not offer. Any device.
struct PaddedAttention {
  at::Tensor output;   ///< [query rows, width]
  at::Tensor penalty;  ///< [], fp32
  at::Tensor logSum;   ///< in any order, with minus infinity where it was filled up; empty unless plan.measureLogits
};
/// Differentiable. Requires plan.logitPenalty. Throws c10::Error if the plan has dropout.
PaddedAttention paddedAttention(const AttentionInput& input, const AttentionPlan& plan);

/// Its gradient, computed from the input again. penaltyGradient: [] or undefined.
AttentionGradient paddedAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                          const AttentionInput& input, const AttentionPlan& plan);

}  // namespace batchwise
