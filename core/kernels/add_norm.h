// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/kernels/dropout.h"

namespace batchwise {

// What the kernels of dropout, residual and LayerNorm take, on the CPU and on CUDA. Matrices are row-major without
// gaps, Element float, Bf16 or Fp16, arithmetic in fp32.

/// The widest row that the normalising kernels take.
constexpr std::int64_t kMaxNormWidth = 16384;

/// sum = residual + dropout(input + bias); output = (sum - mean) / sqrt(variance + eps) * gamma + beta, per row, with
/// the biased variance (Ba, Kiros and Hinton 2016). residual, bias, sum, mean, rstd may be null: then left out. width
/// is at most kMaxNormWidth.
template <typename Element>
struct AddNorm {
  const Element* input = nullptr;         ///< [rows, width]
  const float* bias = nullptr;            ///< [width]
  const Element* residual = nullptr;      ///< [rows, width]
  const std::int64_t* rowKeys = nullptr;  ///< [rows], read only if the dropout is active
  const float* gamma = nullptr;           ///< [width]
  const float* beta = nullptr;            ///< [width]
  Element* sum = nullptr;                 ///< [rows, width]
  Element* output = nullptr;              ///< [rows, width]
  float* mean = nullptr;                  ///< [rows]
  float* rstd = nullptr;                  ///< [rows]
  Dropout dropout;
  float eps = 0;
  std::int64_t width = 0;
};

/// The gradient of AddNorm. `columns` receives three rows of `width` sums over [begin, end): of gamma, beta and bias.
template <typename Element>
struct AddNormGradient {
  const Element* outputGradient = nullptr;  ///< [rows, width]; null: zero
  const Element* sumGradient = nullptr;     ///< [rows, width], what reaches `sum` by another way; null: zero
  const Element* sum = nullptr;             ///< [rows, width], as saved
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const std::int64_t* rowKeys = nullptr;
  const float* gamma = nullptr;
  Element* inputGradient = nullptr;  ///< [rows, width]
  Element* residualGradient =
      nullptr;               ///< [rows, width]; may equal inputGradient if the dropout is not active; or null
  float* columns = nullptr;  ///< [3, width]
  Dropout dropout;
  std::int64_t width = 0;
};

}  // namespace batchwise
