// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include "core/model/backend.h"

namespace batchwise {

// Differentiable operations of the model. Each runs its Backend and leaves one node in the graph.

/// A matrix as the computation sees it. `parts` are the fp32 leaves, stacked along the outputs; `compute` is all of
/// them in one tensor [outputs, inputs] of the computation's type (sharing their memory in fp32).
struct Matrix {
  at::Tensor parts[3];
  at::Tensor compute;
};
struct Bias {
  at::Tensor parts[3];
  at::Tensor compute;
};

/// input [rows, inputs] times matrix^T, plus bias if there is one.
at::Tensor linear(const at::Tensor& input, const Matrix& matrix, const Bias& bias);
at::Tensor linear(const at::Tensor& input, const Matrix& matrix);

struct AddNormOutput {
  at::Tensor output;
  at::Tensor sum;  ///< undefined without training and keepSum
};
AddNormOutput addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                      const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                      const NormOptions& options);

at::Tensor embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                 const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type);

at::Tensor biasActivation(const at::Tensor& input, const at::Tensor& bias, Activation activation, bool training);

struct AttentionOutput {
  at::Tensor output;
  at::Tensor penalty;       ///< undefined without plan.logitPenalty
  at::Tensor largestLogit;  ///< [], fp32, no graph: the largest log-sum-exp; undefined without plan.measureLogits
};
AttentionOutput attention(const AttentionInput& input, const AttentionPlan& plan, bool training);

struct TokenLoss {
  at::Tensor loss;     ///< [], fp32: the sum
  at::Tensor correct;  ///< [], int64
};
/// Cross-entropy of input [rows, width] through the decoder, in chunks of rows: logits are never held for all rows, and
/// the gradients are made on the way (as the loss is the last operation, its own gradient is a mere factor).
/// `decoder.compute` may have more rows than there are tokens (`bias`): zeros, for the sake of alignment.
TokenLoss decoderLoss(const at::Tensor& input, const Matrix& decoder, const at::Tensor& bias, const at::Tensor& labels,
                      bool training);

}  // namespace batchwise
