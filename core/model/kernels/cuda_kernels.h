// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/integer_math.h"
#include "core/base/result.h"
#include "core/model/kernels/arguments.h"
#include "core/model/kernels/element.h"

struct CUstream_st;

namespace batchwise {

using CudaStream = CUstream_st*;  ///< cudaStream_t

struct CudaCode {
  std::string capability;         ///< compute capability of the device, as "9.0"
  bool compiledByDriver = false;  ///< from PTX, at a kernel's first use: the device came after the build
};

/// Returns how the current device runs the kernels of this build. Fails with Device, naming the remedy, if it cannot.
Result<CudaCode> cudaCode();

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

/// Maximum row width of cudaAddNorm() and its gradient, which keep a row in the registers of one to four warps.
constexpr std::int64_t kMaxCudaNormWidth = 2048;
/// Returns whether cudaAddNorm() supports rows of this width; it reads 16 bytes at once.
constexpr bool cudaAddNormSupports(std::int64_t width) {
  return width % 8 == 0 && width <= kMaxCudaNormWidth;
}

/// AddNorm in one pass over memory; recomputes the dropout mask from its key. The sum is rounded to Element before it
/// is normalized, even if it is not stored, so evaluation computes what training does. Requires pointers on the
/// stream's device, aligned to 16 bytes. Asynchronous; no-op if rows is 0. Fails with Device if the launch fails or the
/// width is not supported. Reference: addNormReference().
template <typename Element>
Result<void> cudaAddNorm(const AddNorm<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Returns the rows of partial sums that cudaAddNormGradient() writes on the current device: one for each
/// multiprocessor, or fewer for few rows.
std::int64_t cudaAddNormColumnBlocks(std::int64_t rows);

/// Gradient of AddNorm. `columns`: [cudaAddNormColumnBlocks(rows), 3, width], partial sums for gamma, beta and bias, to
/// be summed over the first dimension; deterministic on devices of one model (no atomics). Otherwise as cudaAddNorm().
/// Reference: differences of addNormReference().
template <typename Element>
Result<void> cudaAddNormGradient(const AddNormGradient<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Returns the columns of SequenceNorms::squares: a block takes 512 bytes of each row.
template <typename Element>
constexpr std::int64_t cudaSequenceNormTiles(std::int64_t width) {
  return ceilDiv(width * static_cast<std::int64_t>(sizeof(Element)), 512);
}

/// SequenceNorms, to be summed over its columns, in one pass over memory; deterministic (no atomics). Requires a width
/// divisible by 8 and matrices on the stream's device, aligned to 16 bytes. Asynchronous; no-op if sequences or width
/// is 0. Fails with Device if the launch fails. Reference: sequenceNormsReference().
template <typename Element>
Result<void> cudaSequenceNorms(const SequenceNorms<Element>& arguments, std::int64_t sequences, CudaStream stream);

/// Returns whether cudaEmbed() and its gradient support rows of this width: a thread of a block has four features.
constexpr bool cudaEmbedSupports(std::int64_t width) {
  return width % 4 == 0 && width <= 4096;
}

/// Embed in one pass over memory. Requirements and failures as cudaAddNorm(). Reference: embedReference().
template <typename Element>
Result<void> cudaEmbed(const Embed<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Returns the rows of partial sums that cudaEmbedGradient() writes, as cudaAddNormColumnBlocks().
std::int64_t cudaEmbedColumnBlocks(std::int64_t rows, std::int64_t width);

/// Gradient of Embed. `columns`: [cudaEmbedColumnBlocks(rows, width), 3, width], partial sums to be summed over the
/// first dimension; deterministic as in cudaAddNormGradient(). Otherwise as cudaEmbed().
template <typename Element>
Result<void> cudaEmbedGradient(const EmbedGradient<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Returns the rows of SumRows::parts.
std::int64_t cudaSumRowsParts(std::int64_t rows);

/// SumRows, without atomics: the result does not depend on the device. Requires a width divisible by 4 and matrices
/// aligned to 16 bytes. Asynchronous; no-op if rows or width is 0. Fails with Device if the launch fails. Reference:
/// sumRowsReference().
Result<void> cudaSumRows(const SumRows<float>& arguments, std::int64_t rows, CudaStream stream);

/// BiasActivation without the slope. Any width; fastest with rows aligned to 16 bytes. Asynchronous; no-op if rows or
/// width is 0. Fails with Device if the launch fails. Reference: activationReference().
template <typename Element>
Result<void> cudaBiasActivation(const BiasActivation<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Returns the rows of partial sums that cudaBiasActivationGradient() writes: as many as its blocks resident at once.
std::int64_t cudaBiasActivationColumnBlocks(std::int64_t rows, std::int64_t width);

/// Gradient of BiasActivation. `columns`: [cudaBiasActivationColumnBlocks(rows, width), width], partial sums
/// to be summed over the first dimension; deterministic as in cudaAddNormGradient(). Otherwise as cudaBiasActivation().
template <typename Element>
Result<void> cudaBiasActivationGradient(const BiasActivationGradient<Element>& arguments, std::int64_t rows,
                                        CudaStream stream);

/// GatedActivation without the factors. Any width; fastest with rows aligned to 16 bytes. Asynchronous; no-op if rows
/// or width is 0. Fails with Device if the launch fails. Reference: activationReference().
template <typename Element>
Result<void> cudaGatedActivation(const GatedActivation<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Gradient of GatedActivation, as cudaGatedActivation().
template <typename Element>
Result<void> cudaGatedActivationGradient(const GatedActivationGradient<Element>& arguments, std::int64_t rows,
                                         CudaStream stream);

/// Returns the rows of partial sums that cudaJoinColumns() writes, as cudaAddNormColumnBlocks(); a.columns is not read.
template <typename Element>
std::int64_t cudaJoinColumnBlocks(const JoinColumns<Element>& arguments, std::int64_t rows);

/// JoinColumns. `columns`: [cudaJoinColumnBlocks(arguments, rows), width], partial sums to be summed over the first
/// dimension; deterministic as in cudaAddNormGradient(). Any widths; fastest with rows aligned to 16 bytes.
/// Asynchronous; no-op if rows or width is 0. Fails with Device if the launch fails. Reference: joinReference().
template <typename Element>
Result<void> cudaJoinColumns(const JoinColumns<Element>& arguments, std::int64_t rows, CudaStream stream);

/// Rotary, as cudaJoinColumns(). Reference: rotaryReference().
template <typename Element>
Result<void> cudaRotary(const Rotary<Element>& arguments, std::int64_t rows, CudaStream stream);

/// CrossEntropy. Needs no other memory of the size of the logits. Deterministic. Asynchronous; no-op if rows is 0.
/// Fails with Device if the launch fails. Reference: crossEntropyReference().
template <typename Element>
Result<void> cudaCrossEntropy(const CrossEntropy<Element>& arguments, std::int64_t rows, CudaStream stream);

}  // namespace batchwise
