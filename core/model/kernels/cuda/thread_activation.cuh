// SPDX-License-Identifier: GPL-3.0-or-later
// Per-thread part of the activation kernel and its gradient: a few adjacent columns, row after row.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/model/kernels/arguments.h"
#include "core/model/kernels/cuda/element_access.cuh"

namespace batchwise {

constexpr int kActivationThreads = 128;  // per block, side by side in a row

// 2^x and 1 / x in one instruction each, within 2 units in the last place; subnormal results are 0.
#if defined(__CUDACC__)
__device__ inline float fastExp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
__device__ inline float fastReciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
#else
inline float fastExp2(float x) {
  return std::exp2(x);
}
inline float fastReciprocal(float x) {
  return 1.0F / x;
}
#endif

/// Standard normal distribution at x: its density, and what lies beyond |x|, within 7.5e-8. Source: Abramowitz and
/// Stegun 1964, 26.2.17.
struct NormalTail {
  float density, beyond;
};
__device__ inline NormalTail normalTail(float x) {
  const float t = fastReciprocal(1.0F + 0.2316419F * fabsf(x));
  const float density = fastExp2(-0.72134752F * (x * x) - 1.3257481F);  // exp(-x^2 / 2) / sqrt(2 pi)
  const float series = t * (0.31938153F + t * (-0.35656378F + t * (1.7814779F + t * (-1.8212560F + t * 1.3302744F))));
  return {density, density * series};
}

/// The logistic function of x * ln(2).
__device__ inline float logistic2(float x) {
  return fastReciprocal(1.0F + fastExp2(-x));
}

constexpr float kLog2E = 1.44269504F;
// 2 sqrt(2 / pi), and its product with 0.044715: GELU's tanh form is x logistic(kTanhSlope x + kTanhCube x^3).
constexpr float kTanhSlope = 1.59576912F, kTanhCube = 0.07135481F;

template <ActivationKind kKind>
__device__ inline float activationOf(float x) {
  if constexpr (kKind == ActivationKind::Gelu) {
    return fmaxf(x, 0.0F) - fabsf(x) * normalTail(x).beyond;
  } else if constexpr (kKind == ActivationKind::GeluTanh) {
    return x * logistic2(x * (kLog2E * kTanhSlope + kLog2E * kTanhCube * (x * x)));
  } else if constexpr (kKind == ActivationKind::Silu) {
    return x * logistic2(kLog2E * x);
  } else {
    return x < 0.0F ? 0.0F : x;
  }
}

template <ActivationKind kKind>
__device__ inline float activationSlopeOf(float x) {
  if constexpr (kKind == ActivationKind::Gelu) {
    const NormalTail tail = normalTail(x);
    return (x < 0.0F ? tail.beyond : 1.0F - tail.beyond) + x * tail.density;
  } else if constexpr (kKind == ActivationKind::GeluTanh) {
    const float square = x * x, share = logistic2(x * (kLog2E * kTanhSlope + kLog2E * kTanhCube * square));
    return share + share * (1.0F - share) * (x * (kTanhSlope + 3.0F * kTanhCube * square));
  } else if constexpr (kKind == ActivationKind::Silu) {
    const float share = logistic2(kLog2E * x);
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
