// SPDX-License-Identifier: GPL-3.0-or-later
// Loads and stores of elements in device code; arithmetic is fp32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/kernels/element.h"

namespace batchwise {

__device__ inline float load(const float* p, std::int64_t i) {
  return p[i];
}
__device__ inline float load(const Bf16* p, std::int64_t i) {
  return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(p)[i]);
}
__device__ inline float load(const Fp16* p, std::int64_t i) {
  return __half2float(reinterpret_cast<const __half*>(p)[i]);
}
__device__ inline void store(float* p, std::int64_t i, float value) {
  p[i] = value;
}
__device__ inline void store(Bf16* p, std::int64_t i, float value) {
  reinterpret_cast<__nv_bfloat16*>(p)[i] = __float2bfloat16_rn(value);
}
__device__ inline void store(Fp16* p, std::int64_t i, float value) {
  reinterpret_cast<__half*>(p)[i] = __float2half_rn(value);
}

}  // namespace batchwise
