// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's concatenation and sum of a bias: one pass over memory instead of two. And in place of a rotation
// by ATen's operations, with four fp32 copies of a pair: one pass, which in the backward pass is that of the
// concatenation.
#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "core/base/integer_math.h"
#include "core/model/kernels/cuda/element_access.cuh"
#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// Threads lie side by side in a row, and a block takes every gridDim.y-th portion of rows. All blocks of a launch are
// resident at once: each writes a row of sums.
constexpr int kBlocksEach = 3;  // of the largest, on a multiprocessor
constexpr int kResidentThreads = kBlocksEach * kMostThreadsAbreast;
constexpr int kRows = 4;        // of a portion: so many loads are on their way at once
constexpr int kTurnedRows = 2;  // of two packs each

/// Where the columns of a part lie: as if it began at column 0.
template <typename Element>
struct Source {
  const Element* values;
  std::int64_t stride;
};

template <typename Element>
__device__ Source<Element> sourceOf(const JoinColumns<Element>& a, std::int64_t column) {
  Source<Element> source{a.parts[0].values, a.parts[0].stride};
  std::int64_t first = 0;
  BATCHWISE_UNROLL
  for (int part = 1; part < 3; ++part) {
    first += a.parts[part - 1].width;
    if (column >= first) source = {a.parts[part].values - first, a.parts[part].stride};
  }
  return source;
}

__device__ std::int64_t ownUnit() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <typename Element, int kLanes>
__global__ void __launch_bounds__(kMostThreadsAbreast, kBlocksEach)
    joinColumnsRows(JoinColumns<Element> a, std::int64_t rows) {
  const std::int64_t column = ownUnit() * kLanes;
  if (column >= a.width) return;
  const Source<Element> source = sourceOf(a, column);
  float sums[kLanes] = {};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * kRows;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kRows; first < rows; first += step) {
    float values[kRows][kLanes];
    BATCHWISE_UNROLL
    for (int i = 0; i < kRows; ++i)
      if (first + i < rows) readPack<kLanes>(source.values, (first + i) * source.stride + column, values[i]);
    BATCHWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      if (first + i >= rows) continue;
      writePack<kLanes>(a.output, (first + i) * a.stride + column, values[i]);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) sums[lane] += values[i][lane];
    }
  }
  if (a.columns == nullptr) return;
  float* const columns = a.columns + blockIdx.y * a.width + column;
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kLanes; ++lane) columns[lane] = sums[lane];
}

__device__ inline void turn(float& x, float& y, float cosine, float sine) {
  const float turned = x * cosine - y * sine;
  y = y * cosine + x * sine;
  x = turned;
}

/// kLanes pairs of a head: two packs.
template <typename Element, int kLanes>
__global__ void __launch_bounds__(kMostThreadsAbreast, kBlocksEach)
    turnedColumnsRows(JoinColumns<Element> a, std::int64_t rows) {
  constexpr int kFactors = kLanes < 4 ? kLanes : 4;  // per access
  const Rotary<Element>& rotary = a.rotary;
  const std::int64_t half = rotary.headSize / 2, unit = ownUnit();
  if (unit * 2 * kLanes >= a.width) return;
  const std::int64_t head = unit / (half / kLanes), pair = unit % (half / kLanes) * kLanes;
  const std::int64_t one = head * rotary.headSize + (rotary.interleaved ? 2 * pair : pair);
  const std::int64_t other = one + (rotary.interleaved ? kLanes : half);
  const Source<Element> source = sourceOf(a, one);
  const bool turns = head < rotary.heads;
  const float sign = rotary.inverse ? -1.0F : 1.0F;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * kTurnedRows;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kTurnedRows; first < rows; first += step) {
    float values[kTurnedRows][2 * kLanes];
    std::int64_t factors[kTurnedRows];
    BATCHWISE_UNROLL
    for (int i = 0; i < kTurnedRows; ++i) {
      if (first + i >= rows) continue;
      factors[i] = turns ? rotary.positions[first + i] * half + pair : 0;
      readPack<kLanes>(source.values, (first + i) * source.stride + one, values[i]);
      readPack<kLanes>(source.values, (first + i) * source.stride + other, values[i] + kLanes);
    }
    BATCHWISE_UNROLL
    for (int i = 0; i < kTurnedRows; ++i) {
      if (first + i >= rows) continue;
      if (turns) {
        float cosines[kLanes], sines[kLanes];
        BATCHWISE_UNROLL
        for (int lane = 0; lane < kLanes; lane += kFactors) {
          readPack<kFactors>(rotary.cosines, factors[i] + lane, cosines + lane);
          readPack<kFactors>(rotary.sines, factors[i] + lane, sines + lane);
        }
        float* const v = values[i];
        // Two loops, not computed indices: those would need an address, in local memory.
        if (rotary.interleaved) {
          BATCHWISE_UNROLL
          for (int lane = 0; lane < kLanes; ++lane)
            turn(v[2 * lane], v[2 * lane + 1], cosines[lane], sign * sines[lane]);
        } else {
          BATCHWISE_UNROLL
          for (int lane = 0; lane < kLanes; ++lane) turn(v[lane], v[lane + kLanes], cosines[lane], sign * sines[lane]);
        }
      }
      writePack<kLanes>(a.output, (first + i) * a.stride + one, values[i]);
      writePack<kLanes>(a.output, (first + i) * a.stride + other, values[i] + kLanes);
    }
  }
}

template <typename Element>
bool isTurned(const JoinColumns<Element>& a) {
  return a.rotary.heads > 0;
}

/// Returns whether the columns can be read and written in packs.
template <typename Element>
bool joinsPacks(const JoinColumns<Element>& a) {
  constexpr int kLanes = kPackLanes<Element>;
  for (const auto& part : a.parts)
    if (part.width % kLanes != 0 || !alignedToPacks(kLanes, part.stride, part.values)) return false;
  return alignedToPacks(kLanes, a.stride, a.output) &&
         (!isTurned(a) || alignedToPacks(kLanes, a.rotary.headSize / 2, a.rotary.cosines, a.rotary.sines));
}

struct Blocks {
  ThreadsAbreast ofColumns;
  std::int64_t ofRows = 0;
};

template <typename Element>
Blocks blocksFor(const JoinColumns<Element>& a, std::int64_t rows) {
  const std::int64_t lanes = joinsPacks(a) ? kPackLanes<Element> : 1;
  const ThreadsAbreast ofColumns = threadsAbreast(ceilDiv(a.width, isTurned(a) ? 2 * lanes : lanes));
  const std::int64_t resident = kResidentThreads / ofColumns.threads * multiprocessors() / ofColumns.blocks;
  return {ofColumns, std::min(ceilDiv(rows, isTurned(a) ? kTurnedRows : kRows), std::max<std::int64_t>(1, resident))};
}

}  // namespace

template <typename Element>
std::int64_t cudaJoinColumnBlocks(const JoinColumns<Element>& a, std::int64_t rows) {
  return rows == 0 || a.width == 0 ? 0 : blocksFor(a, rows).ofRows;
}

template <typename Element>
Result<void> cudaJoinColumns(const JoinColumns<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  const auto start = [&](auto lanes) {
    constexpr int kLanes = decltype(lanes)::value;
    const Blocks blocks = blocksFor(a, rows);
    const dim3 grid(static_cast<unsigned>(blocks.ofColumns.blocks), static_cast<unsigned>(blocks.ofRows));
    return isTurned(a) ? launch("the kernel of rotary positions", turnedColumnsRows<Element, kLanes>, grid,
                                blocks.ofColumns.threads, stream, a, rows)
                       : launch("the kernel that joins gradients", joinColumnsRows<Element, kLanes>, grid,
                                blocks.ofColumns.threads, stream, a, rows);
  };
  return joinsPacks(a) ? start(std::integral_constant<int, kPackLanes<Element>>())
                       : start(std::integral_constant<int, 1>());
}

template <typename Element>
Result<void> cudaRotary(const Rotary<Element>& a, std::int64_t rows, CudaStream stream) {
  JoinColumns<Element> join;
  join.width = a.heads * a.headSize;
  join.stride = a.stride;
  join.parts[0] = {a.values, join.width, a.stride};
  join.output = a.values;
  join.rotary = a;
  return cudaJoinColumns(join, rows, stream);
}

template std::int64_t cudaJoinColumnBlocks<float>(const JoinColumns<float>&, std::int64_t);
template std::int64_t cudaJoinColumnBlocks<Bf16>(const JoinColumns<Bf16>&, std::int64_t);
template std::int64_t cudaJoinColumnBlocks<Fp16>(const JoinColumns<Fp16>&, std::int64_t);
template Result<void> cudaJoinColumns<float>(const JoinColumns<float>&, std::int64_t, CudaStream);
template Result<void> cudaJoinColumns<Bf16>(const JoinColumns<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaJoinColumns<Fp16>(const JoinColumns<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaRotary<float>(const Rotary<float>&, std::int64_t, CudaStream);
template Result<void> cudaRotary<Bf16>(const Rotary<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaRotary<Fp16>(const Rotary<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
