// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdint>

#include "core/model/backend.h"

// What the fused attention kernels of LibTorch can compute on a GPU.

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

/// Returns whether flash attention computes in `type` on a GPU of compute capability `major`.x: not in fp32, nor before
/// Ampere. Memory-efficient attention does: in fp32 on all, in fp16 from Maxwell on; in bf16 neither does before
/// Ampere.
constexpr bool hasFlashAttention(c10::ScalarType type, int major) {
  return type != c10::kFloat && major >= 8;
}

/// Returns the longest query as flash attention is to be told it, forward and backward. At 1, its forward pass swaps
/// grouped heads for queries: the log-sum-exps then come in another order than the backward pass reads them in, and
/// sequences without a query make it throw. A bound above the true length changes nothing else.
constexpr std::int64_t longestFlashQuery(std::int64_t longest) {
  return std::max<std::int64_t>(2, longest);
}

/// Sequences in one call: both kernels have them in a dimension of the grid that CUDA limits.
inline constexpr std::int64_t kMostSequencesInPass = 65535;

/// Throws c10::OutOfMemoryError if there are more: as with a lack of memory, a pass then gets fewer.
inline void checkSequencesInPass(std::int64_t sequences) {
  TORCH_CHECK_WITH(OutOfMemoryError, sequences <= kMostSequencesInPass, "attention on a GPU takes ",
                   kMostSequencesInPass, " sequences in a pass, not ", sequences);
}

}  // namespace batchwise
