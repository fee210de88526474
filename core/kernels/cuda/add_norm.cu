// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include <algorithm>

#include "core/kernels/cuda/thread_norm.h"
#include "core/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = kNormThreads / kWarp;
static_assert(kMaxCudaNormWidth == 4 * 4 * kNormThreads);
constexpr std::int64_t kMostColumnBlocks = 1056;  // 8 per multiprocessor of an H100 or H200
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 30;

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
__global__ void __launch_bounds__(kNormThreads) addNormRows(AddNorm<Element> a, std::int64_t rows) {
  __shared__ float sums[1][kWarps], squares[1][kWarps];
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const ThreadRow<kQuads> place{row, a.width, static_cast<int>(threadIdx.x)};
    ThreadNorm<Element, kQuads> share;
    float total[1] = {share.add(a, place)};
    blockReduce(total, sums);
    const float mean = total[0] / static_cast<float>(a.width);
    // `squares` and `sums` alternate, so a barrier lies between reading one and overwriting it for the next row.
    float spread[1] = {share.squares(place, mean)};
    blockReduce(spread, squares);
    share.finish(a, place, mean, 1.0F / sqrtf(spread[0] / static_cast<float>(a.width) + a.eps));
  }
}

template <typename Element, int kQuads>
__global__ void __launch_bounds__(kNormThreads) addNormGradientRows(AddNormGradient<Element> a, std::int64_t rows) {
  __shared__ float scratch[2][2][kWarps];  // double buffer: threads may be a row ahead
  ThreadNormGradient<Element, kQuads> share;
  ThreadRow<kQuads> place{0, a.width, static_cast<int>(threadIdx.x)};
  int turn = 0;
  for (place.row = blockIdx.x; place.row < rows; place.row += gridDim.x) {
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

/// Calls `launch` with the number of quads per thread for rows of this width.
template <typename Launch>
Result<void> withQuads(std::int64_t width, const MessageTemplate<0>& kernel, const Launch& launch) {
  constexpr std::int64_t kFeatures = 4 * kNormThreads;
  if (!cudaAddNormSupports(width))
    return Error{ErrorCode::Device, messages::kernelRowWidthUnsupported(kernel(), width), {}};
  if (width <= kFeatures)
    launch(std::integral_constant<int, 1>());
  else if (width <= 2 * kFeatures)
    launch(std::integral_constant<int, 2>());
  else
    launch(std::integral_constant<int, 4>());
  return launchResult(kernel);
}

}  // namespace

template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withQuads(a.width, messages::layerNormKernel, [&](auto quads) {
    const auto blocks = static_cast<unsigned>(std::min(rows, kMostBlocks));
    addNormRows<Element, decltype(quads)::value><<<blocks, kNormThreads, 0, stream>>>(a, rows);
  });
}

std::int64_t cudaAddNormColumnBlocks(std::int64_t rows) {
  return std::min(rows, kMostColumnBlocks);
}

template <typename Element>
Result<void> cudaAddNormGradient(const AddNormGradient<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withQuads(a.width, messages::layerNormGradientKernel, [&](auto quads) {
    const auto blocks = static_cast<unsigned>(cudaAddNormColumnBlocks(rows));
    addNormGradientRows<Element, decltype(quads)::value><<<blocks, kNormThreads, 0, stream>>>(a, rows);
  });
}

template Result<void> cudaAddNorm<float>(const AddNorm<float>&, std::int64_t, CudaStream);
template Result<void> cudaAddNorm<Bf16>(const AddNorm<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNorm<Fp16>(const AddNorm<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<float>(const AddNormGradient<float>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<Bf16>(const AddNormGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<Fp16>(const AddNormGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
