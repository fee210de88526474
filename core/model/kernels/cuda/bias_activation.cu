// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's bias and gelu: one pass over memory instead of two in each direction, and the gradient of the bias
// on the way.
#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda/thread_activation.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// A block processes every gridDim.y-th row of its columns. All blocks of a gradient, which write a row of sums each,
// are resident at once, so none is left over for a second wave.
constexpr int kBlocksEach = 8;  // on a multiprocessor
constexpr std::int64_t kMostForwardBlocks = 4096;

template <int kLanes>
__device__ std::int64_t ownColumn() {
  return (static_cast<std::int64_t>(blockIdx.x) * kActivationThreads + threadIdx.x) * kLanes;
}

template <typename Element, ActivationKind kKind, int kLanes>
__global__ void __launch_bounds__(kActivationThreads) biasActivationRows(BiasActivation<Element> a, std::int64_t rows) {
  if (ownColumn<kLanes>() >= a.width) return;
  ThreadActivation<Element, kKind, kLanes> share;
  share.begin(a.bias, ownColumn<kLanes>());
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) share.forward(a.input, a.output, row, a.width);
}

template <typename Element, ActivationKind kKind, int kLanes>
__global__ void __launch_bounds__(kActivationThreads, kBlocksEach)
    biasActivationGradientRows(BiasActivationGradient<Element> a, std::int64_t rows) {
  if (ownColumn<kLanes>() >= a.width) return;
  ThreadActivation<Element, kKind, kLanes> share;
  share.begin(a.bias, ownColumn<kLanes>());
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y)
    share.backward(a.outputGradient, a.saved, a.inputGradient, row, a.width);
  share.writeColumns(a.columns + blockIdx.y * a.width);
}

template <ActivationKind kKind>
using KindConstant = std::integral_constant<ActivationKind, kKind>;

template <typename Start>
Result<void> withKind(ActivationKind kind, const Start& start) {
  switch (kind) {
    case ActivationKind::Gelu: return start(KindConstant<ActivationKind::Gelu>());
    case ActivationKind::GeluTanh: return start(KindConstant<ActivationKind::GeluTanh>());
    case ActivationKind::Silu: return start(KindConstant<ActivationKind::Silu>());
    case ActivationKind::Relu: break;
  }
  return start(KindConstant<ActivationKind::Relu>());
}

/// Returns start(kind, lanes per thread), both as constants.
template <typename Element, typename Start>
Result<void> withActivation(ActivationKind kind, bool packs, const Start& start) {
  return withKind(kind, [&](auto kindConstant) {
    return packs ? start(kindConstant, std::integral_constant<int, kPackLanes<Element>>())
                 : start(kindConstant, std::integral_constant<int, 1>());
  });
}

std::int64_t blocksOfColumns(std::int64_t width, int lanes) {
  return ceilDiv(width, std::int64_t{kActivationThreads} * lanes);
}

dim3 blocksFor(std::int64_t width, int lanes, std::int64_t blocksOfRows) {
  return dim3(static_cast<unsigned>(blocksOfColumns(width, lanes)), static_cast<unsigned>(blocksOfRows));
}

}  // namespace

template <typename Element>
Result<void> cudaBiasActivation(const BiasActivation<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  const bool packs = alignedToPacks(kPackLanes<Element>, a.width, a.input, a.output);
  return withActivation<Element>(a.kind, packs, [&](auto kind, auto lanes) {
    const dim3 blocks = blocksFor(a.width, lanes, std::min(rows, kMostForwardBlocks));
    return launch("the activation kernel", biasActivationRows<Element, decltype(kind)::value, decltype(lanes)::value>,
                  blocks, kActivationThreads, stream, a, rows);
  });
}

std::int64_t cudaBiasActivationColumnBlocks(std::int64_t rows, std::int64_t width) {
  const std::int64_t resident = kBlocksEach * multiprocessors();
  const std::int64_t columns = std::max<std::int64_t>(1, blocksOfColumns(width, kPackLanes<Bf16>));  // fp32: two waves
  return std::min(rows, std::max<std::int64_t>(1, resident / columns));
}

template <typename Element>
Result<void> cudaBiasActivationGradient(const BiasActivationGradient<Element>& a, std::int64_t rows,
                                        CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  const bool packs = alignedToPacks(kPackLanes<Element>, a.width, a.saved, a.outputGradient, a.inputGradient);
  return withActivation<Element>(a.kind, packs, [&](auto kind, auto lanes) {
    const dim3 blocks = blocksFor(a.width, lanes, cudaBiasActivationColumnBlocks(rows, a.width));
    return launch("the activation gradient kernel",
                  biasActivationGradientRows<Element, decltype(kind)::value, decltype(lanes)::value>, blocks,
                  kActivationThreads, stream, a, rows);
  });
}

template Result<void> cudaBiasActivation<float>(const BiasActivation<float>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivation<Bf16>(const BiasActivation<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivation<Fp16>(const BiasActivation<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivationGradient<float>(const BiasActivationGradient<float>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivationGradient<Bf16>(const BiasActivationGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivationGradient<Fp16>(const BiasActivationGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
