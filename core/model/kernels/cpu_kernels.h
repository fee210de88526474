// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/model/kernels/arguments.h"
#include "core/model/kernels/element.h"

namespace batchwise {

// CPU kernels. Each processes the rows [begin, end); callers distribute rows over threads. Kernels allocate nothing and
// share no state, so disjoint ranges may run concurrently. Matrices are contiguous and row-major; Element is the
// storage type, float, Bf16 or Fp16; arithmetic is fp32. Results per row do not depend on the ranges.

/// Softmax of attention scores, in place: weights = exp(scale * scores - logSum) per row. logSum is written by the
/// forward pass and read by the backward pass.
struct AttentionRows {
  float* scores = nullptr;  ///< [rows, width], row stride `stride`
  std::int64_t stride = 0;
  std::int64_t width = 0;
  float scale = 1.0F;
  float* logSum = nullptr;  ///< [rows]
};

/// Gradient of the scores, in place in `weightGradients`: weights * (weightGradients * mask - delta) * scale.
struct AttentionGradientRows {
  const float* weights = nullptr;    ///< [rows, width], before dropout
  float* weightGradients = nullptr;  ///< [rows, width]
  const float* delta = nullptr;      ///< [rows]: sum over features of outputGradient * output
  std::int64_t stride = 0;
  std::int64_t width = 0;
  float scale = 1.0F;
};

/// Table of the kernels for one element type and instruction set.
template <typename Element>
struct CpuKernels {
  void (*addNorm)(const AddNorm<Element>&, std::int64_t begin, std::int64_t end);
  void (*addNormGradient)(const AddNormGradient<Element>&, std::int64_t begin, std::int64_t end);
  /// Writes the first two of the columns of addNormGradient(), and nothing else.
  void (*normColumns)(const AddNormGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*embed)(const Embed<Element>&, std::int64_t begin, std::int64_t end);
  void (*embedGradient)(const EmbedGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*biasActivation)(const BiasActivation<Element>&, std::int64_t begin, std::int64_t end);
  void (*biasActivationGradient)(const BiasActivationGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*gatedActivation)(const GatedActivation<Element>&, std::int64_t begin, std::int64_t end);
  void (*gatedActivationGradient)(const GatedActivationGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*rotate)(const Rotary<Element>&, std::int64_t begin, std::int64_t end);
  void (*crossEntropy)(const CrossEntropy<Element>&, std::int64_t begin, std::int64_t end);
  /// Forward: computes logSum and the weights.
  void (*attentionSoftmax)(const AttentionRows&, std::int64_t begin, std::int64_t end);
  /// Backward: recomputes the weights from logSum.
  void (*attentionWeights)(const AttentionRows&, std::int64_t begin, std::int64_t end);
  void (*attentionGradient)(const AttentionGradientRows&, std::int64_t begin, std::int64_t end);
  /// Multiplies features `first`, a multiple of 4, to first + width - 1 of a row in place by their dropout factors.
  void (*dropoutRow)(float* target, std::int64_t first, std::int64_t width, const Dropout&, std::int64_t rowKey);
  /// Converts a strided block of rows to contiguous fp32; narrow() is the inverse.
  void (*widen)(const Element* from, std::int64_t fromStride, float* to, std::int64_t rows, std::int64_t width);
  void (*narrow)(const float* from, Element* to, std::int64_t toStride, std::int64_t rows, std::int64_t width);
  /// Adds the rows with the given indices to `target`, in order; accumulates embedding gradients.
  void (*addRows)(float* target, const float* rows, const std::int64_t* indices, std::int64_t count,
                  std::int64_t width);
};

/// The kernels of one instruction set.
struct CpuKernelSet {
  CpuKernels<float> ofFloat;
  CpuKernels<Bf16> ofBf16;
  CpuKernels<Fp16> ofFp16;
};

/// Returns the kernels for the widest vectors that this processor supports. Thread-safe.
template <typename Element>
const CpuKernels<Element>& cpuKernels();

/// A level that this processor supports ("baseline", "x86-64-v3", "x86-64-v4"); tests compare all levels.
template <typename Element>
struct CpuKernelLevel {
  const char* name;
  const CpuKernels<Element>* kernels;
};
template <typename Element>
int cpuKernelLevels(CpuKernelLevel<Element> (&levels)[3]);

}  // namespace batchwise
