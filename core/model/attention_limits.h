// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <cstdint>

// What the fused attention kernels of LibTorch can compute on a GPU.

namespace batchwise {

/// Returns whether flash attention computes in `type` on a GPU of compute capability `major`.x: not in fp32, nor before
/// Ampere. Memory-efficient attention does: in fp32 on all, in fp16 from Maxwell on; in bf16 neither does before
/// Ampere.
constexpr bool hasFlashAttention(c10::ScalarType type, int major) {
  return type != c10::kFloat && major >= 8;
}

/// Sequences in one call: both kernels have them in a dimension of the grid that CUDA limits.
inline constexpr std::int64_t kMostSequencesInPass = 65535;

/// Throws c10::OutOfMemoryError if there are more: as with a lack of memory, a pass then gets fewer.
inline void checkSequencesInPass(std::int64_t sequences) {
  TORCH_CHECK_WITH(OutOfMemoryError, sequences <= kMostSequencesInPass, "attention on a GPU takes ",
                   kMostSequencesInPass, " sequences in a pass, not ", sequences);
}

}  // namespace batchwise
