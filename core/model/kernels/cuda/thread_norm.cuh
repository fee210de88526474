// SPDX-License-Identifier: GPL-3.0-or-later
// Per-thread part of AddNorm and its gradient; between steps rowSums() sums over the threads of a row.
#pragma once

#include <cstdint>

#include "core/model/kernels/arguments.h"
#include "core/model/kernels/cuda/element_access.cuh"

namespace batchwise {

constexpr int kWarp = 32;

/// Features of a row assigned to a thread: kPacks packs of 16 bytes, those of the row's threads next to each other,
/// then the next ones. Requires a width of whole packs and matrices aligned to them.
template <typename Element, int kOwnPacks, int kRowWarps>
struct ThreadRow {
  static constexpr int kPacks = kOwnPacks;
  static constexpr int kLanes = kPackLanes<Element>;
  static constexpr int kQuads = kLanes / 4;  // of a pack: four features share 64 random bits
  static constexpr int kWarps = kRowWarps;
  static constexpr int kThreads = kWarp * kRowWarps;   // of a row
  static constexpr int kDistance = kThreads * kLanes;  // of a thread's packs

  std::int64_t row;
  int thread;  // of the row
  int left;    // features from its first pack to the end of the row; none beyond the last row, where it only joins in
               // sums
  std::int64_t first;  // of its elements in a matrix

  __device__ ThreadRow(std::int64_t number, std::int64_t rows, std::int64_t width)
      : row(number), thread(static_cast<int>(threadIdx.x % kThreads)) {
    left = row < rows ? static_cast<int>(width) - column() : 0;
    first = row * width + column();
  }
  __device__ int column() const { return thread * kLanes; }
  __device__ bool has(int pack) const { return pack * kDistance < left; }
  __device__ bool isFirst() const { return thread == 0 && left > 0; }
};

/// Sum over the threads of the warp, bit-identical in each thread.
__device__ inline float warpSum(float own) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  BATCHWISE_UNROLL
  for (int distance = kWarp / 2; distance > 0; distance /= 2) own += __shfl_xor_sync(kAll, own, distance);
  return own;
}

/// Sums over the threads of a row, bit-identical in each of them. Overwrites `scratch`, which a single warp does not
/// need.
template <typename Row, int kCount, int kWarps>
__device__ void rowSums(float (&own)[kCount], float (&scratch)[kCount][kWarps]) {
  BATCHWISE_UNROLL
  for (float& sum : own) sum = warpSum(sum);
  if constexpr (Row::kWarps > 1) {
    const int warp = static_cast<int>(threadIdx.x) / kWarp, firstOfRow = warp / Row::kWarps * Row::kWarps;
    BATCHWISE_UNROLL
    for (int i = 0; i < kCount; ++i)
      if (threadIdx.x % kWarp == 0) scratch[i][warp] = own[i];
    __syncthreads();
    BATCHWISE_UNROLL
    for (int i = 0; i < kCount; ++i) {
      own[i] = 0.0F;
      BATCHWISE_UNROLL
      for (int other = 0; other < Row::kWarps; ++other) own[i] += scratch[i][firstOfRow + other];
    }
  }
}

/// A thread's part of a row of a matrix, or of a vector that all rows share. Of a null pointer it has no packs.
template <typename Row, typename Item>
struct Part {
  Item* start;
  int left;

  // As numbers: an address that is not used may be computed of a null pointer.
  __device__ Part(const Row& place, Item* items, std::int64_t first)
      : start(reinterpret_cast<Item*>(reinterpret_cast<std::uintptr_t>(items) + first * sizeof(Item))),
        left(items == nullptr ? 0 : place.left) {}
  __device__ bool has(int pack) const { return pack * Row::kDistance < left; }
};
template <typename Row, typename Item>
__device__ Part<Row, Item> ofMatrix(const Row& place, Item* matrix) {
  return {place, matrix, place.first};
}
template <typename Row>
__device__ Part<Row, const float> ofColumns(const Row& place, const float* columns) {
  return {place, columns, place.column()};
}

/// Reads a pack of bias, gamma or beta; zeros where there is none.
template <typename Row>
__device__ void readColumns(const Part<Row, const float>& part, int pack, float (&values)[Row::kLanes]) {
  BATCHWISE_UNROLL
  for (int lane = 0; lane < Row::kLanes; lane += 4) {
    Pack<float, 4> quad;
    if (part.has(pack)) quad.readConstant(part.start, pack * Row::kDistance + lane);
    quad.unpack(values + lane);
  }
}

/// Rounds `values` to what is stored, and writes them where the thread has a pack.
template <typename Row, typename Element>
__device__ void writeRounded(const Part<Row, Element>& part, int pack, float (&values)[Row::kLanes]) {
  Pack<Element, Row::kLanes> stored;
  stored.pack(values);
  if (part.has(pack)) stored.write(part.start, pack * Row::kDistance);
}

/// Random bits of the dropout of a thread's features.
template <typename Row>
struct ThreadDropout {
  std::uint64_t bits[Row::kPacks][Row::kQuads];
  unsigned threshold;
  float scale;

  __device__ ThreadDropout(const Dropout& dropout, const Row& place, std::int64_t rowKey)
      : threshold(dropout.threshold << 16), scale(dropout.scale) {
    // Quads are counted from the thread's first one.
    const std::uint64_t state = dropoutRowState(dropout.key, rowKey) +
                                static_cast<std::uint64_t>(place.thread * Row::kQuads) * kDropoutQuadStep;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      BATCHWISE_UNROLL
      for (int quad = 0; quad < Row::kQuads; ++quad)
        bits[pack][quad] = dropoutBits(state, static_cast<std::uint64_t>(pack * Row::kDistance / 4 + quad));
    }
  }

  /// Factor of a feature, see Dropout. Compares its 16 bits as the upper ones of 32: those below decide nothing.
  __device__ float factor(int pack, int lane) const {
    const std::uint64_t ofQuad = bits[pack][lane / 4];
    const auto word = static_cast<unsigned>(lane % 4 < 2 ? ofQuad : ofQuad >> 32);
    return (lane % 2 == 0 ? word << 16 : word) < threshold ? 0.0F : scale;
  }
};
struct NoDropout {
  __device__ float factor(int, int) const { return 1.0F; }
};

/// What AddNorm reads of a row: all of it before the first value is used.
template <typename Element, typename Row>
struct NormInput {
  Pack<Element, Row::kLanes> input[Row::kPacks], residual[Row::kPacks];
  std::int64_t rowKey = 0;

  __device__ NormInput(const AddNorm<Element>& a, const Row& place) {
    if (a.dropout.threshold != 0 && place.left > 0) rowKey = a.rowKeys[place.row];
    const auto inputs = ofMatrix(place, a.input), residuals = ofMatrix(place, a.residual);
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      if (inputs.has(pack)) input[pack].readConstant(inputs.start, pack * Row::kDistance);
      if (residuals.has(pack)) residual[pack].readConstant(residuals.start, pack * Row::kDistance);
    }
  }
};

/// AddNorm, in this order; add() and squares() return this thread's parts of the row sum and of the sum of squared
/// deviations.
template <typename Element, typename Row>
struct ThreadNorm {
  static constexpr int kLanes = Row::kLanes;
  float values[Row::kPacks][kLanes];

  template <typename Drop>
  __device__ float add(const AddNorm<Element>& a, const Row& place, const NormInput<Element, Row>& row,
                       const Drop& dropout) {
    const auto biases = ofColumns(place, a.bias);
    const auto sums = ofMatrix(place, a.sum);
    float total = 0.0F;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float(&v)[kLanes] = values[pack];
      float bias[kLanes], residual[kLanes], ofPack = 0.0F;
      row.input[pack].unpack(v);
      row.residual[pack].unpack(residual);
      readColumns(biases, pack, bias);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane)
        v[lane] = (v[lane] + bias[lane]) * dropout.factor(pack, lane) + residual[lane];
      writeRounded(sums, pack, v);  // normalize what is stored, or would be: training and evaluation agree
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) ofPack += v[lane];
      total += ofPack;
    }
    return total;
  }

  /// Leaves the deviations in `values`.
  __device__ float squares(const Row& place, float mean) {
    float total = 0.0F;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float ofPack = 0.0F;
      BATCHWISE_UNROLL
      for (float& value : values[pack]) {
        value -= mean;
        ofPack += value * value;
      }
      total += place.has(pack) ? ofPack : 0.0F;
    }
    return total;
  }

  __device__ void finish(const AddNorm<Element>& a, const Row& place, float mean, float rstd) {
    const auto gammas = ofColumns(place, a.gamma), betas = ofColumns(place, a.beta);
    const auto outputs = ofMatrix(place, a.output);
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float(&v)[kLanes] = values[pack];
      float gamma[kLanes], beta[kLanes];
      readColumns(gammas, pack, gamma);
      readColumns(betas, pack, beta);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) v[lane] = v[lane] * rstd * gamma[lane] + beta[lane];
      writeRounded(outputs, pack, v);
    }
    if (!place.isFirst()) return;
    if (a.mean != nullptr) a.mean[place.row] = mean;
    if (a.rstd != nullptr) a.rstd[place.row] = rstd;
  }
};

/// What the gradient reads of a row.
template <typename Element, typename Row>
struct NormGradientInput {
  Pack<Element, Row::kLanes> outer[Row::kPacks], second[Row::kPacks], sums[Row::kPacks];
  float mean = 0.0F, rstd = 0.0F;
  std::int64_t rowKey = 0;

  __device__ void load(const AddNormGradient<Element>& a, const Row& place) {
    const bool there = place.left > 0, normed = there && a.outputGradient != nullptr;
    rowKey = a.dropout.threshold != 0 && there ? a.rowKeys[place.row] : 0;
    mean = normed ? a.mean[place.row] : 0.0F;
    rstd = normed ? a.rstd[place.row] : 0.0F;
    const auto outers = ofMatrix(place, a.outputGradient), seconds = ofMatrix(place, a.secondGradient);
    const auto ofSums = ofMatrix(place, a.outputGradient != nullptr ? a.sum : nullptr);
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      outer[pack] = {};
      second[pack] = {};
      sums[pack] = {};
      if (outers.has(pack)) outer[pack].readConstant(outers.start, pack * Row::kDistance);
      if (seconds.has(pack)) second[pack].readConstant(seconds.start, pack * Row::kDistance);
      if (ofSums.has(pack)) sums[pack].readConstant(ofSums.start, pack * Row::kDistance);
    }
  }

  /// In place of load(), where there are no registers for the values yet.
  __device__ static void prefetchRow(const AddNormGradient<Element>& a, const Row& place) {
    const auto outers = ofMatrix(place, a.outputGradient), seconds = ofMatrix(place, a.secondGradient);
    const auto ofSums = ofMatrix(place, a.sum);
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      if (outers.has(pack)) prefetch(outers.start + pack * Row::kDistance);
      if (seconds.has(pack)) prefetch(seconds.start + pack * Row::kDistance);
      if (ofSums.has(pack)) prefetch(ofSums.start + pack * Row::kDistance);
    }
  }
};

/// Gradient of AddNorm, over all rows of a thread.
template <typename Element, typename Row>
struct ThreadNormGradient {
  static constexpr int kLanes = Row::kLanes;
  float columnSums[3][Row::kPacks][kLanes] = {};  // of the gradients of gamma, beta and bias
  float inner[Row::kPacks][kLanes], units[Row::kPacks][kLanes];

  struct Totals {
    float inner = 0.0F;     // of outer * gamma
    float weighted = 0.0F;  // of outer * gamma * unit
  };

  /// Without a gradient of the output, all of these are zero.
  __device__ Totals gather(const AddNormGradient<Element>& a, const Row& place,
                           const NormGradientInput<Element, Row>& row) {
    const auto gammas = ofColumns(place, a.gamma);
    Totals totals;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float gamma[kLanes], outer[kLanes], second[kLanes], sums[kLanes];
      readColumns(gammas, pack, gamma);
      row.outer[pack].unpack(outer);
      row.second[pack].unpack(second);
      row.sums[pack].unpack(sums);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) {
        const float unit = (sums[lane] - row.mean) * row.rstd;
        outer[lane] += second[lane];
        columnSums[0][pack][lane] += outer[lane] * unit;
        columnSums[1][pack][lane] += outer[lane];
        inner[pack][lane] = outer[lane] * gamma[lane];
        units[pack][lane] = unit;
        totals.inner += inner[pack][lane];
        totals.weighted += inner[pack][lane] * unit;
      }
    }
    return totals;
  }

  /// `meanInner`, `meanWeighted`: totals over the row, divided by its width.
  template <typename Drop>
  __device__ void finish(const AddNormGradient<Element>& a, const Row& place,
                         const NormGradientInput<Element, Row>& row, float meanInner, float meanWeighted,
                         const Drop& dropout) {
    const auto others = ofMatrix(place, a.sumGradient);
    const auto residuals = ofMatrix(place, a.residualGradient == a.inputGradient ? nullptr : a.residualGradient);
    const auto inputs = ofMatrix(place, a.inputGradient);
    const float shift = row.rstd * meanInner, slope = row.rstd * meanWeighted;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      Pack<Element, kLanes> otherPack;
      float v[kLanes], other[kLanes], kept[kLanes];
      if (others.has(pack)) otherPack.readConstant(others.start, pack * Row::kDistance);
      otherPack.unpack(other);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane)
        kept[lane] = v[lane] = inner[pack][lane] * row.rstd - shift - units[pack][lane] * slope + other[lane];
      writeRounded(residuals, pack, kept);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) {
        v[lane] *= dropout.factor(pack, lane);
        columnSums[2][pack][lane] += v[lane];
      }
      writeRounded(inputs, pack, v);
    }
  }
};

}  // namespace batchwise
