// SPDX-License-Identifier: GPL-3.0-or-later
// Per-thread part of the activation kernel and its gradient: a few adjacent columns, row after row.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/arguments.h"
#include "core/kernels/cuda/element_access.cuh"

namespace batchwise {

constexpr int kActivationThreads = 128;  // per block, side by side in a row

template <ActivationKind kKind>
__device__ inline float activationOf(float x) {
  if constexpr (kKind == ActivationKind::Gelu) {
    return 0.5F * x * (1.0F + erff(x * 0.70710678F));
  } else if constexpr (kKind == ActivationKind::GeluTanh) {
    return 0.5F * x * (1.0F + tanhf(0.79788456F * x * (1.0F + 0.044715F * x * x)));
  } else if constexpr (kKind == ActivationKind::Silu) {
    return x / (1.0F + expf(-x));
  } else {
    return x < 0.0F ? 0.0F : x;
  }
}

template <ActivationKind kKind>
__device__ inline float activationSlopeOf(float x) {
  if constexpr (kKind == ActivationKind::Gelu) {
    return 0.5F * (1.0F + erff(x * 0.70710678F)) + x * 0.39894228F * expf(-0.5F * x * x);
  } else if constexpr (kKind == ActivationKind::GeluTanh) {
    const float t = tanhf(0.79788456F * x * (1.0F + 0.044715F * x * x));
    return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * 0.79788456F * (1.0F + 0.134145F * x * x);
  } else if constexpr (kKind == ActivationKind::Silu) {
    const float share = 1.0F / (1.0F + expf(-x));
    return share * (1.0F + x * (1.0F - share));
  } else {
    return x <= 0.0F ? 0.0F : 1.0F;
  }
}

/// kLanes columns starting at `column`. kLanes is 1, or matrices and rows are aligned to whole packs.
template <typename Element, ActivationKind kKind, int kLanes>
struct ThreadActivation {
  std::int64_t column;
  float bias[kLanes];
  float sums[kLanes];  // of the gradient, over the rows so far

  __device__ void begin(const float* biases, std::int64_t firstColumn) {
    column = firstColumn;
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kLanes; ++lane) {
      bias[lane] = biases == nullptr ? 0.0F : biases[column + lane];
      sums[lane] = 0.0F;
    }
  }

  __device__ void forward(const Element* input, Element* output, std::int64_t row, std::int64_t width) const {
    const std::int64_t at = row * width + column;
    float x[kLanes];
    readPack<kLanes>(input, at, x);
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kLanes; ++lane) x[lane] = activationOf<kKind>(x[lane] + bias[lane]);
    writePack<kLanes>(output, at, x);
  }

  __device__ void backward(const Element* outputGradient, const Element* input, Element* inputGradient,
                           std::int64_t row, std::int64_t width) {
    const std::int64_t at = row * width + column;
    float x[kLanes], g[kLanes];
    readPack<kLanes>(input, at, x);
    readPack<kLanes>(outputGradient, at, g);
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kLanes; ++lane) {
      g[lane] *= activationSlopeOf<kKind>(x[lane] + bias[lane]);
      sums[lane] += g[lane];
    }
    writePack<kLanes>(inputGradient, at, g);
  }

  /// Writes the column sums over the rows of this thread; columns: [width].
  __device__ void writeColumns(float* columns) const {
    BATCHWISE_UNROLL
    for (int lane = 0; lane < kLanes; ++lane) columns[column + lane] = sums[lane];
  }
};

}  // namespace batchwise
