// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <utility>

#include "core/model/backend.h"

namespace batchwise {

// Differentiable model operations. Each calls its Backend and adds one node to the graph.

/// A matrix in computations. `parts` are the fp32 leaves, stacked along the outputs; `compute` is the whole [outputs,
/// inputs] in the compute type (sharing memory with the parts in fp32).
struct Matrix {
  at::Tensor parts[3];
  at::Tensor compute;
};
struct Bias {
  at::Tensor parts[3];
  at::Tensor compute;
};

/// Returns `count` rows of a matrix from `first` on. A part that is cut takes part in the graph of the caller.
Matrix rowsOf(const Matrix& whole, std::int64_t first, std::int64_t count);
Bias rowsOf(const Bias& whole, std::int64_t first, std::int64_t count);

/// Returns input [rows, inputs] times matrix^T, plus bias.
at::Tensor linear(const at::Tensor& input, const Matrix& matrix, const Bias& bias);
at::Tensor linear(const at::Tensor& input, const Matrix& matrix);

struct AddNormOutput {
  at::Tensor output;
  at::Tensor residual;  ///< what comes back with the next residual: with keepSum the sum, else the output once more
};
/// `output` and `residual` are for one use each: the norm's gradient adds the gradients of both as it reads them, while
/// those of further uses cost a pass over memory each.
AddNormOutput addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                      const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                      const NormOptions& options);

at::Tensor embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                 const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type);

at::Tensor biasActivation(const at::Tensor& input, const at::Tensor& bias, Activation activation, bool training);
/// Overwrites `input`.
at::Tensor gatedActivation(const at::Tensor& input, Activation activation, bool training);

struct AttentionOutput {
  at::Tensor output;
  at::Tensor penalty;       ///< undefined without plan.logitPenalty
  at::Tensor largestLogit;  ///< [], fp32, no graph: largest log-sum-exp; undefined without plan.measureLogits
};
/// Rotates queries and keys in place before. `bias`: the one that was added to make input.packed, as constantBias():
/// its gradient comes from here, where that of `packed` is put together.
AttentionOutput attention(const AttentionInput& input, const Bias& bias, const AttentionPlan& plan, bool training);
/// Returns a bias that takes no gradient.
Bias constantBias(const Bias& bias);

struct TokenLoss {
  at::Tensor loss;     ///< [], fp32: sum
  at::Tensor correct;  ///< [], int64
};
/// Cross-entropy of input [rows, width] through the decoder, in chunks of rows, so logits are never stored for all
/// rows. Computes the gradients in the forward pass, since the gradient of the final loss is only a factor.
/// `decoder.compute` may have more rows than its leaf: zero padding for alignment. `bias` may be undefined.
TokenLoss decoderLoss(const at::Tensor& input, const Matrix& decoder, const at::Tensor& bias, const at::Tensor& labels,
                      bool training);

/// A plain value passed from forward to backward of an autograd function.
template <typename Value>
struct SavedValue : torch::CustomClassHolder {
  explicit SavedValue(Value given) : value(std::move(given)) {}
  Value value;
};

template <typename Value>
void saveForBackward(torch::autograd::AutogradContext* context, Value value) {
  context->saved_data["value"] = c10::IValue::make_capsule(c10::make_intrusive<SavedValue<Value>>(std::move(value)));
}

template <typename Value>
const Value& savedForBackward(torch::autograd::AutogradContext* context) {
  return static_cast<SavedValue<Value>*>(context->saved_data["value"].toCapsule().get())->value;
}

}  // namespace batchwise
