// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/kernels/activation.h"
#include "core/kernels/add_norm.h"
#include "core/kernels/dropout.h"
#include "core/kernels/element.h"

struct CUstream_st;

namespace batchwise {

using CudaStream = CUstream_st*;  ///< what CUDA calls cudaStream_t

/// output = residual + dropout(input + bias), row by row; bias and residual may be null. `output` may be `input`.
/// Matrices are row-major [rows, width] on the stream's device, Element float, Bf16 or Fp16, arithmetic in fp32.
/// rowKeys: [rows], see dropoutRowKey(). The same factors as on the CPU, bit for bit. rows or width 0: nothing happens.
/// Returns when queued. Fails with Device if the launch fails.
template <typename Element>
struct DropoutAdd {
  const Element* input = nullptr;
  const float* bias = nullptr;
  const Element* residual = nullptr;
  const std::int64_t* rowKeys = nullptr;
  Element* output = nullptr;
  Dropout dropout;
  std::int64_t rows = 0;
  std::int64_t width = 0;
};
template <typename Element>
Result<void> cudaDropoutAdd(const DropoutAdd<Element>& arguments, CudaStream stream);

/// The widest row that cudaAddNorm() and its gradient take: a row is held in the registers of a block of threads.
constexpr std::int64_t kMaxCudaNormWidth = 2048;
/// Whether they take rows of this width: four features are read at once.
constexpr bool cudaAddNormTakes(std::int64_t width) {
  return width % 4 == 0 && width <= kMaxCudaNormWidth;
}

/// AddNorm in one pass over memory: input and residual are read once, `sum` and output written once; the mask is made
/// from its key, not stored. Pointers to memory of the stream's device, each
/// aligned to 16 bytes. rows 0: nothing happens. Returns when queued.
/// Fails with Device if the launch fails or cudaAddNormTakes() not that width. The truth it is tested against:
/// addNormReference().
template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Rows of sums that cudaAddNormGradient() writes for so many rows.
std::int64_t cudaAddNormColumnBlocks(std::int64_t rows);

/// Its gradient, the mask made again. `columns`: [cudaAddNormColumnBlocks(rows), 3, width], partial sums of gamma, beta
/// and bias that are to be added up over the first dimension; which rows stand in which does not depend on the device,
/// and there are no atomics. Otherwise as cudaAddNorm(). The truth it is tested against: differences of
/// addNormReference().
template <typename Element>
Result<void> cudaAddNormGradient(const AddNormGradient<Element>& arguments, std::int64_t rows, CudaStream stream);

/// output = act(input + bias). input, output: [rows, width] row-major, Element float, Bf16 or Fp16, arithmetic in fp32;
/// bias: [width]. Any width; fastest where rows begin at 16 bytes. rows or width 0: nothing happens. Returns when
/// queued. Fails with Device if the launch fails. The truth it is tested against: activationReference().
template <typename Element>
struct CudaBiasActivation {
  const Element* input = nullptr;
  const float* bias = nullptr;
  Element* output = nullptr;
  ActivationKind kind = ActivationKind::Gelu;
  std::int64_t rows = 0;
  std::int64_t width = 0;
};
template <typename Element>
Result<void> cudaBiasActivation(const CudaBiasActivation<Element>& arguments, CudaStream stream);

/// Rows of sums that cudaBiasActivationGradient() writes for so many rows.
std::int64_t cudaBiasActivationColumnBlocks(std::int64_t rows);

/// inputGradient = outputGradient * act'(input + bias), and in the same pass its sums over rows. `columns`:
/// [cudaBiasActivationColumnBlocks(rows), width], partial sums that are to be added up over the first dimension; which
/// rows stand in which does not depend on the device, and there are no atomics. Otherwise as cudaBiasActivation().
template <typename Element>
struct CudaBiasActivationGradient {
  const Element* outputGradient = nullptr;
  const Element* input = nullptr;
  const float* bias = nullptr;
  Element* inputGradient = nullptr;
  float* columns = nullptr;
  ActivationKind kind = ActivationKind::Gelu;
  std::int64_t rows = 0;
  std::int64_t width = 0;
};
template <typename Element>
Result<void> cudaBiasActivationGradient(const CudaBiasActivationGradient<Element>& arguments, CudaStream stream);

/// Cross-entropy of rows of logits + bias against one label each; with `overwrite`, `logits` becomes softmax minus one
/// at the label, the gradient of the sum of losses. Reads the logits once for the loss and once for the gradient, and
/// holds nothing else of their size. logits: [rows, width], Element float, Bf16 or Fp16, arithmetic in fp32; bias:
/// [width]; labels: [rows], 0 <= label < width; loss: [rows]; correct: [rows], 1 where the largest logit (the first of
/// equals) is the label's. The order of sums is fixed. rows 0: nothing happens. Returns when queued. Fails with Device
/// if the launch fails. The truth it is tested against: crossEntropyReference().
template <typename Element>
struct CudaCrossEntropy {
  Element* logits = nullptr;
  const float* bias = nullptr;
  const std::int64_t* labels = nullptr;
  float* loss = nullptr;
  std::int64_t* correct = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;  ///< from row to row; 0: width. With `overwrite`, what stands between rows becomes 0
  bool overwrite = false;
};
template <typename Element>
Result<void> cudaCrossEntropy(const CudaCrossEntropy<Element>& arguments, CudaStream stream);

}  // namespace batchwise
