// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdint>

// What the fused attention kernels of LibTorch can compute on a GPU.

namespace batchwise {

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
