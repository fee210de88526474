// SPDX-License-Identifier: GPL-3.0-or-later
// Per-thread part of AddNorm and its gradient; between steps the threads of a row sum their results.
#pragma once

#include <cstdint>

#include "core/kernels/arguments.h"
#include "core/kernels/cuda/element_access.cuh"

namespace batchwise {

constexpr int kNormThreads = 128;  // per row

/// Features of a row assigned to a thread: quads `thread`, `thread` + kNormThreads, ... Requires a width divisible by 4
/// and matrices aligned to quads.
template <int kQuads>
struct ThreadRow {
  std::int64_t row;
  std::int64_t width;
  int thread;

  __device__ std::int64_t feature(int quad) const {
    return 4 * (static_cast<std::int64_t>(quad) * kNormThreads + thread);
  }
  __device__ bool has(int quad) const { return feature(quad) < width; }

  template <typename Element>
  __device__ void read(const Element* matrix, int quad, float* values) const {
    readPack<4>(matrix, row * width + feature(quad), values);
  }
  /// Reads a row vector shared by all rows: bias, gamma, beta.
  __device__ void readColumn(const float* columns, int quad, float* values) const {
    readPack<4>(columns, feature(quad), values);
  }
  /// Writes `values`, and rounds them to what is stored.
  template <typename Element>
  __device__ void write(Element* matrix, int quad, float* values) const {
    writePack<4>(matrix, row * width + feature(quad), values);
  }
  __device__ void drop(const Dropout& dropout, const std::int64_t* rowKeys, int quad, float* values) const {
    if (dropout.threshold == 0) return;
    const std::uint64_t bits =
        dropoutBits(dropoutRowState(dropout.key, rowKeys[row]), static_cast<std::uint64_t>(feature(quad) / 4));
    BATCHWISE_UNROLL
    for (int lane = 0; lane < 4; ++lane) {
      const std::uint32_t drawn = static_cast<std::uint32_t>(bits >> (16 * lane)) & 0xFFFFU;
      values[lane] *= drawn < dropout.threshold ? 0.0F : dropout.scale;
    }
  }
};

__device__ inline void addTo(float* values, const float* more) {
  BATCHWISE_UNROLL
  for (int lane = 0; lane < 4; ++lane) values[lane] += more[lane];
}

/// AddNorm: add() and squares() return this thread's parts of the row sum and of the sum of squared deviations.
template <typename Element, int kQuads>
struct ThreadNorm {
  float values[kQuads][4];

  __device__ float add(const AddNorm<Element>& a, const ThreadRow<kQuads>& place) {
    float total = 0.0F;
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      if (!place.has(quad)) continue;
      float* const v = values[quad];
      float other[4];
      place.read(a.input, quad, v);
      if (a.bias != nullptr) {
        place.readColumn(a.bias, quad, other);
        addTo(v, other);
      }
      place.drop(a.dropout, a.rowKeys, quad, v);
      if (a.residual != nullptr) {
        place.read(a.residual, quad, other);
        addTo(v, other);
      }
      if (a.sum != nullptr) place.write(a.sum, quad, v);  // normalize the stored values
      total += (v[0] + v[1]) + (v[2] + v[3]);
    }
    return total;
  }

  __device__ float squares(const ThreadRow<kQuads>& place, float mean) const {
    float total = 0.0F;
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      if (!place.has(quad)) continue;
      BATCHWISE_UNROLL
      for (int lane = 0; lane < 4; ++lane) total += (values[quad][lane] - mean) * (values[quad][lane] - mean);
    }
    return total;
  }

  __device__ void finish(const AddNorm<Element>& a, const ThreadRow<kQuads>& place, float mean, float rstd) {
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      if (!place.has(quad)) continue;
      float* const v = values[quad];
      float gamma[4], beta[4] = {};
      place.readColumn(a.gamma, quad, gamma);
      if (a.beta != nullptr) place.readColumn(a.beta, quad, beta);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < 4; ++lane) v[lane] = (v[lane] - mean) * rstd * gamma[lane] + beta[lane];
      place.write(a.output, quad, v);
    }
    if (place.thread != 0) return;
    if (a.mean != nullptr) a.mean[place.row] = mean;
    if (a.rstd != nullptr) a.rstd[place.row] = rstd;
  }
};

/// Gradient of AddNorm, over all rows of a block of threads.
template <typename Element, int kQuads>
struct ThreadNormGradient {
  float gammaSums[kQuads][4] = {}, betaSums[kQuads][4] = {}, biasSums[kQuads][4] = {};
  float outer[kQuads][4], units[kQuads][4];

  struct Totals {
    float inner = 0.0F;     // of outer * gamma
    float weighted = 0.0F;  // of outer * gamma * unit
  };

  __device__ Totals gather(const AddNormGradient<Element>& a, const ThreadRow<kQuads>& place) {
    Totals totals;
    if (a.outputGradient == nullptr) return totals;
    const float mean = a.mean[place.row];
    const float rstd = a.rstd[place.row];
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      if (!place.has(quad)) continue;
      float gamma[4];
      place.read(a.outputGradient, quad, outer[quad]);
      place.read(a.sum, quad, units[quad]);
      place.readColumn(a.gamma, quad, gamma);
      BATCHWISE_UNROLL
      for (int lane = 0; lane < 4; ++lane) {
        const float unit = (units[quad][lane] - mean) * rstd;
        const float gradient = outer[quad][lane];
        gammaSums[quad][lane] += gradient * unit;
        betaSums[quad][lane] += gradient;
        const float inner = gradient * gamma[lane];
        totals.inner += inner;
        totals.weighted += inner * unit;
        outer[quad][lane] = inner;
        units[quad][lane] = unit;
      }
    }
    return totals;
  }

  /// `totals`: summed over the row.
  __device__ void finish(const AddNormGradient<Element>& a, const ThreadRow<kQuads>& place, const Totals& totals) {
    const float rstd = a.outputGradient != nullptr ? a.rstd[place.row] : 0.0F;
    const float meanInner = a.centered ? totals.inner / static_cast<float>(place.width) : 0.0F;
    const float meanWeighted = totals.weighted / static_cast<float>(place.width);
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      if (!place.has(quad)) continue;
      float v[4] = {};
      if (a.outputGradient != nullptr) {
        BATCHWISE_UNROLL
        for (int lane = 0; lane < 4; ++lane)
          v[lane] = rstd * (outer[quad][lane] - meanInner - units[quad][lane] * meanWeighted);
      }
      if (a.sumGradient != nullptr) {
        float other[4];
        place.read(a.sumGradient, quad, other);
        addTo(v, other);
      }
      if (a.residualGradient != nullptr && a.residualGradient != a.inputGradient) {
        float kept[4] = {v[0], v[1], v[2], v[3]};
        place.write(a.residualGradient, quad, kept);
      }
      place.drop(a.dropout, a.rowKeys, quad, v);
      addTo(biasSums[quad], v);
      place.write(a.inputGradient, quad, v);
    }
  }

  /// columns: [3, width], of this block.
  __device__ void writeColumns(const ThreadRow<kQuads>& place, float* columns) const {
    BATCHWISE_UNROLL
    for (int quad = 0; quad < kQuads; ++quad) {
      if (!place.has(quad)) continue;
      BATCHWISE_UNROLL
      for (int lane = 0; lane < 4; ++lane) {
        const std::int64_t feature = place.feature(quad) + lane;
        columns[feature] = gammaSums[quad][lane];
        columns[place.width + feature] = betaSums[quad][lane];
        columns[2 * place.width + feature] = biasSums[quad][lane];
      }
    }
  }
};

}  // namespace batchwise
