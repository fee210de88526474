// SPDX-License-Identifier: GPL-3.0-or-later
// Per-thread part of AddNorm and its gradient; between steps the threads of a row sum their results.
#pragma once

#include <cstdint>

#include "core/kernels/arguments.h"
#include "core/kernels/cuda/element_access.cuh"

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
  std::int64_t first;  // element of the matrices
  int column;          // of it in the row
  int width;           // 0 beyond the last row: such threads only join in sums
  int thread;          // of the row

  __device__ ThreadRow(std::int64_t row, std::int64_t rows, std::int64_t rowWidth)
      : row(row), thread(static_cast<int>(threadIdx.x) % kThreads) {
    column = thread * kLanes;
    first = row * rowWidth + column;
    width = row < rows ? static_cast<int>(rowWidth) : 0;
  }

  __device__ int feature(int pack) const { return column + pack * kDistance; }
  __device__ bool has(int pack) const { return feature(pack) < width; }

  /// Reads a pack of a matrix; zeros where the thread has none, or `matrix` is null.
  __device__ void read(const Element* matrix, int pack, Pack<Element, kLanes>& values) const {
    values = {};
    if (matrix != nullptr && has(pack)) values.readConstant(matrix, first + pack * kDistance);
  }
  /// Reads from a vector shared by all rows: bias, gamma, beta.
  __device__ void readColumns(const float* columns, int pack, float (&values)[kLanes]) const {
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kLanes; lane += 4) {
      Pack<float, 4> quad;
      if (columns != nullptr && has(pack)) quad.readConstant(columns, feature(pack) + lane);
      quad.unpack(values + lane);
    }
  }
  /// Writes `values`, if `matrix` is not null, and rounds them to what is stored.
  __device__ void write(Element* matrix, int pack, float (&values)[kLanes]) const {
    if (matrix == nullptr) return;
    Pack<Element, kLanes> stored;
    stored.pack(values);
    if (has(pack)) stored.write(matrix, first + pack * kDistance);
  }
};

/// Random bits of the dropout of the features of a pack.
template <typename Row>
struct PackDropout {
  std::uint64_t bits[Row::kQuads];

  /// state: of dropoutRowState().
  __device__ void draw(const Dropout& dropout, std::uint64_t state, const Row& place, int pack) {
    if (dropout.threshold == 0) return;
    BATCHWISE_UNROLL
    for (int quad = 0; quad < Row::kQuads; ++quad)
      bits[quad] = dropoutBits(state, static_cast<std::uint64_t>(place.feature(pack) / 4 + quad));
  }

  /// Multiplies by dropoutFactor(). Compares the 16 bits of a feature as the upper ones of 32: those below decide
  /// nothing.
  __device__ void apply(const Dropout& dropout, float (&values)[Row::kLanes]) const {
    if (dropout.threshold == 0) return;
    const unsigned threshold = dropout.threshold << 16;
    BATCHWISE_UNROLL
    for (int quad = 0; quad < Row::kQuads; ++quad) {
      float* const v = values + 4 * quad;
      const auto low = static_cast<unsigned>(bits[quad]), high = static_cast<unsigned>(bits[quad] >> 32);
      v[0] *= low << 16 < threshold ? 0.0F : dropout.scale;
      v[1] *= low < threshold ? 0.0F : dropout.scale;
      v[2] *= high << 16 < threshold ? 0.0F : dropout.scale;
      v[3] *= high < threshold ? 0.0F : dropout.scale;
    }
  }
};

/// AddNorm, after load() in this order: add() and squares() return this thread's parts of the row sum and of the sum of
/// squared deviations.
template <typename Element, typename Row>
struct ThreadNorm {
  static constexpr int kLanes = Row::kLanes;
  Pack<Element, kLanes> inputs[Row::kPacks], residuals[Row::kPacks];
  PackDropout<Row> dropouts[Row::kPacks];  // drawn while the row is being loaded
  float values[Row::kPacks][kLanes];

  __device__ void load(const AddNorm<Element>& a, const Row& place) {
    const std::int64_t rowKey = a.dropout.threshold != 0 && place.width != 0 ? a.rowKeys[place.row] : 0;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      place.read(a.input, pack, inputs[pack]);
      place.read(a.residual, pack, residuals[pack]);
    }
    const std::uint64_t state = dropoutRowState(a.dropout.key, rowKey);
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) dropouts[pack].draw(a.dropout, state, place, pack);
  }

  __device__ float add(const AddNorm<Element>& a, const Row& place) {
    float total = 0.0F;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float(&v)[kLanes] = values[pack];
      float bias[kLanes], residual[kLanes];
      inputs[pack].unpack(v);
      residuals[pack].unpack(residual);
      place.readColumns(a.bias, pack, bias);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) v[lane] += bias[lane];
      dropouts[pack].apply(a.dropout, v);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) v[lane] += residual[lane];
      place.write(a.sum, pack, v);  // normalize the stored values
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) total += v[lane];
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
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float(&v)[kLanes] = values[pack];
      float gamma[kLanes], beta[kLanes];
      place.readColumns(a.gamma, pack, gamma);
      place.readColumns(a.beta, pack, beta);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) v[lane] = v[lane] * rstd * gamma[lane] + beta[lane];
      place.write(a.output, pack, v);
    }
    if (place.thread != 0 || place.width == 0) return;
    if (a.mean != nullptr) a.mean[place.row] = mean;
    if (a.rstd != nullptr) a.rstd[place.row] = rstd;
  }
};

/// What the gradient reads of a row.
template <typename Element, typename Row>
struct NormGradientInput {
  Pack<Element, Row::kLanes> outer[Row::kPacks], sums[Row::kPacks];
  float mean = 0.0F, rstd = 0.0F;
  std::int64_t rowKey = 0;

  __device__ void load(const AddNormGradient<Element>& a, const Row& place) {
    const bool there = place.width != 0;
    rowKey = a.dropout.threshold != 0 && there ? a.rowKeys[place.row] : 0;
    const bool normed = a.outputGradient != nullptr;
    mean = normed && there ? a.mean[place.row] : 0.0F;
    rstd = normed && there ? a.rstd[place.row] : 0.0F;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      place.read(a.outputGradient, pack, outer[pack]);
      place.read(normed ? a.sum : nullptr, pack, sums[pack]);
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
                           const NormGradientInput<Element, Row>& input) {
    Totals totals;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      float gamma[kLanes], outer[kLanes], sums[kLanes];
      place.readColumns(a.gamma, pack, gamma);
      input.outer[pack].unpack(outer);
      input.sums[pack].unpack(sums);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) {
        const float unit = (sums[lane] - input.mean) * input.rstd;
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
  __device__ void finish(const AddNormGradient<Element>& a, const Row& place,
                         const NormGradientInput<Element, Row>& input, float meanInner, float meanWeighted) {
    const std::uint64_t state = dropoutRowState(a.dropout.key, input.rowKey);
    const float shift = input.rstd * meanInner, slope = input.rstd * meanWeighted;
    BATCHWISE_UNROLL
    for (int pack = 0; pack < Row::kPacks; ++pack) {
      Pack<Element, kLanes> others;
      float v[kLanes], other[kLanes];
      place.read(a.sumGradient, pack, others);
      others.unpack(other);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane)
        v[lane] = inner[pack][lane] * input.rstd - shift - units[pack][lane] * slope + other[lane];
      if (a.residualGradient != a.inputGradient) {
        float kept[kLanes];
        BATCHWISE_UNROLL
        for (int lane = 0; lane < kLanes; ++lane) kept[lane] = v[lane];
        place.write(a.residualGradient, pack, kept);
      }
      PackDropout<Row> dropout;
      dropout.draw(a.dropout, state, place, pack);
      dropout.apply(a.dropout, v);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) columnSums[2][pack][lane] += v[lane];
      place.write(a.inputGradient, pack, v);
    }
  }
};

}  // namespace batchwise
