// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/kernels/arguments.h"
#include "core/model/kernels/dropout.h"
#include "core/model/shape/model_shape.h"

namespace batchwise {

// Model operations other than matrix products, forward and backward, without autograd; implemented for CPU (kernels
// over blocks of rows on LibTorch's threads) and CUDA. ops.h wraps them as differentiable operations. Tensors are
// contiguous; activations have the compute type, norm weights and biases are fp32. Results do not depend on the number
// of threads.

class ExampleNorms;

struct NormOptions {
  Dropout dropout;
  double eps = 1e-12;
  bool training = true;              ///< false: do not return what only the backward pass needs
  bool keepSum = false;              ///< return `sum` even without training
  bool centered = true;              ///< false: RMSNorm
  ExampleNorms* examples = nullptr;  ///< takes the gradients of the norm in the backward pass; null: none
};

struct NormResult {
  at::Tensor output;  ///< [rows, width]
  at::Tensor sum;     ///< [rows, width], input of the norm; undefined without training and keepSum
  at::Tensor mean;    ///< [rows], fp32
  at::Tensor rstd;    ///< [rows], fp32
};

/// Gradients of the outputs of a norm; undefined: zero.
struct NormOutputGradients {
  at::Tensor output;
  at::Tensor second;  ///< added to that of `output`, which must be there: from another use of it
  at::Tensor sum;     ///< of `sum`
};

struct NormGradient {
  at::Tensor input, residual, bias, gamma, beta;
};

/// Undefined: the model has none; without gamma no norm.
struct EmbeddingWeights {
  at::Tensor word, position, type, gamma, beta;  // fp32
};

struct EmbeddingGradient {
  at::Tensor word, position, type, gamma, beta;  // fp32
};

/// Rotary position embedding; see Rotary.
struct RotaryPlan {
  at::Tensor cosines, sines;                ///< [positions, headSize / 2], fp32; undefined: none
  at::Tensor queryPositions, keyPositions;  ///< [query rows], [key rows], int64
  bool interleaved = false;
};

/// Layout of sequences, dropout and options of an attention call. A sequence is what attention stays inside.
struct AttentionPlan {
  std::shared_ptr<const std::vector<std::int32_t>> queryStarts, keyStarts;  ///< [sequences + 1], host
  at::Tensor queryStartsTensor, keyStartsTensor;                            ///< the same on the device, int32
  at::Tensor queryRowKeys;                                                  ///< [query rows], int64
  std::int64_t longestQuery = 0;
  std::int64_t longestKey = 0;
  std::int64_t heads = 1;
  std::int64_t keyValueHeads = 1;  ///< divides heads; each serves consecutive heads (Ainslie et al. 2023)
  std::int64_t headSize = 64;
  /// Keys are those at a distance of at most `window` in the sequence; -1: all (Beltagy et al. 2020).
  std::int64_t window = -1;
  /// [query rows], host: position of each query in its sequence, ascending; null: queries are all tokens.
  std::shared_ptr<const std::vector<std::int32_t>> queryPlaces;
  RotaryPlan rotary;
  double scale = 1.0;
  Dropout dropout;
  double dropoutProbability = 0;
  std::int64_t firstIndexInStep = 0;  ///< for fused GPU dropout, which has no row keys
  /// [sequences]: weight of each sequence's sum of squared logits in the objective; empty: no penalty. Requires all
  /// queries: `packed` holds Q, K and V.
  std::vector<float> logitPenalty;
  bool measureLogits = false;  ///< return `logSum` even without training
  bool biased = false;         ///< the product that has made `packed` has a bias, whose gradient is asked for
};

/// Self-attention within each sequence (Vaswani et al. 2017, section 3.2.2). Queries have heads * headSize features,
/// keys and values keyValueHeads * headSize. Either `packed` holds queries, keys and values side by side, or `query` is
/// [query rows, width] and `packed` keys and values.
struct AttentionInput {
  at::Tensor query;  ///< undefined if packed holds all three
  at::Tensor packed;
};

struct AttentionResult {
  at::Tensor output;  ///< [query rows, width]
  /// fp32, log-sum-exp of the logits per head and query row: [heads, rows]; [sequences, heads, >= longest], of which
  /// only rows of the sequences are valid; or [rows x heads] in any order.
  at::Tensor logSum;
  at::Tensor penalty;           ///< [], fp32; undefined without logitPenalty
  at::Tensor random1, random2;  ///< RNG state of fused GPU dropout, for the backward pass
};

struct AttentionGradient {
  at::Tensor query, packed;
  at::Tensor bias;  ///< sums of the columns of `packed`, fp32, if they came on the way; else undefined
};

constexpr ActivationKind kindOf(Activation activation) {
  switch (activation) {
    case Activation::Gelu: return ActivationKind::Gelu;
    case Activation::GeluTanh: return ActivationKind::GeluTanh;
    case Activation::Silu: return ActivationKind::Silu;
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
  /// norm(residual + dropout(input + bias)); bias, residual and beta may be undefined.
  virtual NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                             const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                             const NormOptions& options) const = 0;
  virtual NormGradient addNormGradient(const NormOutputGradients& outer, const NormResult& saved,
                                       const at::Tensor& rowKeys, const at::Tensor& gamma,
                                       const NormOptions& options) const = 0;
  /// Returns what ExampleNorms::add() adds: [sequences], fp64. starts: [sequences + 1], int64, first row of each
  /// sequence and the number of rows; outer.output must be there.
  virtual at::Tensor sequenceNorms(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& starts,
                                   bool hasBeta) const = 0;
  /// dropout(norm(word + position + type)) in `type`. `sum` may be undefined; without a norm the result has the output
  /// only.
  virtual NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                           const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const = 0;
  /// Of the tables in `weights`, which are as they were.
  virtual EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved,
                                          const at::Tensor& tokenIds, const at::Tensor& positions,
                                          const at::Tensor& rowKeys, const EmbeddingWeights& weights,
                                          const NormOptions& options) const = 0;
  /// Returns {act(input + bias), saved for backward}; bias may be undefined. With training, the second may be `input`
  /// or overwrite it, so `input` must not be used again; without, it is undefined.
  virtual std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                           Activation activation, bool training) const = 0;
  /// Returns {gradient of input, gradient of bias}.
  virtual std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient,
                                                                   const at::Tensor& saved, const at::Tensor& bias,
                                                                   Activation activation) const = 0;
  /// Returns {act(gate) * up, saved for backward} of input [rows, gate and up]. `input` must not be used again.
  virtual std::pair<at::Tensor, at::Tensor> gatedActivation(const at::Tensor& input, Activation activation,
                                                            bool training) const = 0;
  /// Returns the gradient of the input. May overwrite `saved`.
  virtual at::Tensor gatedActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                             Activation activation) const = 0;
  /// Turns the first `heads` heads of each row in place; see Rotary. `positions`: of the rows.
  virtual void rotate(const at::Tensor& rows, const at::Tensor& positions, std::int64_t heads,
                      const AttentionPlan& plan, bool inverse) const = 0;
  /// Queries and keys have been rotated. On CUDA a window requires all queries: no queryPlaces.
  virtual AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training) const = 0;
  /// Returns the gradient of the input as it was before it was rotated. penaltyGradient: [] or undefined.
  virtual AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                              const AttentionInput& input, const AttentionResult& saved,
                                              const AttentionPlan& plan) const = 0;
  /// Cross-entropies of logits + bias, which may be undefined; with `overwrite`, `logits` becomes the gradient of their
  /// sum. Columns beyond `vocabulary` are padding: they are ignored and get gradient 0.
  virtual LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels,
                                std::int64_t vocabulary, bool overwrite) const = 0;
};

const Backend& cpuBackend();
const Backend& cudaBackend();

/// Turns queries and keys, or their gradients, in place; `query` as in AttentionInput. Nothing without plan.rotary.
void rotateBoth(const Backend& backend, const at::Tensor& query, const at::Tensor& packed, const AttentionPlan& plan,
                bool inverse);

/// Attention of the CPU backend, without rotation; `saved` of the gradient is the result of cpuAttention().
AttentionResult cpuAttention(const AttentionInput& input, const AttentionPlan& plan);
AttentionGradient cpuAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                       const AttentionInput& input, const AttentionResult& saved,
                                       const AttentionPlan& plan);

/// Calls work(begin, end) for ranges of [0, count) of at least `grain` items (except the last), on LibTorch's threads.
/// Propagates exceptions.
void parallelFor(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work);

/// Calls work() once on each of LibTorch's threads; inside a parallel region possibly only on the calling thread.
void runOnEachThread(const std::function<void()>& work);

}  // namespace batchwise
