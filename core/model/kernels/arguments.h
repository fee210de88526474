// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/model/kernels/dropout.h"

namespace batchwise {

// Arguments of the kernels that exist for CPU and CUDA. Matrices are contiguous and row-major; Element is float, Bf16
// or Fp16; arithmetic is fp32.

/// gelu in its exact and tanh forms (Hendrycks and Gimpel 2016, section 2); silu: x / (1 + exp(-x)).
enum class ActivationKind : std::uint32_t { Gelu, GeluTanh, Relu, Silu };

/// Maximum row width of the norm kernels.
constexpr std::int64_t kMaxNormWidth = 16384;

/// sum = residual + dropout(input + bias); output = (sum - mean) / sqrt(variance + eps) * gamma + beta, per row, with
/// the biased variance (Ba, Kiros and Hinton 2016); if not `centered`, with a mean of 0: RMSNorm (Zhang and Sennrich
/// 2019). residual, bias, beta, sum, mean and rstd may be null. width <= kMaxNormWidth.
template <typename Element>
struct AddNorm {
  const Element* input = nullptr;         ///< [rows, width]
  const float* bias = nullptr;            ///< [width]
  const Element* residual = nullptr;      ///< [rows, width]
  const std::int64_t* rowKeys = nullptr;  ///< [rows], read only with dropout
  const float* gamma = nullptr;           ///< [width]
  const float* beta = nullptr;            ///< [width]
  Element* sum = nullptr;                 ///< [rows, width]
  Element* output = nullptr;              ///< [rows, width]
  float* mean = nullptr;                  ///< [rows]
  float* rstd = nullptr;                  ///< [rows]
  Dropout dropout;
  float eps = 0;
  std::int64_t width = 0;
  bool centered = true;
};

/// Gradient of AddNorm. `columns` receives sums over the rows [begin, end): gradients of gamma, beta and bias.
template <typename Element>
struct AddNormGradient {
  const Element* outputGradient = nullptr;  ///< [rows, width]; null: zero
  const Element* secondGradient = nullptr;  ///< [rows, width], added to outputGradient, which must be there; null: zero
  const Element* sumGradient = nullptr;     ///< [rows, width], gradient of `sum` from other uses; null: zero
  const Element* sum = nullptr;             ///< [rows, width], as saved
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const std::int64_t* rowKeys = nullptr;
  const float* gamma = nullptr;
  Element* inputGradient = nullptr;     ///< [rows, width]
  Element* residualGradient = nullptr;  ///< [rows, width]; null, or equal to inputGradient without dropout
  float* columns = nullptr;             ///< [3, width]
  Dropout dropout;
  std::int64_t width = 0;
  bool centered = true;
};

/// Squared norms of the gradients of gamma and beta that each sequence has alone: of the sums over its rows that are
/// the first two of AddNormGradient::columns (Gray et al. 2024, arXiv 2411.00999). CUDA only.
template <typename Element>
struct SequenceNorms {
  AddNormGradient<Element> rows;  ///< read: gradients of the output, of which the first must be there, sum, mean, rstd
  const std::int64_t* starts = nullptr;  ///< [sequences + 1]: first row of each, and the number of rows
  float* squares = nullptr;              ///< [sequences, cudaSequenceNormTiles()], parts of each
  bool hasBeta = true;                   ///< false: of gamma alone
};

/// Rows of word[id] + type[0] + position[index] (Devlin et al. 2019, section 3, for single sentences).
struct EmbeddingSum {
  const std::int64_t* tokenIds = nullptr;   ///< [rows]
  const std::int64_t* positions = nullptr;  ///< [rows]
  const float* word = nullptr;              ///< [vocabulary, width]
  const float* position = nullptr;          ///< [positions, width] or null
  const float* type = nullptr;              ///< [types, width] or null; only the first is used
};

/// output = dropout(norm(sum)). gamma null: no norm; beta, mean, rstd, eps and `centered` as in AddNorm.
template <typename Element>
struct Embed {
  EmbeddingSum sum;
  const std::int64_t* rowKeys = nullptr;  ///< [rows], read only with dropout
  const float* gamma = nullptr;
  const float* beta = nullptr;
  Element* output = nullptr;  ///< [rows, width]
  float* mean = nullptr;
  float* rstd = nullptr;
  Dropout dropout;
  float eps = 0;
  std::int64_t width = 0;
  bool centered = true;
};

/// Gradient of Embed with respect to the sum of the embeddings, which is put together once more: with the tables as
/// they were. `columns`: sums over [begin, end) for gamma, beta and the type embedding. gamma null: no norm; sum, mean
/// and rstd are not read.
template <typename Element>
struct EmbedGradient {
  EmbeddingSum sum;
  const Element* outputGradient = nullptr;  ///< [rows, width]
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const std::int64_t* rowKeys = nullptr;
  const float* gamma = nullptr;
  float* sumGradient = nullptr;  ///< [rows, width]
  float* columns = nullptr;      ///< [3, width]
  Dropout dropout;
  std::int64_t width = 0;
  bool centered = true;
};

/// sums[id] = sum of the rows with that id; sums without a row stay as they are. CUDA only.
template <typename Element>
struct SumRows {
  const Element* rows = nullptr;        ///< [rows, width]
  const std::int64_t* ids = nullptr;    ///< [rows], ascending
  const std::int64_t* order = nullptr;  ///< [rows]: ids[i] is the id of row order[i]; rows are added in this order
  float* sums = nullptr;                ///< [more than the largest id, width]
  float* parts = nullptr;               ///< [cudaSumRowsParts(rows), width], scratch
  std::int64_t width = 0;
};

/// output = act(input + bias).
template <typename Element>
struct BiasActivation {
  const Element* input = nullptr;  ///< [rows, width]
  const float* bias = nullptr;     ///< [width] or null
  Element* output = nullptr;       ///< [rows, width]
  Element* slope = nullptr;        ///< [rows, width] or null: act'(input + bias); CPU only
  ActivationKind kind = ActivationKind::Gelu;
  std::int64_t width = 0;
};

/// inputGradient = outputGradient * act'(input + bias); `columns`: its sums over rows, the gradient of the bias.
template <typename Element>
struct BiasActivationGradient {
  const Element* outputGradient = nullptr;
  const Element* saved = nullptr;  ///< the slope on the CPU, the input on CUDA
  Element* inputGradient = nullptr;
  float* columns = nullptr;  ///< [width] for each range or block of rows
  std::int64_t width = 0;
  const float* bias = nullptr;  ///< CUDA only, as `kind`
  ActivationKind kind = ActivationKind::Gelu;
};

/// output = act(gate) * up, with the row [gate, up] of the input (Shazeer 2020).
template <typename Element>
struct GatedActivation {
  const Element* input = nullptr;  ///< [rows, 2 * width]
  Element* output = nullptr;       ///< [rows, width]
  /// [rows, 2 * width] or null; may be `input`: what the gradient multiplies by, [act'(gate) * up, act(gate)]. CPU
  /// only.
  Element* factors = nullptr;
  ActivationKind kind = ActivationKind::Gelu;
  std::int64_t width = 0;
};

/// inputGradient = [outputGradient, outputGradient] * [act'(gate) * up, act(gate)].
template <typename Element>
struct GatedActivationGradient {
  const Element* outputGradient = nullptr;  ///< [rows, width]
  const Element* saved = nullptr;           ///< [rows, 2 * width]: the factors on the CPU, the input on CUDA
  Element* inputGradient = nullptr;         ///< [rows, 2 * width]; may be `saved`
  std::int64_t width = 0;
  ActivationKind kind = ActivationKind::Gelu;  ///< CUDA only
};

/// Rotary position embedding (Su et al. 2021), in place: turns the pair i of each head, (x, y), to
/// (x cos - y sin, y cos + x sin). Pairs are features i and i + headSize / 2, or if `interleaved` 2 i and 2 i + 1.
template <typename Element>
struct Rotary {
  Element* values = nullptr;                ///< [rows, heads, headSize], rows `stride` apart
  const std::int64_t* positions = nullptr;  ///< [rows]
  const float* cosines = nullptr;           ///< [positions, headSize / 2]
  const float* sines = nullptr;             ///< the same
  std::int64_t heads = 0;
  std::int64_t headSize = 0;  ///< even
  std::int64_t stride = 0;
  bool interleaved = false;
  bool inverse = false;  ///< turn back: the gradient
};

/// Up to three matrices side by side in one: the gradients of queries, keys and values as that of the product which has
/// made them. The first `rotary.heads` heads are turned on the way, as Rotary says; its values and stride are not read.
template <typename Element>
struct JoinColumns {
  struct Part {
    const Element* values = nullptr;  ///< [rows, width], rows `stride` apart
    std::int64_t width = 0;           ///< 0: no part; with heads to turn a multiple of their size
    std::int64_t stride = 0;
  };
  Part parts[3];
  Element* output = nullptr;  ///< [rows, width], rows `stride` apart; may be the only part
  float* columns = nullptr;   ///< [blocks of rows, width]: sums over rows, the gradient of a bias; null: none
  Rotary<Element> rotary;     ///< no heads: none; else without `columns`
  std::int64_t width = 0;     ///< of all parts
  std::int64_t stride = 0;
};

/// loss[i] = -log softmax(logits[i] + bias)[label[i]]; correct[i] = 1 if the label is the argmax (the first of ties),
/// else 0. With `overwrite`, logits become the gradient of the sum of losses: softmax - one-hot.
template <typename Element>
struct CrossEntropy {
  Element* logits = nullptr;             ///< [rows, width]
  const float* bias = nullptr;           ///< [width] or null
  const std::int64_t* labels = nullptr;  ///< [rows], in [0, width)
  float* loss = nullptr;                 ///< [rows]
  std::int64_t* correct = nullptr;       ///< [rows]
  float* scratch = nullptr;              ///< [width], one per concurrent range; CPU only
  bool overwrite = false;
  std::int64_t width = 0;
  std::int64_t stride = 0;  ///< row stride; 0: width. With `overwrite`, padding between rows is zeroed
};

inline constexpr const char* kEmbeddingGradientKernel = "the embedding gradient kernel";

}  // namespace batchwise
