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
struct PaddedAttention {
  at::Tensor output;   ///< [rows, width]
  at::Tensor penalty;  ///< [], fp32; 0 without plan.logitPenalty
  at::Tensor logSum;   ///< any order, -inf for padding; empty unless plan.measureLogits
};
/// packed: Q, K and V side by side. Requires equal queries and keys. Dropout draws from the generator of the device.
PaddedAttention paddedAttention(const at::Tensor& packed, const AttentionPlan& plan);

/// Returns the gradient of `packed`, recomputing the forward pass; with dropout, the generator must be as it was then.
/// penaltyGradient: [] or undefined.
at::Tensor paddedAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                   const at::Tensor& packed, const AttentionPlan& plan);

}  // namespace batchwise
