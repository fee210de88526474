// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's copy of the gate, activation and product: one pass over memory in each direction instead of three
// and five.
#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "core/base/integer_math.h"
#include "core/model/kernels/cuda/element_access.cuh"
#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda/thread_activation.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMostBlocksOfRows = 4096;

template <ActivationKind kKind>
using KindConstant = std::integral_constant<ActivationKind, kKind>;

/// Calls work(kind as a constant). In the kernel, once a row: a kernel for each kind would be four times the code.
template <typename Work>
__device__ void withKind(ActivationKind kind, const Work& work) {
  switch (kind) {
    case ActivationKind::Gelu: return work(KindConstant<ActivationKind::Gelu>());
    case ActivationKind::GeluTanh: return work(KindConstant<ActivationKind::GeluTanh>());
    case ActivationKind::Silu: return work(KindConstant<ActivationKind::Silu>());
    case ActivationKind::Relu: break;
  }
  work(KindConstant<ActivationKind::Relu>());
}

template <int kLanes>
__device__ std::int64_t ownColumn() {
  return (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kLanes;
}

template <typename Element, int kLanes>
__global__ void __launch_bounds__(kMostThreadsAbreast)
    gatedActivationRows(GatedActivation<Element> a, std::int64_t rows) {
  const std::int64_t column = ownColumn<kLanes>();
  if (column >= a.width) return;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    float gate[kLanes], up[kLanes];
    readPack<kLanes>(a.input, 2 * row * a.width + column, gate);
    readPack<kLanes>(a.input, (2 * row + 1) * a.width + column, up);
    withKind(a.kind, [&](auto kind) {
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) gate[lane] = activationOf<decltype(kind)::value>(gate[lane]) * up[lane];
    });
    writePack<kLanes>(a.output, row * a.width + column, gate);
  }
}

template <typename Element, int kLanes>
__global__ void __launch_bounds__(kMostThreadsAbreast)
    gatedActivationGradientRows(GatedActivationGradient<Element> a, std::int64_t rows) {
  const std::int64_t column = ownColumn<kLanes>();
  if (column >= a.width) return;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    float gate[kLanes], up[kLanes], outer[kLanes];
    readPack<kLanes>(a.saved, 2 * row * a.width + column, gate);
    readPack<kLanes>(a.saved, (2 * row + 1) * a.width + column, up);
    readPack<kLanes>(a.outputGradient, row * a.width + column, outer);
    withKind(a.kind, [&](auto kind) {
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) {
        const float x = gate[lane];
        gate[lane] = outer[lane] * up[lane] * activationSlopeOf<decltype(kind)::value>(x);
        up[lane] = outer[lane] * activationOf<decltype(kind)::value>(x);
      }
    });
    writePack<kLanes>(a.inputGradient, 2 * row * a.width + column, gate);
    writePack<kLanes>(a.inputGradient, (2 * row + 1) * a.width + column, up);
  }
}

/// Launches a kernel over packs of `lanes`.
template <typename... Parameters, typename Arguments>
Result<void> launchRows(const char* name, void (*kernel)(Parameters...), int lanes, const Arguments& a,
                        std::int64_t rows, CudaStream stream) {
  const ThreadsAbreast ofColumns = threadsAbreast(ceilDiv(a.width, lanes));
  const dim3 blocks(static_cast<unsigned>(ofColumns.blocks), static_cast<unsigned>(std::min(rows, kMostBlocksOfRows)));
  return launch(name, kernel, blocks, ofColumns.threads, stream, a, rows);
}

}  // namespace

template <typename Element>
Result<void> cudaGatedActivation(const GatedActivation<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  constexpr int kLanes = kPackLanes<Element>;
  const bool packs = alignedToPacks(kLanes, a.width, a.input, a.output);
  return packs ? launchRows("the activation kernel", gatedActivationRows<Element, kLanes>, kLanes, a, rows, stream)
               : launchRows("the activation kernel", gatedActivationRows<Element, 1>, 1, a, rows, stream);
}

template <typename Element>
Result<void> cudaGatedActivationGradient(const GatedActivationGradient<Element>& a, std::int64_t rows,
                                         CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  constexpr int kLanes = kPackLanes<Element>;
  const auto& name = "the activation gradient kernel";
  const bool packs = alignedToPacks(kLanes, a.width, a.saved, a.outputGradient, a.inputGradient);
  return packs ? launchRows(name, gatedActivationGradientRows<Element, kLanes>, kLanes, a, rows, stream)
               : launchRows(name, gatedActivationGradientRows<Element, 1>, 1, a, rows, stream);
}

template Result<void> cudaGatedActivation<float>(const GatedActivation<float>&, std::int64_t, CudaStream);
template Result<void> cudaGatedActivation<Bf16>(const GatedActivation<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaGatedActivation<Fp16>(const GatedActivation<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaGatedActivationGradient<float>(const GatedActivationGradient<float>&, std::int64_t,
                                                         CudaStream);
template Result<void> cudaGatedActivationGradient<Bf16>(const GatedActivationGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaGatedActivationGradient<Fp16>(const GatedActivationGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
