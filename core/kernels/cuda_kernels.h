// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/kernels/dropout.h"
#include "core/kernels/element.h"

struct CUstream_st;

namespace batchwise {

using CudaStream = CUstream_st*;  ///< what CUDA calls cudaStream_t

/// output = residual + dropout(input + bias), row by row; bias and residual may be null. `output` may be `input`.
/// Matrices are row-major [rows, width] on the stream's device, Element float or Bf16, arithmetic in fp32. rowKeys:
/// [rows], see dropoutRowKey(). The same factors as on the CPU, bit for bit. rows or width 0: nothing happens. Returns
/// when queued. Fails with Device if the launch fails.
template <typename Element>
struct DropoutAdd {
  const Element* input = nullptr;
  const float* bias = nullptr;
  const Element* residual = nullptr;
  const std::int64_t* rowKeys = nullptr;
  Element* output = nullptr;
  Dropout dropout;
  std::int64_t rows = 0;
  std::int64_t width = 0;
};
template <typename Element>
Result<void> cudaDropoutAdd(const DropoutAdd<Element>& arguments, CudaStream stream);

}  // namespace batchwise
