// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/kernels/activation.h"
#include "core/kernels/add_norm.h"
#include "core/kernels/dropout.h"
#include "core/kernels/element.h"

namespace batchwise {

// Kernels of the CPU, each for the rows [begin, end): the caller divides the rows over its threads. They allocate
// nothing and share nothing, so ranges may run at once. Matrices are row-major without gaps. Element is float or Bf16
// and is what is stored; arithmetic is fp32. Sums over a row do not depend on how rows are divided.

/// output = dropout(norm(word[id] + position[place] + type[0])): the embeddings of Devlin et al. 2019, section 3, for
/// single sentences. mean, rstd may be null; `sum` is what backward needs.
template <typename Element>
struct Embed {
  const std::int64_t* tokenIds = nullptr;   ///< [rows]
  const std::int64_t* positions = nullptr;  ///< [rows]
  const std::int64_t* rowKeys = nullptr;    ///< [rows]
  const float* word = nullptr;              ///< [vocabulary, width]
  const float* position = nullptr;          ///< [positions, width]
  const float* type = nullptr;              ///< [types, width], the first is used
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float* sum = nullptr;  ///< [rows, width] or null
  Element* output = nullptr;
  float* mean = nullptr;
  float* rstd = nullptr;
  Dropout dropout;
  float eps = 0;
  std::int64_t width = 0;
};

/// The gradient of Embed up to the sum of the three embeddings. `columns`: sums over [begin, end) for gamma, beta and
/// the type embedding.
template <typename Element>
struct EmbedGradient {
  const Element* outputGradient = nullptr;
  const float* sum = nullptr;
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const std::int64_t* rowKeys = nullptr;
  const float* gamma = nullptr;
  float* sumGradient = nullptr;  ///< [rows, width]
  float* columns = nullptr;      ///< [3, width]
  Dropout dropout;
  std::int64_t width = 0;
};

/// output = act(input + bias); slope = act'(input + bias), or null.
template <typename Element>
struct BiasActivation {
  const Element* input = nullptr;  ///< [rows, width]
  const float* bias = nullptr;     ///< [width]
  Element* output = nullptr;       ///< [rows, width]
  Element* slope = nullptr;        ///< [rows, width] or null
  ActivationKind kind = ActivationKind::Gelu;
  std::int64_t width = 0;
};

/// inputGradient = outputGradient * slope; `columns`: its sums over [begin, end), the gradient of the bias.
template <typename Element>
struct BiasActivationGradient {
  const Element* outputGradient = nullptr;
  const Element* slope = nullptr;
  Element* inputGradient = nullptr;
  float* columns = nullptr;  ///< [width]
  std::int64_t width = 0;
};

/// loss[i] = -log softmax(logits[i] + bias)[label[i]]; correct[i] = 1 if the label has the largest logit (the first of
/// equals), else 0. With `overwrite`, logits become the gradient of the sum of losses: softmax - one-hot.
template <typename Element>
struct CrossEntropy {
  Element* logits = nullptr;             ///< [rows, width]
  const float* bias = nullptr;           ///< [width] or null
  const std::int64_t* labels = nullptr;  ///< [rows], within [0, width)
  float* loss = nullptr;                 ///< [rows]
  std::int64_t* correct = nullptr;       ///< [rows]
  float* scratch = nullptr;              ///< [width], this range's own
  bool overwrite = false;
  std::int64_t width = 0;
  std::int64_t stride = 0;  ///< from row to row; 0: width. With `overwrite`, what stands between rows becomes 0
};

/// Softmax of attention scores, in place: weights = exp(scale * scores - logSum) per row. logSum is written by the
/// forward pass and read by the backward pass.
struct AttentionRows {
  float* scores = nullptr;  ///< [rows, width], distance `stride` between rows
  std::int64_t stride = 0;
  std::int64_t width = 0;
  float scale = 1.0F;
  float* logSum = nullptr;  ///< [rows]
};

/// scores -> gradient of the scores: weights * (weightGradients * mask - delta) * scale, in place in `weightGradients`.
struct AttentionGradientRows {
  const float* weights = nullptr;    ///< [rows, width], before dropout
  float* weightGradients = nullptr;  ///< [rows, width]
  const float* delta = nullptr;      ///< [rows]: sum over features of outputGradient * output
  std::int64_t stride = 0;
  std::int64_t width = 0;
  float scale = 1.0F;
};

/// The kernels for one kind of number, for this machine's instructions.
template <typename Element>
struct CpuKernels {
  void (*addNorm)(const AddNorm<Element>&, std::int64_t begin, std::int64_t end);
  void (*addNormGradient)(const AddNormGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*embed)(const Embed<Element>&, std::int64_t begin, std::int64_t end);
  void (*embedGradient)(const EmbedGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*biasActivation)(const BiasActivation<Element>&, std::int64_t begin, std::int64_t end);
  void (*biasActivationGradient)(const BiasActivationGradient<Element>&, std::int64_t begin, std::int64_t end);
  void (*crossEntropy)(const CrossEntropy<Element>&, std::int64_t begin, std::int64_t end);
  /// First pass: finds logSum, then the weights.
  void (*attentionSoftmax)(const AttentionRows&, std::int64_t begin, std::int64_t end);
  /// Backward pass: the weights again, from the saved logSum.
  void (*attentionWeights)(const AttentionRows&, std::int64_t begin, std::int64_t end);
  void (*attentionGradient)(const AttentionGradientRows&, std::int64_t begin, std::int64_t end);
  /// target[j] *= the dropout factor of feature j of the row; in place, fp32.
  void (*dropoutRow)(float* target, std::int64_t width, const Dropout&, std::int64_t rowKey);
  /// to[i, j] = from[i, j] for a block of rows with distances between them: to and from fp32.
  void (*widen)(const Element* from, std::int64_t fromStride, float* to, std::int64_t rows, std::int64_t width);
  void (*narrow)(const float* from, Element* to, std::int64_t toStride, std::int64_t rows, std::int64_t width);
  /// target[j] += sources[0][j] + sources[1][j] + ..., in this order: rows of embeddings' gradients.
  void (*addRows)(float* target, const float* rows, const std::int64_t* indices, std::int64_t count,
                  std::int64_t width);
};

/// The kernels compiled for the widest vectors that this processor has. The first call looks; any thread.
template <typename Element>
const CpuKernels<Element>& cpuKernels();

/// All levels that this processor can run, by name ("baseline", "x86-64-v3", "x86-64-v4"), for tests that compare them.
template <typename Element>
struct CpuKernelLevel {
  const char* name;
  const CpuKernels<Element>* kernels;
};
template <typename Element>
int cpuKernelLevels(CpuKernelLevel<Element> (&levels)[3]);

}  // namespace batchwise
