// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/kernels/dropout.h"

namespace batchwise {

// Arguments of the kernels for dropout + residual + LayerNorm, on CPU and CUDA. Matrices are contiguous and row-major;
// Element is float, Bf16 or Fp16; arithmetic is fp32.

/// Maximum row width of the norm kernels.
constexpr std::int64_t kMaxNormWidth = 16384;

/// sum = residual + dropout(input + bias); output = (sum - mean) / sqrt(variance + eps) * gamma + beta, per row, with
/// the biased variance (Ba, Kiros and Hinton 2016). residual, bias, sum, mean and rstd may be null. width <=
/// kMaxNormWidth.
template <typename Element>
struct AddNorm {
  const Element* input = nullptr;         ///< [rows, width]
  const float* bias = nullptr;            ///< [width]
  const Element* residual = nullptr;      ///< [rows, width]
  const std::int64_t* rowKeys = nullptr;  ///< [rows], read only with dropout
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

/// Gradient of AddNorm. `columns` receives sums over the rows [begin, end): gradients of gamma, beta and bias.
template <typename Element>
struct AddNormGradient {
  const Element* outputGradient = nullptr;  ///< [rows, width]; null: zero
  const Element* sumGradient = nullptr;     ///< [rows, width], gradient of `sum` from other uses; null: zero
  const Element* sum = nullptr;             ///< [rows, width], as saved
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const std::int64_t* rowKeys = nullptr;
  const float* gamma = nullptr;
  Element* inputGradient = nullptr;     ///< [rows, width]
  Element* residualGradient = nullptr;  ///< [rows, width]; null, or equal to inputGradient without dropout
  float* columns = nullptr;             ///< [3, width]
  Dropout dropout;
  std::int64_t width = 0;
};

}  // namespace batchwise
