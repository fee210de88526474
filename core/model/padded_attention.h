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

/// Repeats the heads of keys or values for the heads of queries that they serve. Dimension 1 of `heads`: heads.
at::Tensor repeatHeads(const at::Tensor& heads, const AttentionPlan& plan);

/// Attention with ATen operations over padded sequences, for what fused kernels do not support: the logit penalty, and
/// windows in fp32. Any device. Computes groups of sequences with at most 2^26 logits, at least one sequence at a time.
/// Dropout draws from the generator of the device, which it seeds by the plan.
struct PaddedAttention {
  at::Tensor output;   ///< [rows, width]
  at::Tensor penalty;  ///< [], fp32; 0 without plan.logitPenalty
  at::Tensor logSum;   ///< any order, -inf for padding; empty unless plan.measureLogits
};
PaddedAttention paddedAttention(const AttentionInput& input, const AttentionPlan& plan);

/// Recomputes the forward pass. penaltyGradient: [] or undefined.
AttentionGradient paddedAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                          const AttentionInput& input, const AttentionPlan& plan);

/// Seeds the generator of a device, from which LibTorch's attention draws for dropout, so that the same layout drops
/// the same weights, forward and backward.
void seedAttentionDropout(const AttentionPlan& plan, at::Device device);

}  // namespace batchwise
