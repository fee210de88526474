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
/// logits, which fused kernels do not offer. Any device. Holds the logits of some sequences at a time, of as many as
/// have 2^26 together, or of one.
struct PaddedAttention {
  at::Tensor output;   ///< [rows, width]
  at::Tensor penalty;  ///< [], fp32
  at::Tensor logSum;   ///< in any order, with minus infinity where it was filled up; empty unless plan.measureLogits
};
/// packed: queries, keys and values side by side, [rows, 3 * width]. Requires plan.logitPenalty and as many queries as
/// keys. Throws c10::Error if the plan has dropout.
PaddedAttention paddedAttention(const at::Tensor& packed, const AttentionPlan& plan);

/// The gradient of `packed`, computed from it again. penaltyGradient: [] or undefined.
at::Tensor paddedAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                   const at::Tensor& packed, const AttentionPlan& plan);

}  // namespace batchwise
