// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include <cstdint>

#include "core/kernels/cuda/device_element.cuh"
#include "core/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr int kThreads = 256;  // per block; a block processes one row at a time
constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;

/// Partial result over a row: largest value, its first index, and the sum of exp(value - largest) (Milakov and
/// Gimelshein 2018, algorithm 3).
struct PartialSoftmax {
  float largest;
  float sum;
  std::int64_t index;
};

__device__ PartialSoftmax merged(const PartialSoftmax& a, const PartialSoftmax& b) {
  const bool second = b.largest > a.largest || (b.largest == a.largest && b.index < a.index);
  const PartialSoftmax& more = second ? b : a;
  const PartialSoftmax& less = second ? a : b;
  // With an empty side or two infinities, exp() of the difference would be NaN.
  const float share = less.sum == 0.0F ? 0.0F : less.sum * expf(less.largest - more.largest);
  return {more.largest, more.sum + share, more.index};
}

__device__ PartialSoftmax shuffled(const PartialSoftmax& own, int distance) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  return {__shfl_xor_sync(kAll, own.largest, distance), __shfl_xor_sync(kAll, own.sum, distance),
          static_cast<std::int64_t>(__shfl_xor_sync(kAll, static_cast<long long>(own.index), distance))};
}

__device__ PartialSoftmax warpReduce(PartialSoftmax own) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const PartialSoftmax other = shuffled(own, distance);
    // Both lanes merge in the same order, for bit-identical results.
    own = (threadIdx.x & distance) == 0 ? merged(own, other) : merged(other, own);
  }
  return own;
}

__device__ PartialSoftmax blockReduce(const PartialSoftmax& own) {
  __shared__ PartialSoftmax ofWarps[kWarps];
  const PartialSoftmax ofWarp = warpReduce(own);
  if (threadIdx.x % kWarp == 0) ofWarps[threadIdx.x / kWarp] = ofWarp;
  __syncthreads();
  PartialSoftmax all = ofWarps[0];
  for (int warp = 1; warp < kWarps; ++warp) all = merged(all, ofWarps[warp]);
  __syncthreads();  // ofWarps is reused for the next row
  return all;
}

template <typename Element>
__global__ void crossEntropyRows(CrossEntropy<Element> a, std::int64_t rows) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    Element* const logits = a.logits + row * a.stride;
    PartialSoftmax partial{-INFINITY, 0.0F, a.width};
    for (std::int64_t i = threadIdx.x; i < a.width; i += kThreads)
      partial = merged(partial, PartialSoftmax{load(logits, i) + a.bias[i], 1.0F, i});
    const PartialSoftmax all = blockReduce(partial);
    const std::int64_t label = a.labels[row];
    if (threadIdx.x == 0) {
      a.loss[row] = logf(all.sum) + all.largest - (load(logits, label) + a.bias[label]);
      a.correct[row] = all.index == label ? 1 : 0;
    }
    if (!a.overwrite) continue;
    __syncthreads();  // the label's logit has been read
    const float scale = 1.0F / all.sum;
    for (std::int64_t i = threadIdx.x; i < a.width; i += kThreads) {
      const float share = expf(load(logits, i) + a.bias[i] - all.largest) * scale;
      store(logits, i, share - (i == label ? 1.0F : 0.0F));
    }
    for (std::int64_t i = a.width + threadIdx.x; i < a.stride; i += kThreads) store(logits, i, 0.0F);
  }
}

}  // namespace

template <typename Element>
Result<void> cudaCrossEntropy(const CrossEntropy<Element>& arguments, std::int64_t rows, CudaStream stream) {
  if (rows == 0) return {};
  constexpr std::int64_t kMostBlocks = 65535;
  const auto blocks = static_cast<unsigned>(rows < kMostBlocks ? rows : kMostBlocks);
  CrossEntropy<Element> a = arguments;
  if (a.stride == 0) a.stride = a.width;
  crossEntropyRows<Element><<<blocks, kThreads, 0, stream>>>(a, rows);
  return launchResult(messages::crossEntropyKernel);
}

template Result<void> cudaCrossEntropy<float>(const CrossEntropy<float>&, std::int64_t, CudaStream);
template Result<void> cudaCrossEntropy<Bf16>(const CrossEntropy<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaCrossEntropy<Fp16>(const CrossEntropy<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
