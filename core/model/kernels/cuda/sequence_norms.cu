// SPDX-License-Identifier: GPL-3.0-or-later
// In place of a dozen of ATen's operations, which write products and sums in fp32: one pass over memory that writes
// next to nothing.
#include <cuda_runtime.h>

#include "core/model/kernels/cuda/launch.cuh"
#include "core/model/kernels/cuda/thread_norm.cuh"
#include "core/model/kernels/cuda_kernels.h"

namespace batchwise {
namespace {

// The warps of a block take the rows of its sequence in turn, one pack a thread; each loads kRows of them before it
// uses the first.
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kRows = 2;
constexpr int kBlocks = 4;  // on a multiprocessor: with more there would be no registers to load into

template <typename Element>
__global__ void __launch_bounds__(kThreads, kBlocks) sequenceNormTiles(SequenceNorms<Element> a) {
  using Row = ThreadRow<Element, 1, 1>;
  constexpr int kColumns = Row::kDistance;  // of a tile
  __shared__ float sums[kWarps][2 * kColumns], squares[1][kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp, thread = static_cast<int>(threadIdx.x) % kWarp;
  const auto tiles = static_cast<unsigned>(cudaSequenceNormTiles<Element>(a.rows.width));
  const int skipped = static_cast<int>(blockIdx.x % tiles) * kColumns;
  const std::int64_t* const start = a.starts + blockIdx.x / tiles;
  const std::int64_t end = start[1];
  const auto placeIn = [&](std::int64_t row) {
    Row place(row, end, a.rows.width);
    place.left -= skipped;
    place.first += skipped;
    return place;
  };
  ThreadNormGradient<Element, Row> own;
  for (std::int64_t first = start[0] + warp; first < end; first += kRows * kWarps) {
    NormGradientInput<Element, Row> inputs[kRows];
    BATCHWISE_UNROLL
    for (int i = 0; i < kRows; ++i) inputs[i].load(a.rows, placeIn(first + i * kWarps));
    BATCHWISE_UNROLL
    for (int i = 0; i < kRows; ++i) own.gather(a.rows, placeIn(first + i * kWarps), inputs[i]);
  }
  BATCHWISE_UNROLL
  for (int i = 0; i < 2 * Row::kLanes; ++i)
    sums[warp][i * kWarp + thread] = own.columnSums[i / Row::kLanes][0][i % Row::kLanes];
  __syncthreads();
  float square[1] = {};
  for (int column = static_cast<int>(threadIdx.x); column < (a.hasBeta ? 2 : 1) * kColumns; column += kThreads) {
    float total = 0.0F;
    BATCHWISE_UNROLL
    for (int of = 0; of < kWarps; ++of) total += sums[of][column];
    square[0] += total * total;
  }
  rowSums<ThreadRow<Element, 1, kWarps>>(square, squares);
  if (threadIdx.x == 0) a.squares[blockIdx.x] = square[0];
}

}  // namespace

template <typename Element>
Result<void> cudaSequenceNorms(const SequenceNorms<Element>& a, std::int64_t sequences, CudaStream stream) {
  if (sequences == 0 || a.rows.width == 0) return {};
  return launch("the kernel of the norms of sequences", sequenceNormTiles<Element>,
                blockPerRow(sequences * cudaSequenceNormTiles<Element>(a.rows.width)), kThreads, stream, a);
}

template Result<void> cudaSequenceNorms<float>(const SequenceNorms<float>&, std::int64_t, CudaStream);
template Result<void> cudaSequenceNorms<Bf16>(const SequenceNorms<Bf16>&, std::int64_t, CudaStream);
template Result<void> cudaSequenceNorms<Fp16>(const SequenceNorms<Fp16>&, std::int64_t, CudaStream);

}  // namespace batchwise
