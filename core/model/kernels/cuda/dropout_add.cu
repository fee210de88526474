// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's bias, dropout and residual: one pass over memory instead of three, and no stored mask.
#include <cuda_runtime.h>

#include <algorithm>

#include "core/model/kernels/cuda/element_access.cuh"
#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr int kThreads = 256;  // per block, at most; a block processes a row
constexpr int kWarp = 32;

/// Four features of a row share 64 random bits. kLanes: features per access, 4 or 1.
template <typename Element, int kLanes>
__global__ void __launch_bounds__(kThreads) dropoutAddRows(DropoutAdd<Element> a) {
  const std::int64_t row = blockIdx.x;
  const bool drops = a.dropout.threshold != 0;
  const std::uint64_t state = drops ? dropoutRowState(a.dropout.key, a.rowKeys[row]) : 0;
  for (std::int64_t feature = threadIdx.x * kLanes; feature < a.width; feature += blockDim.x * kLanes) {
    const std::int64_t i = row * a.width + feature;
    float values[kLanes], others[kLanes];
    readPack<kLanes>(a.input, i, values);
    if (a.bias != nullptr) {
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) values[lane] += a.bias[feature + lane];
    }
    if (drops) {
      const std::uint64_t bits = dropoutBits(state, static_cast<std::uint64_t>(feature) / 4);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto drawn = static_cast<std::uint32_t>(bits >> (16 * ((feature + lane) % 4))) & 0xFFFFU;
        values[lane] *= drawn < a.dropout.threshold ? 0.0F : a.dropout.scale;
      }
    }
    if (a.residual != nullptr) {
      readPack<kLanes>(a.residual, i, others);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) values[lane] += others[lane];
    }
    writePack<kLanes>(a.output, i, values);
  }
}

}  // namespace

template <typename Element>
Result<void> cudaDropoutAdd(const DropoutAdd<Element>& a, CudaStream stream) {
  if (a.rows == 0 || a.width == 0) return {};
  const auto start = [&](auto lanes) {
    constexpr int kLanes = decltype(lanes)::value;
    const std::int64_t warps = (a.width + kLanes * kWarp - 1) / (kLanes * kWarp);
    const int threads = static_cast<int>(std::min<std::int64_t>(kThreads, warps * kWarp));
    return launch("the dropout kernel", dropoutAddRows<Element, kLanes>, blockPerRow(a.rows), threads, stream, a);
  };
  const bool packs = alignedToPacks(4, a.width, a.input, a.residual, a.output);
  return packs ? start(std::integral_constant<int, 4>()) : start(std::integral_constant<int, 1>());
}

template Result<void> cudaDropoutAdd<float>(const DropoutAdd<float>&, CudaStream);
template Result<void> cudaDropoutAdd<Bf16>(const DropoutAdd<Bf16>&, CudaStream);
template Result<void> cudaDropoutAdd<Fp16>(const DropoutAdd<Fp16>&, CudaStream);

}  // namespace batchwise
