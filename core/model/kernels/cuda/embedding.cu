// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's look-ups, sums, LayerNorm, dropout and conversion: one pass over memory in each direction, without
// a stored sum. And the gradient of a table from rows in the order of their ids, in place of ATen's.
#include <cuda_runtime.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/model/kernels/arguments.h"
#include "core/model/kernels/cuda/element_access.cuh"
#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// A block processes a row, and each thread a quad of it, whose features share 64 random bits.
constexpr int kQuad = 4;
constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;
constexpr int kMostWarps = kMostThreads / kWarp;
static_assert(cudaEmbedSupports(kQuad * kMostThreads) && !cudaEmbedSupports(kQuad * kMostThreads + kQuad));
// Of a multiprocessor: as many as the registers of a gradient leave, whose blocks write a row of sums each.
constexpr int kResidentThreads = 1024;

// Of sums of rows by id: adjacent rows of a block, and how many of them are on their way at once.
constexpr int kSumThreads = 256;
constexpr int kTile = 32;
constexpr int kAtOnce = 8;

/// Sums over the threads of the block, bit-identical in each thread. Overwrites `scratch`.
template <int kCount>
__device__ void blockReduce(float (&own)[kCount], float (&scratch)[kCount][kMostWarps]) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  BATCHWISE_UNROLL
  for (int i = 0; i < kCount; ++i) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) own[i] += __shfl_xor_sync(kAll, own[i], distance);
    if (threadIdx.x % kWarp == 0) scratch[i][threadIdx.x / kWarp] = own[i];
  }
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  BATCHWISE_UNROLL
  for (int i = 0; i < kCount; ++i) {
    own[i] = 0.0F;
    for (int warp = 0; warp < warps; ++warp) own[i] += scratch[i][warp];
  }
}

__device__ std::int64_t ownFeature() {
  return static_cast<std::int64_t>(threadIdx.x) * kQuad;
}

/// What a row is looked up by, and the quad of it that a thread has: all of it is read before the first value is used.
struct EmbeddingQuad {
  float word[kQuad] = {}, position[kQuad] = {}, type[kQuad] = {};

  __device__ void read(const EmbeddingSum& sum, std::int64_t row, std::int64_t width) {
    const std::int64_t id = sum.tokenIds[row], index = sum.position == nullptr ? 0 : sum.positions[row];
    readPack<kQuad>(sum.word, id * width + ownFeature(), word);
    if (sum.position != nullptr) readPack<kQuad>(sum.position, index * width + ownFeature(), position);
    if (sum.type != nullptr) readPack<kQuad>(sum.type, ownFeature(), type);
  }
  __device__ void add(float (&values)[kQuad]) const {
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kQuad; ++lane) values[lane] = word[lane] + type[lane] + position[lane];
  }
};

__device__ std::int64_t rowKeyOf(const Dropout& dropout, const std::int64_t* rowKeys, std::int64_t row) {
  return dropout.threshold == 0 ? 0 : rowKeys[row];
}

__device__ void drop(const Dropout& dropout, std::int64_t rowKey, float (&values)[kQuad]) {
  if (dropout.threshold == 0) return;
  const std::uint64_t bits = dropoutBits(dropoutRowState(dropout.key, rowKey), threadIdx.x);
  BATCHWISE_UNROLL
  for (int lane = 0; lane < kQuad; ++lane) {
    const std::uint32_t drawn = static_cast<std::uint32_t>(bits >> (16 * lane)) & 0xFFFFU;
    values[lane] *= drawn < dropout.threshold ? 0.0F : dropout.scale;
  }
}

template <typename Element>
__global__ void __launch_bounds__(kMostThreads) embedRows(Embed<Element> a) {
  __shared__ float sums[1][kMostWarps], squares[1][kMostWarps];
  const std::int64_t row = blockIdx.x, rowKey = rowKeyOf(a.dropout, a.rowKeys, row);
  const bool own = ownFeature() < a.width;
  EmbeddingQuad quad;
  float gamma[kQuad] = {}, beta[kQuad] = {}, v[kQuad];
  if (own) {
    quad.read(a.sum, row, a.width);
    if (a.gamma != nullptr) readPack<kQuad>(a.gamma, ownFeature(), gamma);
    if (a.beta != nullptr) readPack<kQuad>(a.beta, ownFeature(), beta);
  }
  quad.add(v);
  if (a.gamma != nullptr) {
    float total[1] = {(v[0] + v[1]) + (v[2] + v[3])};
    blockReduce(total, sums);
    const float mean = a.centered ? total[0] / static_cast<float>(a.width) : 0.0F;
    float spread[1] = {};
    if (own) {
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kQuad; ++lane) {
        v[lane] -= mean;
        spread[0] += v[lane] * v[lane];
      }
    }
    blockReduce(spread, squares);
    const float rstd = 1.0F / sqrtf(spread[0] / static_cast<float>(a.width) + a.eps);
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kQuad; ++lane) v[lane] = v[lane] * rstd * gamma[lane] + beta[lane];
    if (threadIdx.x == 0 && a.mean != nullptr) a.mean[row] = mean;
    if (threadIdx.x == 0 && a.rstd != nullptr) a.rstd[row] = rstd;
  }
  if (!own) return;
  drop(a.dropout, rowKey, v);
  writePack<kQuad>(a.output, row * a.width + ownFeature(), v);
}

template <typename Element>
__global__ void __launch_bounds__(kMostThreads) embedGradientRows(EmbedGradient<Element> a, std::int64_t rows) {
  __shared__ float scratch[2][2][kMostWarps];  // double buffer: threads may be a row ahead
  const bool own = ownFeature() < a.width, normed = a.gamma != nullptr;
  float gamma[kQuad] = {}, gammaSums[kQuad] = {}, betaSums[kQuad] = {}, typeSums[kQuad] = {};
  if (own && normed) readPack<kQuad>(a.gamma, ownFeature(), gamma);
  int turn = 0;
  for (std::int64_t row = blockIdx.x; row < rows; row += static_cast<std::int64_t>(gridDim.x)) {
    const std::int64_t rowKey = rowKeyOf(a.dropout, a.rowKeys, row);
    const float mean = normed ? a.mean[row] : 0.0F, rstd = normed ? a.rstd[row] : 0.0F;
    EmbeddingQuad quad;
    float outer[kQuad] = {};
    if (own) {
      readPack<kQuad>(a.outputGradient, row * a.width + ownFeature(), outer);
      if (normed) quad.read(a.sum, row, a.width);
    }
    drop(a.dropout, rowKey, outer);
    if (normed) {
      float unit[kQuad], totals[2] = {};  // of outer * gamma, and that times unit
      quad.add(unit);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kQuad; ++lane) {
        unit[lane] = (unit[lane] - mean) * rstd;
        gammaSums[lane] += outer[lane] * unit[lane];
        betaSums[lane] += outer[lane];
        outer[lane] *= gamma[lane];
        totals[0] += outer[lane];
        totals[1] += outer[lane] * unit[lane];
      }
      blockReduce(totals, scratch[turn]);
      turn = 1 - turn;
      const float meanInner = a.centered ? totals[0] / static_cast<float>(a.width) : 0.0F;
      const float meanWeighted = totals[1] / static_cast<float>(a.width);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kQuad; ++lane)
        outer[lane] = rstd * (outer[lane] - meanInner - unit[lane] * meanWeighted);
    }
    if (!own) continue;
    writePack<kQuad>(a.sumGradient, row * a.width + ownFeature(), outer);
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kQuad; ++lane) typeSums[lane] += outer[lane];
  }
  if (!own) return;
  float* const columns = a.columns + static_cast<std::int64_t>(blockIdx.x) * 3 * a.width + ownFeature();
  writePack<kQuad>(columns, 0, gammaSums);
  writePack<kQuad>(columns, a.width, betaSums);
  writePack<kQuad>(columns, 2 * a.width, typeSums);
}

template <int kLanes>
__device__ std::int64_t ownColumn() {
  return (static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x) * kLanes;
}

/// A block sums kTile adjacent rows by id: into `sums` if the first row of the id is among them, else into `parts`,
/// which happens with one id at most.
template <typename Element, int kLanes>
__global__ void __launch_bounds__(kSumThreads) sumRowsOfTiles(SumRows<Element> a, std::int64_t rows) {
  const std::int64_t column = ownColumn<kLanes>();
  if (column >= a.width) return;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t end = begin + kTile < rows ? begin + kTile : rows;
  std::int64_t id = a.ids[begin];
  float total[kLanes] = {};
  float* target = begin > 0 && a.ids[begin - 1] == id ? a.parts + blockIdx.x * a.width : a.sums + id * a.width;
  for (std::int64_t first = begin; first < end; first += kAtOnce) {
    float values[kAtOnce][kLanes];
    std::int64_t ids[kAtOnce];
    BATCHWISE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      if (first + i >= end) continue;
      ids[i] = a.ids[first + i];
      readPack<kLanes>(a.rows, a.order[first + i] * a.width + column, values[i]);
    }
    BATCHWISE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      if (first + i >= end) continue;
      if (ids[i] != id) {
        writePack<kLanes>(target, column, total);
        id = ids[i];
        target = a.sums + id * a.width;
        BATCHWISE_UNROLL
        for (int lane = 0; lane < kLanes; ++lane) total[lane] = 0.0F;
      }
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) total[lane] += values[i][lane];
    }
  }
  writePack<kLanes>(target, column, total);
}

/// Adds to an id whose rows begin in this tile the parts that following tiles have.
template <typename Element, int kLanes>
__global__ void __launch_bounds__(kSumThreads) sumRowsAcrossTiles(SumRows<Element> a, std::int64_t rows) {
  const std::int64_t column = ownColumn<kLanes>(), begin = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t id = a.ids[begin + kTile - 1];
  const bool goesOn = a.ids[begin + kTile] == id, beginsBefore = begin > 0 && a.ids[begin - 1] == id;
  if (column >= a.width || !goesOn || beginsBefore) return;
  float total[kLanes];
  readPack<kLanes>(a.sums, id * a.width + column, total);
  bool all = true;  // tiles so far were of this id
  for (std::int64_t first = begin + kTile; all && first < rows; first += kAtOnce * kTile) {
    float values[kAtOnce][kLanes];
    bool same[kAtOnce];
    BATCHWISE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int64_t at = first + i * kTile;
      same[i] = at < rows && a.ids[at < rows ? at : 0] == id;
      if (same[i]) readPack<kLanes>(a.parts, at / kTile * a.width + column, values[i]);
    }
    BATCHWISE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      if (!same[i]) continue;
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) total[lane] += values[i][lane];
    }
    all = same[kAtOnce - 1];
  }
  writePack<kLanes>(a.sums, id * a.width + column, total);
}

int threadsOf(std::int64_t width) {
  return static_cast<int>(ceilDiv(width, kQuad * kWarp) * kWarp);
}

Error unsupported(const char* kernel, std::int64_t width) {
  return Error{ErrorCode::Device, formatText("{} does not support rows of {} features", kernel, width), {}};
}

}  // namespace

template <typename Element>
Result<void> cudaEmbed(const Embed<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  if (!cudaEmbedSupports(a.width)) return unsupported("the embedding kernel", a.width);
  return launch("the embedding kernel", embedRows<Element>, blockPerRow(rows), threadsOf(a.width), stream, a);
}

std::int64_t cudaEmbedColumnBlocks(std::int64_t rows, std::int64_t width) {
  return width == 0 ? 0 : std::min(rows, kResidentThreads / threadsOf(width) * multiprocessors());
}

template <typename Element>
Result<void> cudaEmbedGradient(const EmbedGradient<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  if (!cudaEmbedSupports(a.width)) return unsupported(kEmbeddingGradientKernel, a.width);
  return launch(kEmbeddingGradientKernel, embedGradientRows<Element>, blockPerRow(cudaEmbedColumnBlocks(rows, a.width)),
                threadsOf(a.width), stream, a, rows);
}

std::int64_t cudaSumRowsParts(std::int64_t rows) {
  return ceilDiv(rows, kTile);
}

Result<void> cudaSumRows(const SumRows<float>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  constexpr int kLanes = kPackLanes<float>;
  if (a.width % kLanes != 0) return unsupported(kEmbeddingGradientKernel, a.width);
  const int threads = std::min(kSumThreads, static_cast<int>(ceilDiv(a.width, kLanes * kWarp) * kWarp));
  const auto columns = static_cast<unsigned>(ceilDiv(a.width, threads * kLanes));
  const auto tiles = static_cast<unsigned>(cudaSumRowsParts(rows));
  auto done =
      launch(kEmbeddingGradientKernel, sumRowsOfTiles<float, kLanes>, dim3(tiles, columns), threads, stream, a, rows);
  if (!done.ok() || tiles == 1) return done;
  return launch(kEmbeddingGradientKernel, sumRowsAcrossTiles<float, kLanes>, dim3(tiles - 1, columns), threads, stream,
                a, rows);
}

template Result<void> cudaEmbed<float>(const Embed<float>&, std::int64_t, CudaStream);
template Result<void> cudaEmbed<Bf16>(const Embed<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaEmbed<Fp16>(const Embed<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaEmbedGradient<float>(const EmbedGradient<float>&, std::int64_t, CudaStream);
template Result<void> cudaEmbedGradient<Bf16>(const EmbedGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaEmbedGradient<Fp16>(const EmbedGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
