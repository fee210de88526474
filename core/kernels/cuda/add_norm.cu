// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's bias, dropout, residual and LayerNorm: one pass over memory instead of four in each direction, no
// stored mask, and the column sums of the gradient on the way.
#include <cuda_runtime.h>

#include <algorithm>

#include "core/kernels/cuda/launch.cuh"
#include "core/kernels/cuda/thread_norm.cuh"
#include "core/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = kNormThreads / kWarp;
static_assert(kMaxCudaNormWidth == 4 * 4 * kNormThreads);
// Blocks of the gradient that are resident on a multiprocessor: half of an H100's threads, as far as registers go.
template <int kQuads>
constexpr int kBlocksEach = kQuads < 4 ? 8 : 4;

/// Sum over the threads of the warp, bit-identical in each thread.
__device__ float warpReduce(float own) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) own += __shfl_xor_sync(kAll, own, distance);
  return own;
}

/// Sums over the threads of the block, bit-identical in each thread. Overwrites `scratch`.
template <int kCount>
__device__ void blockReduce(float (&own)[kCount], float (&scratch)[kCount][kWarps]) {
  for (int i = 0; i < kCount; ++i) {
    const float ofWarp = warpReduce(own[i]);
    if (threadIdx.x % kWarp == 0) scratch[i][threadIdx.x / kWarp] = ofWarp;
  }
  __syncthreads();
  for (int i = 0; i < kCount; ++i) {
    own[i] = 0.0F;
    for (int warp = 0; warp < kWarps; ++warp) own[i] += scratch[i][warp];
  }
}

template <typename Element, int kQuads>
__global__ void __launch_bounds__(kNormThreads) addNormRows(AddNorm<Element> a) {
  __shared__ float sums[1][kWarps], squares[1][kWarps];
  const ThreadRow<kQuads> place{static_cast<std::int64_t>(blockIdx.x), a.width, static_cast<int>(threadIdx.x)};
  ThreadNorm<Element, kQuads> share;
  float total[1] = {share.add(a, place)};
  blockReduce(total, sums);
  const float mean = a.centered ? total[0] / static_cast<float>(a.width) : 0.0F;
  float spread[1] = {share.squares(place, mean)};
  blockReduce(spread, squares);
  share.finish(a, place, mean, 1.0F / sqrtf(spread[0] / static_cast<float>(a.width) + a.eps));
}

template <typename Element, int kQuads>
__global__ void __launch_bounds__(kNormThreads, kBlocksEach<kQuads>)
    addNormGradientRows(AddNormGradient<Element> a, std::int64_t rows) {
  __shared__ float scratch[2][2][kWarps];  // double buffer: threads may be a row ahead
  ThreadNormGradient<Element, kQuads> share;
  ThreadRow<kQuads> place{0, a.width, static_cast<int>(threadIdx.x)};
  int turn = 0;
  for (place.row = blockIdx.x; place.row < rows; place.row += static_cast<std::int64_t>(gridDim.x)) {
    const auto own = share.gather(a, place);
    float sums[2] = {own.inner, own.weighted};
    blockReduce(sums, scratch[turn]);
    turn = 1 - turn;
    typename ThreadNormGradient<Element, kQuads>::Totals totals;
    totals.inner = sums[0];
    totals.weighted = sums[1];
    share.finish(a, place, totals);
  }
  share.writeColumns(place, a.columns + static_cast<std::int64_t>(blockIdx.x) * 3 * a.width);
}

/// Returns start(number of quads per thread for rows of this width, as a constant).
template <typename Start>
Result<void> withQuads(std::int64_t width, const MessageTemplate<0>& kernel, const Start& start) {
  constexpr std::int64_t kFeatures = 4 * kNormThreads;
  if (!cudaAddNormSupports(width))
    return Error{ErrorCode::Device, messages::kernelRowWidthUnsupported(kernel(), width), {}};
  if (width <= kFeatures) return start(std::integral_constant<int, 1>());
  if (width <= 2 * kFeatures) return start(std::integral_constant<int, 2>());
  return start(std::integral_constant<int, 4>());
}

}  // namespace

template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withQuads(a.width, messages::layerNormKernel, [&](auto quads) {
    return launch(messages::layerNormKernel, addNormRows<Element, decltype(quads)::value>, blockPerRow(rows),
                  kNormThreads, stream, a);
  });
}

std::int64_t cudaAddNormColumnBlocks(std::int64_t rows) {
  return std::min(rows, kBlocksEach<1> * multiprocessors());
}

template <typename Element>
Result<void> cudaAddNormGradient(const AddNormGradient<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withQuads(a.width, messages::layerNormGradientKernel, [&](auto quads) {
    return launch(messages::layerNormGradientKernel, addNormGradientRows<Element, decltype(quads)::value>,
                  blockPerRow(cudaAddNormColumnBlocks(rows)), kNormThreads, stream, a, rows);
  });
}

template Result<void> cudaAddNorm<float>(const AddNorm<float>&, std::int64_t, CudaStream);
template Result<void> cudaAddNorm<Bf16>(const AddNorm<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNorm<Fp16>(const AddNorm<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<float>(const AddNormGradient<float>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<Bf16>(const AddNormGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<Fp16>(const AddNormGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
