// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's bias, log_softmax, nll_loss and their gradients: two passes over the logits instead of six, no
// second matrix of their size, and the accuracy on the way.
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "core/base/format.h"
#include "core/model/kernels/cuda/element_access.cuh"
#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// A block processes a row. Two on each of an H100's 132 multiprocessors hold 264 rows, 16 MB of 30,528 logits in bf16,
// so the second pass over a row finds it in the cache of 50 MB.
constexpr int kThreads = 512;
constexpr int kBlocksEach = 2;
constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;

/// Partial result over a row: largest value, its first index, and the sum of exp(value - largest) (Milakov and
/// Gimelshein 2018, algorithm 3). The largest of no values is kLowest: with -infinity, differences would be NaN.
constexpr float kLowest = std::numeric_limits<float>::lowest();
struct PartialSoftmax {
  float largest;
  float sum;
  int index;
};

// Selects values, not references: those would need an address, in local memory.
__device__ PartialSoftmax merged(const PartialSoftmax& a, const PartialSoftmax& b) {
  const float largest = fmaxf(a.largest, b.largest);
  const bool second = b.largest > a.largest || (b.largest == a.largest && b.index < a.index);
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest), second ? b.index : a.index};
}

/// `own` and the values of adjacent columns from `first` on.
template <int kLanes>
__device__ PartialSoftmax extended(const PartialSoftmax& own, const float (&values)[kLanes], int first) {
  float largest = values[0];
  int index = first;
  BATCHWISE_UNROLL
  for (int lane = 1; lane < kLanes; ++lane) {
    index = values[lane] > largest ? first + lane : index;
    largest = fmaxf(largest, values[lane]);
  }
  // A thread's columns ascend: what is no larger comes after the first.
  PartialSoftmax result{fmaxf(own.largest, largest), 0.0F, largest > own.largest ? index : own.index};
  result.sum = own.sum * expf(own.largest - result.largest);
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) result.sum += expf(values[lane] - result.largest);
  return result;
}

__device__ PartialSoftmax shuffled(const PartialSoftmax& own, int distance) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  return {__shfl_xor_sync(kAll, own.largest, distance), __shfl_xor_sync(kAll, own.sum, distance),
          __shfl_xor_sync(kAll, own.index, distance)};
}

__device__ PartialSoftmax warpReduce(PartialSoftmax own) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const PartialSoftmax other = shuffled(own, distance);
    // Both lanes merge in the same order, for bit-identical results.
    own = (static_cast<int>(threadIdx.x) & distance) == 0 ? merged(own, other) : merged(other, own);
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
  return all;
}

/// Reads logits + bias from column `first` on; bias may be null.
template <int kLanes, typename Element>
__device__ void readBiased(const Element* logits, const float* bias, int first, float (&values)[kLanes]) {
  constexpr int kBiases = kLanes < 4 ? kLanes : 4;  // per access
  readPack<kLanes>(logits, first, values);
  if (bias == nullptr) return;
  float biases[kLanes];
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; lane += kBiases) readPack<kBiases>(bias, first + lane, biases + lane);
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) values[lane] += biases[lane];
}

struct RowGradient {
  float largest, scale;
  int label;
};

/// Replaces logits from column `first` on by their gradient.
template <int kLanes, typename Element>
__device__ void overwriteLogits(Element* logits, const float* bias, int first, const RowGradient& row) {
  float values[kLanes];
  readBiased<kLanes>(logits, bias, first, values);
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = expf(values[lane] - row.largest) * row.scale - (first + lane == row.label ? 1.0F : 0.0F);
  writePack<kLanes>(logits, first, values);
}

/// Each thread takes packs of kLanes columns, and the columns beyond the last whole pack one by one.
template <typename Element, int kLanes>
__global__ void __launch_bounds__(kThreads, kBlocksEach) crossEntropyRows(CrossEntropy<Element> a) {
  const std::int64_t row = blockIdx.x;
  Element* const logits = a.logits + row * a.stride;
  const int width = static_cast<int>(a.width), packed = width / kLanes * kLanes;
  const int thread = static_cast<int>(threadIdx.x);
  PartialSoftmax own{kLowest, 0.0F, width};
  for (int i = thread * kLanes; i < packed; i += kThreads * kLanes) {
    float values[kLanes];
    readBiased<kLanes>(logits, a.bias, i, values);
    own = extended(own, values, i);
  }
  for (int i = packed + thread; i < width; i += kThreads) {
    float value[1];
    readBiased<1>(logits, a.bias, i, value);
    own = extended(own, value, i);
  }
  const PartialSoftmax all = blockReduce(own);
  const int label = static_cast<int>(a.labels[row]);
  if (thread == 0) {
    float ofLabel[1];
    readBiased<1>(logits, a.bias, label, ofLabel);
    a.loss[row] = logf(all.sum) + all.largest - ofLabel[0];
    a.correct[row] = all.index == label ? 1 : 0;
  }
  if (!a.overwrite) return;
  __syncthreads();  // the label's logit has been read
  const RowGradient gradient{all.largest, 1.0F / all.sum, label};
  for (int i = thread * kLanes; i < packed; i += kThreads * kLanes)
    overwriteLogits<kLanes>(logits, a.bias, i, gradient);
  for (int i = packed + thread; i < width; i += kThreads) overwriteLogits<1>(logits, a.bias, i, gradient);
  for (std::int64_t i = width + thread; i < a.stride; i += kThreads) store(logits, i, 0.0F);
}

}  // namespace

template <typename Element>
Result<void> cudaCrossEntropy(const CrossEntropy<Element>& arguments, std::int64_t rows, CudaStream stream) {
  constexpr std::int64_t kMostColumns = std::numeric_limits<int>::max() / 2;
  if (rows == 0) return {};
  if (arguments.width > kMostColumns)
    return Error{ErrorCode::Device,
                 formatText("the cross-entropy kernel does not support rows of {} features", arguments.width),
                 {}};
  CrossEntropy<Element> a = arguments;
  if (a.stride == 0) a.stride = a.width;
  constexpr int kLanes = kPackLanes<Element>;
  const bool packs = alignedToPacks(kLanes, a.stride, a.logits, a.bias);
  return launch("the cross-entropy kernel", packs ? crossEntropyRows<Element, kLanes> : crossEntropyRows<Element, 1>,
                blockPerRow(rows), kThreads, stream, a);
}

template Result<void> cudaCrossEntropy<float>(const CrossEntropy<float>&, std::int64_t, CudaStream);
template Result<void> cudaCrossEntropy<Bf16>(const CrossEntropy<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaCrossEntropy<Fp16>(const CrossEntropy<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
