// SPDX-License-Identifier: GPL-3.0-or-later
// In place of ATen's bias, dropout, residual and LayerNorm: one pass over memory instead of four in each direction, no
// stored mask, and the column sums of the gradient on the way.
#include <cuda_runtime.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda/thread_norm.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

constexpr int kForwardThreads = 128;
// Fewer blocks on a multiprocessor than there could be: without registers to load into, the compiler loads late.
template <typename Row>
constexpr int kForwardBlocks = 8 - Row::kPacks;
// Of the gradient's one block on a multiprocessor: as many as have the registers for three sums and two values of each
// of their features.
template <typename Row>
constexpr int kGradientThreads = Row::kPacks <= 2 ? 384 : 256;

/// Whether a row is loaded while the one before it is computed. Where no registers are left for it, it is only brought
/// to the L2 cache.
template <typename Row>
constexpr bool kLoadsAhead = Row::kPacks* Row::kLanes < 32;

template <typename Element, int kPacks, int kRowWarps>
__global__ void __launch_bounds__(kForwardThreads, (kForwardBlocks<ThreadRow<Element, kPacks, kRowWarps>>))
    addNormRows(AddNorm<Element> a, std::int64_t rows, float share) {
  using Row = ThreadRow<Element, kPacks, kRowWarps>;
  constexpr int kRows = kForwardThreads / Row::kThreads;
  __shared__ float sums[1][kForwardThreads / kWarp], squares[1][kForwardThreads / kWarp];
  const Row place(static_cast<std::int64_t>(blockIdx.x) * kRows + threadIdx.x / Row::kThreads, rows, a.width);
  const NormInput<Element, Row> input(a, place);
  ThreadNorm<Element, Row> own;
  // Each way in whole: of what both have in common the compiler would take the row's loads behind the random bits.
  float total[1] = {a.dropout.threshold == 0
                        ? own.add(a, place, input, NoDropout())
                        : own.add(a, place, input, ThreadDropout<Row>(a.dropout, place, input.rowKey))};
  rowSums<Row>(total, sums);
  const float mean = a.centered ? total[0] * share : 0.0F;
  float spread[1] = {own.squares(place, mean)};
  rowSums<Row>(spread, squares);
  own.finish(a, place, mean, rsqrtf(spread[0] * share + a.eps));
}

/// Writes the sums over all rows of the block, row by row of its threads. columns: [3, width].
template <int kRows, typename Element, typename Row>
__device__ void writeColumns(const ThreadNormGradient<Element, Row>& own, const Row& place, std::int64_t width,
                             float* columns) {
  constexpr int kQuads = Row::kPacks * Row::kQuads;  // of a thread; those of adjacent threads are adjacent
  constexpr int kRowQuads = kQuads * Row::kThreads;
  __shared__ uint4 scratch[kRows][kRowQuads];
  const int rowOfBlock = static_cast<int>(threadIdx.x) / Row::kThreads;
  BATCHWISE_UNROLL
  for (int which = 0; which < 3; ++which) {
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      Pack<float, 4> sums;
      const float* const ofPack = own.columnSums[which][quad / Row::kQuads];
      float values[4];
      BATCHWISE_UNROLL
      for (int lane = 0; lane < 4; ++lane) values[lane] = ofPack[quad % Row::kQuads * 4 + lane];
      sums.pack(values);
      scratch[rowOfBlock][quad * Row::kThreads + place.thread] = sums.get();
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kRowQuads; i += kRows * Row::kThreads) {
      const int quad = i / Row::kThreads;
      const int feature =
          quad / Row::kQuads * Row::kDistance + i % Row::kThreads * Row::kLanes + quad % Row::kQuads * 4;
      if (feature >= width) continue;
      float total[4] = {};
      BATCHWISE_UNROLL
      for (int row = 0; row < kRows; ++row) {
        Pack<float, 4> ofRow;
        float more[4];
        ofRow.set(scratch[row][i]);
        ofRow.unpack(more);
        BATCHWISE_UNROLL
        for (int lane = 0; lane < 4; ++lane) total[lane] += more[lane];
      }
      writePack<4>(columns, which * width + feature, total);
    }
    __syncthreads();
  }
}

template <typename Element, int kPacks, int kRowWarps>
__global__ void __launch_bounds__((kGradientThreads<ThreadRow<Element, kPacks, kRowWarps>>), 1)
    addNormGradientRows(AddNormGradient<Element> a, std::int64_t rows, float share) {
  using Row = ThreadRow<Element, kPacks, kRowWarps>;
  constexpr int kThreads = kGradientThreads<Row>, kRows = kThreads / Row::kThreads;
  __shared__ float scratch[2][2][kThreads / kWarp];  // double buffer: warps may be a row ahead
  const std::int64_t step = std::int64_t{gridDim.x} * kRows;
  const auto rowOfBlock = static_cast<std::int64_t>(threadIdx.x / Row::kThreads);
  ThreadNormGradient<Element, Row> own;
  int turn = 0;
  NormGradientInput<Element, Row> next;
  if constexpr (kLoadsAhead<Row>) next.load(a, Row(blockIdx.x * kRows + rowOfBlock, rows, a.width));
  for (std::int64_t first = std::int64_t{blockIdx.x} * kRows; first < rows; first += step) {
    const Row place(first + rowOfBlock, rows, a.width), following(place.row + step, rows, a.width);
    NormGradientInput<Element, Row> input = next;
    if constexpr (kLoadsAhead<Row>) {
      next.load(a, following);
    } else {
      input.load(a, place);
      input.prefetchRow(a, following);
    }
    const auto totals = own.gather(a, place, input);
    float sums[2] = {totals.inner, totals.weighted};
    rowSums<Row>(sums, scratch[turn]);
    turn = 1 - turn;
    const float meanInner = a.centered ? sums[0] * share : 0.0F, meanWeighted = sums[1] * share;
    if (a.dropout.threshold == 0)
      own.finish(a, place, input, meanInner, meanWeighted, NoDropout());
    else
      own.finish(a, place, input, meanInner, meanWeighted, ThreadDropout<Row>(a.dropout, place, input.rowKey));
  }
  writeColumns<kRows>(own, Row(rowOfBlock, 0, a.width), a.width, a.columns + std::int64_t{blockIdx.x} * 3 * a.width);
}

/// Returns start(packs per thread, warps per row), both as constants, for rows of this width.
template <typename Element, typename Start>
Result<void> withRows(std::int64_t width, const char* kernel, const Start& start) {
  constexpr std::int64_t kBytesOfPacks = 16 * kWarp;  // one of each thread of a warp
  const auto rowsOf = [&](auto packs, auto warps) {
    return width * static_cast<std::int64_t>(sizeof(Element)) <= kBytesOfPacks * packs * warps;
  };
  using std::integral_constant;
  constexpr integral_constant<int, 1> kOne;
  constexpr integral_constant<int, 2> kTwo;
  constexpr integral_constant<int, 3> kThree;
  constexpr integral_constant<int, 4> kFour;
  if (!cudaAddNormSupports(width))
    return Error{ErrorCode::Device, formatText("{} does not support rows of {} features", kernel, width), {}};
  if (rowsOf(kTwo, kOne)) return start(kTwo, kOne);
  if (rowsOf(kThree, kOne)) return start(kThree, kOne);
  if (rowsOf(kFour, kOne)) return start(kFour, kOne);
  if (rowsOf(kThree, kTwo)) return start(kThree, kTwo);
  if constexpr (sizeof(Element) > 2)
    if (!rowsOf(kFour, kTwo)) return start(kFour, kFour);
  return start(kFour, kTwo);
}

}  // namespace

template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withRows<Element>(a.width, "the LayerNorm kernel", [&](auto packs, auto warps) {
    return launch("the LayerNorm kernel", addNormRows<Element, packs, warps>,
                  blockPerRow(ceilDiv(rows, kForwardThreads / (kWarp * warps))), kForwardThreads, stream, a, rows,
                  1.0F / static_cast<float>(a.width));
  });
}

std::int64_t cudaAddNormColumnBlocks(std::int64_t rows) {
  constexpr int kFewestRows = 2;  // that a block takes at once
  return std::min(ceilDiv(rows, kFewestRows), multiprocessors());
}

template <typename Element>
Result<void> cudaAddNormGradient(const AddNormGradient<Element>& a, std::int64_t rows, CudaStream stream) {
  if (rows == 0 || a.width == 0) return {};
  return withRows<Element>(a.width, "the LayerNorm gradient kernel", [&](auto packs, auto warps) {
    return launch("the LayerNorm gradient kernel", addNormGradientRows<Element, packs, warps>,
                  blockPerRow(cudaAddNormColumnBlocks(rows)), kGradientThreads<ThreadRow<Element, packs, warps>>,
                  stream, a, rows, 1.0F / static_cast<float>(a.width));
  });
}

template Result<void> cudaAddNorm<float>(const AddNorm<float>&, std::int64_t, CudaStream);
template Result<void> cudaAddNorm<Bf16>(const AddNorm<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNorm<Fp16>(const AddNorm<Fp16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<float>(const AddNormGradient<float>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<Bf16>(const AddNormGradient<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaAddNormGradient<Fp16>(const AddNormGradient<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
