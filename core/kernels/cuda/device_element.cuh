// SPDX-License-Identifier: GPL-3.0-or-later
// Loads and stores of elements in device code, whose arithmetic is fp32, and the outcome of a launch.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "core/base/result.h"
#include "core/kernels/element.h"
#include "core/kernels/messages.h"

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

/// Returns whether the launch before succeeded. Fails with Device. `kernel`: its name in the error.
inline Result<void> launchResult(const MessageTemplate<0>& kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return {};
  return Error{ErrorCode::Device, messages::kernelNotLaunched(kernel(), cudaGetErrorString(status)), {}};
}

}  // namespace batchwise
