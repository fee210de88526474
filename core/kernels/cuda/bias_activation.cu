// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include <algorithm>
#include <initializer_list>
#include <type_traits>

#include "core/kernels/cuda/thread_activation.h"
#include "core/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// Limits of the grid's y dimension; each block processes every gridDim.y-th row of its columns. Blocks of the gradient
// write one row of sums each.
constexpr std::int64_t kMostForwardBlocks = 4096;
constexpr std::int64_t kMostColumnBlocks = 512;

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
__global__ void __launch_bounds__(kActivationThreads)
    biasActivationGradientRows(BiasActivationGradient<Element> a, std::int64_t rows) {
  if (ownColumn<kLanes>() >= a.width) return;
  ThreadActivation<Element, kKind, kLanes> share;
  share.begin(a.bias, ownColumn<kLanes>());
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y)
    share.backward(a.outputGradient, a.saved, a.inputGradient, row, a.width);
  share.writeColumns(a.columns + blockIdx.y * a.width);
}

/// Returns whether all accesses may use packs of 16 bytes.
bool supportsPacks(std::int64_t width, int lanes, std::initializer_list<const void*> matrices) {
  return width % lanes == 0 && std::all_of(matrices.begin(), matrices.end(),
                                           [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; });
}

template <ActivationKind kKind>
using KindConstant = std::integral_constant<ActivationKind, kKind>;

template <typename Launch>
void withKind(ActivationKind kind, const Launch& launch) {
  switch (kind) {
    case ActivationKind::Gelu: return launch(KindConstant<ActivationKind::Gelu>());
    case ActivationKind::GeluTanh: return launch(KindConstant<ActivationKind::GeluTanh>());
    case ActivationKind::Relu: return launch(KindConstant<ActivationKind::Relu>());
  }
}

/// Calls `launch` with the activation and the lanes per thread as constants.
template <typename Element, typename Launch>
Result<void> withActivation(ActivationKind kind, bool packs, const MessageTemplate<0>& kernel, const Launch& launch) {
  withKind(kind, [&](auto kindConstant) {
    if (packs)
      launch(kindConstant, std::integral_constant<int, kActivationLanes<Element>>());
    else
      launch(kindConstant, std::integral_constant<int, 1>());
  });
  return launchResult(kernel);
}

dim3 blocksFor(std::int64_t width, int lanes, std::int64_t blocksOfRows) {
  const std::int64_t columns = std::int64_t{kActivationThreads} * lanes;
  return dim3(static_cast<unsigned>((width + columns - 1) / columns), static_cast<unsigned>(blocksOfRows));
}

}  // namespace

template <typename Element>
Result<void> cudaBiasActivation(const BiasActivation<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  const bool packs = supportsPacks(a.width, kActivationLanes<Element>, {a.input, a.output});
  return withActivation<Element>(a.kind, packs, messages::activationKernel, [&](auto kind, auto lanes) {
    const dim3 blocks = blocksFor(a.width, lanes, std::min(rows, kMostForwardBlocks));
    biasActivationRows<Element, decltype(kind)::value, decltype(lanes)::value>
        <<<blocks, kActivationThreads, 0, stream>>>(a, rows);
  });
}

std::int64_t cudaBiasActivationColumnBlocks(std::int64_t rows) {
  return std::min(rows, kMostColumnBlocks);
}

template <typename Element>
Result<void> cudaBiasActivationGradient(const BiasActivationGradient<Element>& a, std::int64_t rows,
                                        CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  const bool packs = supportsPacks(a.width, kActivationLanes<Element>, {a.saved, a.outputGradient, a.inputGradient});
  return withActivation<Element>(a.kind, packs, messages::activationGradientKernel, [&](auto kind, auto lanes) {
    const dim3 blocks = blocksFor(a.width, lanes, cudaBiasActivationColumnBlocks(rows));
    biasActivationGradientRows<Element, decltype(kind)::value, decltype(lanes)::value>
        <<<blocks, kActivationThreads, 0, stream>>>(a, rows);
  });
}

template Result<void> cudaBiasActivation<float>(const BiasActivation<float>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivation<Bf16>(const BiasActivation<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivation<Fp16>(const BiasActivation<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivationGradient<float>(const BiasActivationGradient<float>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivationGradient<Bf16>(const BiasActivationGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaBiasActivationGradient<Fp16>(const BiasActivationGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
