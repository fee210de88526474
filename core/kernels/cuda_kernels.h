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

using CudaStream = CUstream_st*;  ///< cudaStream_t

/// output = residual + dropout(input + bias), per row; bias and residual may be null; `output` may be `input`. Matrices
/// are row-major [rows, width] on the stream's device, Element float, Bf16 or Fp16, arithmetic in fp32. rowKeys:
/// [rows], see dropoutRowKey(). Dropout factors equal those on the CPU. Asynchronous; no-op if rows or width is 0.
/// Fails with Device if the launch fails.
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

/// Maximum row width of cudaAddNorm() and its gradient, which keep a row in the registers of a thread block.
constexpr std::int64_t kMaxCudaNormWidth = 2048;
/// Returns whether cudaAddNorm() supports rows of this width; it reads four features at once.
constexpr bool cudaAddNormSupports(std::int64_t width) {
  return width % 4 == 0 && width <= kMaxCudaNormWidth;
}

/// AddNorm in one pass over memory; recomputes the dropout mask from its key. Requires pointers on the stream's device,
/// aligned to 16 bytes. Asynchronous; no-op if rows is 0. Fails with Device if the launch fails or the width is not
/// supported. Reference: addNormReference().
template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Returns the rows of partial sums that cudaAddNormGradient() writes.
std::int64_t cudaAddNormColumnBlocks(std::int64_t rows);

/// Gradient of AddNorm. `columns`: [cudaAddNormColumnBlocks(rows), 3, width], partial sums for gamma, beta and bias, to
/// be summed over the first dimension; deterministic (no atomics, device-independent partition). Otherwise as
/// cudaAddNorm(). Reference: differences of addNormReference().
template <typename Element>
Result<void> cudaAddNormGradient(const AddNormGradient<Element>& arguments, std::int64_t rows, CudaStream stream);

/// output = act(input + bias). input, output: [rows, width] row-major, Element float, Bf16 or Fp16, arithmetic in fp32;
/// bias: [width]. Any width; fastest with rows aligned to 16 bytes. Asynchronous; no-op if rows or width is 0. Fails
/// with Device if the launch fails. Reference: activationReference().
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

/// Returns the rows of partial sums that cudaBiasActivationGradient() writes.
std::int64_t cudaBiasActivationColumnBlocks(std::int64_t rows);

/// inputGradient = outputGradient * act'(input + bias), and its column sums. `columns`:
/// [cudaBiasActivationColumnBlocks(rows), width], partial sums to be summed over the first dimension; deterministic as
/// in cudaAddNormGradient(). Otherwise as cudaBiasActivation().
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

/// Cross-entropy of logits + bias, one label per row; with `overwrite`, `logits` becomes the gradient of the sum of
/// losses, softmax - one-hot. logits: [rows, width], Element float, Bf16 or Fp16, arithmetic in fp32; bias: [width];
/// labels: [rows], 0 <= label < width; loss: [rows]; correct: [rows], 1 if the label is the argmax (the first of ties).
/// Needs no other memory of the size of the logits. Deterministic. Asynchronous; no-op if rows is 0. Fails with Device
/// if the launch fails. Reference: crossEntropyReference().
template <typename Element>
struct CudaCrossEntropy {
  Element* logits = nullptr;
  const float* bias = nullptr;
  const std::int64_t* labels = nullptr;
  float* loss = nullptr;
  std::int64_t* correct = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;  ///< row stride; 0: width. With `overwrite`, padding between rows is zeroed
  bool overwrite = false;
};
template <typename Element>
Result<void> cudaCrossEntropy(const CudaCrossEntropy<Element>& arguments, CudaStream stream);

}  // namespace batchwise
