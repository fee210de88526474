// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include <algorithm>

#include "core/kernels/cuda/device_element.cuh"
#include "core/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

/// One thread per 4 features of a row, which share 64 random bits.
template <typename Element>
__global__ void dropoutAdd(DropoutAdd<Element> a, std::int64_t quadsPerRow) {
  const std::int64_t total = a.rows * quadsPerRow;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; n < total; n += stride) {
    const std::int64_t row = n / quadsPerRow;
    const std::int64_t quad = n % quadsPerRow;
    const bool drops = a.dropout.threshold != 0;
    const std::uint64_t bits =
        drops ? dropoutBits(dropoutRowState(a.dropout.key, a.rowKeys[row]), static_cast<std::uint64_t>(quad)) : 0;
    for (std::int64_t lane = 0; lane < 4 && 4 * quad + lane < a.width; ++lane) {
      const std::int64_t feature = 4 * quad + lane;
      const std::int64_t i = row * a.width + feature;
      float value = load(a.input, i);
      if (a.bias != nullptr) value += a.bias[feature];
      const std::uint32_t drawn = static_cast<std::uint32_t>(bits >> (16 * lane)) & 0xFFFFU;
      if (drops) value *= drawn < a.dropout.threshold ? 0.0F : a.dropout.scale;
      if (a.residual != nullptr) value += load(a.residual, i);
      store(a.output, i, value);
    }
  }
}

}  // namespace

template <typename Element>
Result<void> cudaDropoutAdd(const DropoutAdd<Element>& arguments, CudaStream stream) {
  const std::int64_t quads = (arguments.width + 3) / 4;
  const std::int64_t total = arguments.rows * quads;
  if (total == 0) return {};
  constexpr std::int64_t kThreads = 256;
  constexpr std::int64_t kMostBlocks = 65535;
  const auto blocks = static_cast<unsigned>(std::min(kMostBlocks, (total + kThreads - 1) / kThreads));
  dropoutAdd<Element><<<blocks, kThreads, 0, stream>>>(arguments, quads);
  return launchResult(messages::dropoutKernel);
}

template Result<void> cudaDropoutAdd<float>(const DropoutAdd<float>&, CudaStream);
template Result<void> cudaDropoutAdd<Bf16>(const DropoutAdd<Bf16>&, CudaStream);
template Result<void> cudaDropoutAdd<Fp16>(const DropoutAdd<Fp16>&, CudaStream);

}  // namespace batchwise
