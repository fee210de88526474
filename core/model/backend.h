// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/exchange/model_shape.h"
#include "core/kernels/activation.h"
#include "core/kernels/dropout.h"

namespace batchwise {

// The steps of the model that are more than a matrix product, forward and backward, without autograd: the same
// functions for the CPU (kernels over row blocks in the threads of LibTorch) and CUDA. ops.h makes differentiable
// operations of them. Tensors are contiguous, activations in the type of the computation, weights of norms and biases
// in fp32. Results do not depend on the number of threads.

struct NormOptions {
  Dropout dropout;
  double eps = 1e-12;
  bool training = true;  ///< false: what only the backward pass needs is not kept
  bool keepSum = false;  ///< `sum` is wanted even so
};

struct NormResult {
  at::Tensor output;  ///< [rows, width]
  at::Tensor sum;     ///< [rows, width], what was normalised; undefined unless wanted
  at::Tensor mean;    ///< [rows], fp32
  at::Tensor rstd;    ///< [rows], fp32
};

struct NormGradient {
  at::Tensor input, residual, bias, gamma, beta;
};

struct EmbeddingWeights {
  at::Tensor word, position, type, gamma, beta;  // fp32
};

struct EmbeddingGradient {
  at::Tensor word, position, type, gamma, beta;  // fp32
};

/// Which rows are whose, and where dropout is: what attention needs besides its input.
struct AttentionPlan {
  std::shared_ptr<const std::vector<std::int32_t>> queryStarts, keyStarts;  ///< [sequences + 1], host
  at::Tensor queryStartsTensor, keyStartsTensor;                            ///< the same, int32, on the device
  at::Tensor queryRowKeys;                                                  ///< [query rows], int64
  std::int64_t longestQuery = 0;
  std::int64_t longestKey = 0;
  std::int64_t heads = 1;
  std::int64_t headSize = 64;
  double scale = 1.0;
  Dropout dropout;
  double dropoutProbability = 0;
  std::int64_t firstPlaceInStep = 0;  ///< for a device's own dropout, which knows neither samples nor rows
  /// [sequences]: what the sum of squared logits of a sequence counts in the objective; empty: no such term. With it
  /// all queries are computed: `packed` holds all three.
  std::vector<float> logitPenalty;
  bool measureLogits = false;  ///< `logSum` is wanted whatever else is computed
};

/// Self-attention within each sequence (Vaswani et al. 2017, section 3.2.2). `packed` is queries, keys, values side by
/// side [rows, 3 * width], or `query` [query rows, width] and `packed` keys and values [rows, 2 * width].
struct AttentionInput {
  at::Tensor query;  ///< undefined if packed holds all three
  at::Tensor packed;
};

struct AttentionResult {
  at::Tensor output;  ///< [query rows, width]
  /// fp32, log-sum-exp of each head's logits of a query row: [heads, rows], [sequences, heads, longest or more], of
  /// which only the sequence's own rows count, or in any order [rows x heads].
  at::Tensor logSum;
  at::Tensor penalty;           ///< [], fp32; undefined without logitPenalty
  at::Tensor random1, random2;  ///< state of the device's own dropout, for the backward pass
};

struct AttentionGradient {
  at::Tensor query, packed;
};

constexpr ActivationKind kindOf(Activation activation) {
  switch (activation) {
    case Activation::Gelu: return ActivationKind::Gelu;
    case Activation::GeluTanh: return ActivationKind::GeluTanh;
    case Activation::Relu: break;
  }
  return ActivationKind::Relu;
}

struct LossRows {
  at::Tensor loss;     ///< [rows], fp32
  at::Tensor correct;  ///< [rows], int64
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// norm(residual + dropout(input + bias)); bias and residual may be undefined.
  virtual NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                             const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                             const NormOptions& options) const = 0;
  /// outputGradient or sumGradient may be undefined (zero).
  virtual NormGradient addNormGradient(const at::Tensor& outputGradient, const at::Tensor& sumGradient,
                                       const NormResult& saved, const at::Tensor& rowKeys, const at::Tensor& gamma,
                                       const NormOptions& options) const = 0;
  /// dropout(norm(word + position + type)) in `type`.
  virtual NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                           const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const = 0;
  virtual EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved,
                                          const at::Tensor& tokenIds, const at::Tensor& positions,
                                          const at::Tensor& rowKeys, const EmbeddingWeights& weights,
                                          const NormOptions& options) const = 0;
  /// {act(input + bias), what the backward pass needs}. With training the second is `input` itself or overwrites it, so
  /// that `input` is of no more use; without, it is undefined.
  virtual std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                           Activation activation, bool training) const = 0;
  /// {gradient of input, gradient of bias}.
  virtual std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient,
                                                                   const at::Tensor& saved, const at::Tensor& bias,
                                                                   Activation activation) const = 0;
  virtual AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training) const = 0;
  /// penaltyGradient: [] or undefined.
  virtual AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                              const AttentionInput& input, const AttentionResult& saved,
                                              const AttentionPlan& plan) const = 0;
  /// Cross-entropies of logits + bias; with `overwrite`, `logits` becomes the gradient of their sum. Columns of
  /// `logits` beyond `bias` are padding: no part of the sum, with a gradient of 0.
  virtual LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels,
                                bool overwrite) const = 0;
};

/// The one for tensors on `device`. Any thread.
const Backend& backendFor(at::Device device);
const Backend& cpuBackend();
const Backend& cudaBackend();

}  // namespace batchwise
