// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include <algorithm>

#include "core/kernels/cuda/norm_share.h"
#include "core/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = kNormThreads / kWarp;
static_assert(kMaxCudaNormWidth == 4 * 4 * kNormThreads);
constexpr std::int64_t kMostColumnBlocks = 512;
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 30;

/// The sum over the threads of the block, the same bits for each. `scratch`: [kWarps], free for writing.
__device__ float overBlock(float own, float* scratch) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) own += __shfl_xor_sync(kAll, own, distance);
  if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = own;
  __syncthreads();
  float total = 0.0F;
  for (int warp = 0; warp < kWarps; ++warp) total += scratch[warp];
  return total;
}

template <typename Element, int kQuads>
__global__ void __launch_bounds__(kNormThreads) addNormRows(AddNorm<Element> a, std::int64_t rows) {
  __shared__ float scratch[2][kWarps];
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const RowPlace<kQuads> place{row, a.width, static_cast<int>(threadIdx.x)};
    NormShare<Element, kQuads> share;
    const float mean = overBlock(share.add(a, place), scratch[0]) / static_cast<float>(a.width);
    const float squares = overBlock(share.squares(place, mean), scratch[1]);
    share.finish(a, place, mean, 1.0F / sqrtf(squares / static_cast<float>(a.width) + a.eps));
    __syncthreads();  // scratch is written again for the next row
  }
}

template <typename Element, int kQuads>
__global__ void __launch_bounds__(kNormThreads) addNormGradientRows(AddNormGradient<Element> a, std::int64_t rows) {
  __shared__ float scratch[2][kWarps];
  NormGradientShare<Element, kQuads> share;
  RowPlace<kQuads> place{0, a.width, static_cast<int>(threadIdx.x)};
  for (place.row = blockIdx.x; place.row < rows; place.row += gridDim.x) {
    const auto own = share.gather(a, place);
    typename NormGradientShare<Element, kQuads>::Totals totals;
    totals.inner = overBlock(own.inner, scratch[0]);
    totals.weighted = overBlock(own.weighted, scratch[1]);
    share.finish(a, place, totals);
    __syncthreads();
  }
  share.writeColumns(place, a.columns + static_cast<std::int64_t>(blockIdx.x) * 3 * a.width);
}

/// Calls `launch` with the number of quads that a thread has in rows of this width.
template <typename Launch>
Result<void> withQuads(std::int64_t width, const char* what, const Launch& launch) {
  constexpr std::int64_t kFeatures = 4 * kNormThreads;
  if (!cudaAddNormTakes(width))
    return Error{
        ErrorCode::Device, std::string(what) + " does not take rows of " + std::to_string(width) + " features", {}};
  if (width <= kFeatures)
    launch(std::integral_constant<int, 1>());
  else if (width <= 2 * kFeatures)
    launch(std::integral_constant<int, 2>());
  else
    launch(std::integral_constant<int, 4>());
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return {};
  return Error{ErrorCode::Device, std::string(what) + " could not start: " + cudaGetErrorString(status), {}};
}

}  // namespace

template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withQuads(a.width, "the LayerNorm kernel", [&](auto quads) {
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
  return withQuads(a.width, "the LayerNorm gradient kernel", [&](auto quads) {
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
