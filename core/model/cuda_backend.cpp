// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/cub.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/torch.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "core/model/backend_check.h"
#include "core/model/device_error.h"
#include "core/model/kernel_calls.h"
#include "core/model/kernels/cuda_kernels.h"
#include "core/model/padded_attention.h"

namespace batchwise {
namespace {

CudaStream streamOf(const at::Tensor& tensor) {
  return at::cuda::getCurrentCUDAStream(tensor.device().index());
}

void check(const Result<void>& launched) {
  if (!launched.ok()) throw KernelError(launched.error());
}

/// Returns residual + dropout(input + bias).
at::Tensor dropoutAdd(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                      const at::Tensor& rowKeys, const Dropout& dropout) {
  if (!dropout.active() && !bias.defined() && !residual.defined()) return input;
  const c10::cuda::CUDAGuard guard(input.device());
  at::Tensor output = at::empty_like(input);
  withElement(input.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    DropoutAdd<Element> a;
    a.input = pointer<Element>(input);
    a.bias = pointer<float>(bias);
    a.residual = pointer<Element>(residual);
    a.rowKeys = rowKeysFor(dropout, rowKeys);
    a.output = pointer<Element>(output);
    a.dropout = dropout;
    a.rows = input.size(0);
    a.width = input.size(1);
    check(cudaDropoutAdd(a, streamOf(input)));
  });
  return output;
}

at::Tensor afterDropout(const at::Tensor& gradient, const at::Tensor& rowKeys, const Dropout& dropout) {
  return dropout.active() ? dropoutAdd(gradient, {}, {}, rowKeys, dropout) : gradient;
}

at::Tensor columnSums(const at::Tensor& rows) {
  return at::sum(rows, {0}, false, at::kFloat);
}

at::Tensor toTypeIfDefined(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.defined() ? tensor.to(type) : tensor;
}

/// Sets the outputs of a norm of `result.sum`. beta may be undefined.
void layerNorm(NormResult& result, const at::Tensor& gamma, const at::Tensor& beta, const NormOptions& options) {
  const auto type = result.sum.scalar_type();
  if (options.centered) {
    std::tie(result.output, result.mean, result.rstd) = at::native_layer_norm(
        result.sum, {result.sum.size(1)}, gamma.to(type), toTypeIfDefined(beta, type), options.eps);
    return;
  }
  const at::Tensor wide = result.sum.to(at::kFloat);
  result.rstd = wide.square().mean(1, /*keepdim=*/true).add_(options.eps).rsqrt_();
  result.mean = at::zeros_like(result.rstd);
  result.output = (wide * result.rstd * gamma).to(type);
}

struct LayerNormGradient {
  at::Tensor input, gamma, beta;
};

LayerNormGradient rmsNormGradient(const at::Tensor& gradient, const NormResult& saved, const at::Tensor& gamma) {
  const at::Tensor outer = gradient.to(at::kFloat);
  const at::Tensor unit = saved.sum.to(at::kFloat) * saved.rstd.view({-1, 1});
  const at::Tensor inner = outer * gamma;
  const at::Tensor input = (inner - unit * (inner * unit).mean(1, /*keepdim=*/true)) * saved.rstd.view({-1, 1});
  return {input.to(saved.sum.scalar_type()), columnSums(outer * unit), {}};
}

LayerNormGradient layerNormGradient(const at::Tensor& gradient, const NormResult& saved, const at::Tensor& gamma,
                                    const NormOptions& options) {
  if (!options.centered) return rmsNormGradient(gradient, saved, gamma);
  const at::Tensor weight = gamma.to(saved.sum.scalar_type());
  auto [input, gammas, betas] =
      at::native_layer_norm_backward(gradient, saved.sum, {saved.sum.size(1)}, saved.mean, saved.rstd, weight,
                                     at::zeros_like(weight), {true, true, true});
  return {input, gammas.to(at::kFloat), betas.to(at::kFloat)};
}

/// Returns whether the fused kernels support rows of these tensors; otherwise ATen operations are used.
bool fusedKernelSupports(std::int64_t width, std::initializer_list<at::Tensor> tensors) {
  constexpr std::uintptr_t kAlignment = 16;
  return cudaAddNormSupports(width) && std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& t) {
           return !t.defined() || reinterpret_cast<std::uintptr_t>(t.const_data_ptr()) % kAlignment == 0;
         });
}

/// Heads [rows, heads, size] as columns, copied unless each row is contiguous.
template <typename Element>
typename JoinColumns<Element>::Part columnsOf(at::Tensor& heads) {
  if (heads.stride(2) != 1 || heads.stride(1) != heads.size(2)) heads = heads.contiguous();
  return {pointer<Element>(heads), heads.size(1) * heads.size(2), heads.stride(0)};
}

/// Returns the gradient of the input from those of its rotated heads, each [rows, heads, size].
AttentionGradient joinGradients(const AttentionInput& input, const AttentionPlan& plan, at::Tensor query,
                                at::Tensor key, at::Tensor value) {
  const c10::cuda::CUDAGuard guard(input.packed.device());
  const bool apart = input.query.defined();
  AttentionGradient g;
  g.packed = at::empty_like(input.packed);
  withElement(g.packed.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    const std::int64_t rows = g.packed.size(0);
    JoinColumns<Element> a;
    std::size_t parts = 0;
    if (!apart) a.parts[parts++] = columnsOf<Element>(query);
    a.parts[parts++] = columnsOf<Element>(key);
    a.parts[parts++] = columnsOf<Element>(value);
    a.output = pointer<Element>(g.packed);
    a.width = a.stride = g.packed.size(1);
    if (plan.rotary.cosines.defined()) {
      const std::int64_t heads = (apart ? 0 : plan.heads) + plan.keyValueHeads;
      a.rotary = rotaryOf<Element>(g.packed, plan.rotary.keyPositions, heads, plan, /*inverse=*/true);
    } else if (plan.biased) {
      g.bias = at::empty({cudaJoinColumnBlocks(a, rows), a.width}, g.packed.options().dtype(at::kFloat));
      a.columns = pointer<float>(g.bias);
    }
    check(cudaJoinColumns(a, rows, streamOf(g.packed)));
  });
  if (g.bias.defined()) g.bias = g.bias.sum(0);
  if (!apart) return g;
  g.query = query.reshape_as(input.query);
  if (plan.rotary.cosines.defined())
    cudaBackend().rotate(g.query, plan.rotary.queryPositions, plan.heads, plan, /*inverse=*/true);
  return g;
}

bool usesFlashAttention(const AttentionInput& input) {
  return hasFlashAttention(input.packed.scalar_type(),
                           at::cuda::getDeviceProperties(input.packed.device().index())->major);
}

/// Returns whether the fused attention kernels lack what the plan asks for.
bool needsPadding(const AttentionInput& input, const AttentionPlan& plan) {
  return !plan.logitPenalty.empty() || (plan.window >= 0 && !usesFlashAttention(input));
}

/// The gradient of repeatHeads().
at::Tensor sumHeads(const at::Tensor& heads, const AttentionPlan& plan) {
  if (plan.keyValueHeads == plan.heads) return heads;
  return heads.reshape({heads.size(0), plan.keyValueHeads, -1, plan.headSize}).sum(2);
}

std::optional<std::int64_t> windowOf(const AttentionPlan& plan) {
  return plan.window < 0 ? std::nullopt : std::optional(plan.window);
}

/// Sums rows with equal ids: gradient of an embedding table. In the order of the rows, so deterministic.
at::Tensor sumRowsById(const at::Tensor& rows, const at::Tensor& ids, const at::Tensor& table) {
  at::Tensor sums = at::zeros(table.sizes(), rows.options());
  const std::int64_t count = ids.size(0);
  if (count == 0) return sums;
  const at::Tensor sorted = at::empty_like(ids), places = at::arange(count, ids.options()), order = at::empty_like(ids);
  // Stable, and only by the bits that ids of this table have, which at::sort() cannot know.
  at::cuda::cub::radix_sort_pairs(ids.const_data_ptr<std::int64_t>(), sorted.mutable_data_ptr<std::int64_t>(),
                                  places.const_data_ptr<std::int64_t>(), order.mutable_data_ptr<std::int64_t>(), count,
                                  /*descending=*/false, /*begin_bit=*/0,
                                  at::cuda::cub::get_num_bits(static_cast<std::uint64_t>(table.size(0))));
  const at::Tensor parts = at::empty({cudaSumRowsParts(count), rows.size(1)}, rows.options());
  SumRows<float> a;
  a.rows = pointer<float>(rows);
  a.ids = pointer<std::int64_t>(sorted);
  a.order = pointer<std::int64_t>(order);
  a.sums = pointer<float>(sums);
  a.parts = pointer<float>(parts);
  a.width = rows.size(1);
  check(cudaSumRows(a, count, streamOf(rows)));
  return sums;
}

class CudaBackend : public Backend {
 public:
  NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                     const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                     const NormOptions& options) const override {
    if (fusedKernelSupports(input.size(1), {input, bias, residual, gamma, beta})) {
      const c10::cuda::CUDAGuard guard(input.device());
      const auto launch = [&](const auto& a, std::int64_t rows) { check(cudaAddNorm(a, rows, streamOf(input))); };
      return addNormBy(launch, input, bias, residual, rowKeys, gamma, beta, options);
    }
    NormResult result;
    result.sum = dropoutAdd(input, bias, residual, rowKeys, options.dropout);
    // The sum is a separate output, so it must not be the input tensor.
    if (result.sum.is_same(input)) result.sum = input.alias();
    layerNorm(result, gamma, beta, options);
    return result;
  }

  NormGradient addNormGradient(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& rowKeys,
                               const at::Tensor& gamma, const NormOptions& options) const override {
    if (fusedKernelSupports(saved.sum.size(1), {outer.output, outer.second, outer.sum, saved.sum, gamma})) {
      const c10::cuda::CUDAGuard guard(saved.sum.device());
      const auto launch = [&](const auto& a, std::int64_t rows) {
        check(cudaAddNormGradient(a, rows, streamOf(saved.sum)));
      };
      return addNormGradientBy(launch, cudaAddNormColumnBlocks(saved.sum.size(0)), outer, saved, rowKeys, gamma,
                               options);
    }
    NormGradient g;
    at::Tensor inner = outer.sum;
    if (outer.output.defined()) {
      const at::Tensor both = outer.second.defined() ? outer.output + outer.second : outer.output;
      const LayerNormGradient norm = layerNormGradient(both, saved, gamma, options);
      g.gamma = norm.gamma;
      g.beta = norm.beta;
      inner = inner.defined() ? norm.input + inner : norm.input;
    }
    g.residual = inner;
    g.input = afterDropout(inner, rowKeys, options.dropout);
    g.bias = columnSums(g.input);
    return g;
  }

  at::Tensor sequenceNorms(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& starts,
                           bool hasBeta) const override {
    const std::int64_t sequences = starts.size(0) - 1, width = saved.sum.size(1);
    if (!fusedKernelSupports(width, {outer.output, outer.second, saved.sum}))
      return atenBackend().sequenceNorms(outer, saved, starts, hasBeta);
    const c10::cuda::CUDAGuard guard(saved.sum.device());
    at::Tensor squares;
    withElement(saved.sum.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      squares = at::empty({sequences, cudaSequenceNormTiles<Element>(width)}, saved.mean.options());
      check(cudaSequenceNorms<Element>({normWeightGradientOf<Element>(outer, saved),
                                        starts.const_data_ptr<std::int64_t>(), pointer<float>(squares), hasBeta},
                                       sequences, streamOf(saved.sum)));
    });
    return squares.sum(1, false, at::kDouble);
  }

  NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                   const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const override {
    if (!cudaEmbedSupports(weights.word.size(1)))
      return atenBackend().embed(tokenIds, positions, rowKeys, weights, options, type);
    const c10::cuda::CUDAGuard guard(tokenIds.device());
    const auto launch = [&](const auto& a, std::int64_t rows) { check(cudaEmbed(a, rows, streamOf(tokenIds))); };
    return embedBy(launch, tokenIds, positions, rowKeys, weights, options, type);
  }

  EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) const override {
    const std::int64_t rows = outputGradient.size(0), width = outputGradient.size(1);
    if (!cudaEmbedSupports(width))
      return atenBackend().embedGradient(outputGradient, saved, tokenIds, positions, rowKeys, weights, options);
    const c10::cuda::CUDAGuard guard(outputGradient.device());
    const auto launch = [&](const auto& a, std::int64_t count) {
      check(cudaEmbedGradient(a, count, streamOf(outputGradient)));
    };
    return embedGradientBy(launch, cudaEmbedColumnBlocks(rows, width), sumRowsById, outputGradient, saved, tokenIds,
                           positions, rowKeys, weights, options);
  }

  std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                   Activation activation, bool training) const override {
    const c10::cuda::CUDAGuard guard(input.device());
    const auto launch = [&](const auto& a, std::int64_t rows) { check(cudaBiasActivation(a, rows, streamOf(input))); };
    return {biasActivationBy(launch, input, bias, /*slope=*/{}, activation), training ? input : at::Tensor()};
  }

  std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& bias,
                                                           Activation activation) const override {
    const c10::cuda::CUDAGuard guard(saved.device());
    const auto launch = [&](const auto& a, std::int64_t rows) {
      check(cudaBiasActivationGradient(a, rows, streamOf(saved)));
    };
    return biasActivationGradientBy(launch, cudaBiasActivationColumnBlocks(saved.size(0), saved.size(1)),
                                    outputGradient, saved, bias, activation);
  }

  std::pair<at::Tensor, at::Tensor> gatedActivation(const at::Tensor& input, Activation activation,
                                                    bool training) const override {
    const c10::cuda::CUDAGuard guard(input.device());
    const auto launch = [&](const auto& a, std::int64_t rows) { check(cudaGatedActivation(a, rows, streamOf(input))); };
    return {gatedActivationBy(launch, input, /*factors=*/{}, activation), training ? input : at::Tensor()};
  }

  at::Tensor gatedActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                     Activation activation) const override {
    const c10::cuda::CUDAGuard guard(saved.device());
    const auto launch = [&](const auto& a, std::int64_t rows) {
      check(cudaGatedActivationGradient(a, rows, streamOf(saved)));
    };
    gatedActivationGradientBy(launch, outputGradient, saved, activation);
    return saved;
  }

  void rotate(const at::Tensor& rows, const at::Tensor& positions, std::int64_t heads, const AttentionPlan& plan,
              bool inverse) const override {
    const c10::cuda::CUDAGuard guard(rows.device());
    withElement(rows.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      check(cudaRotary(rotaryOf<Element>(rows, positions, heads, plan, inverse), rows.size(0), streamOf(rows)));
    });
  }

  /// Flash attention, or memory-efficient attention where it cannot compute; both with variable-length sequences.
  AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training) const override {
    const double dropout = training ? plan.dropoutProbability : 0.0;
    if (needsPadding(input, plan)) {
      const PaddedAttention made = paddedAttention(input, plan);
      return {made.output, made.logSum, plan.logitPenalty.empty() ? at::Tensor() : made.penalty, {}, {}};
    }
    if (dropout > 0) seedAttentionDropout(plan, input.packed.device());
    checkSequencesInPass(std::ssize(*plan.keyStarts) - 1);
    AttentionResult result;
    const Heads h = headsOf(input, plan);
    at::Tensor output;
    if (!usesFlashAttention(input)) {
      std::tie(output, result.logSum, result.random1, result.random2, std::ignore, std::ignore) =
          at::_efficient_attention_forward(h.query.unsqueeze(0), repeatHeads(h.key, plan).unsqueeze(0),
                                           repeatHeads(h.value, plan).unsqueeze(0), {}, plan.queryStartsTensor,
                                           plan.keyStartsTensor, plan.longestQuery, plan.longestKey, dropout,
                                           /*custom_mask_type=*/0,
                                           /*compute_log_sumexp=*/training, plan.scale);
    } else {
      std::tie(output, result.logSum, result.random1, result.random2, std::ignore) = at::_flash_attention_forward(
          h.query, h.key, h.value, plan.queryStartsTensor, plan.keyStartsTensor, longestFlashQuery(plan.longestQuery),
          plan.longestKey, dropout, /*is_causal=*/false,
          /*return_debug_mask=*/false, plan.scale, windowOf(plan), windowOf(plan));
    }
    result.output = output.reshape({-1, plan.heads * plan.headSize});
    return result;
  }

  AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                      const AttentionInput& input, const AttentionResult& saved,
                                      const AttentionPlan& plan) const override {
    if (needsPadding(input, plan)) {
      AttentionGradient g = paddedAttentionGradient(outputGradient, penaltyGradient, input, plan);
      rotateBoth(*this, g.query, g.packed, plan, /*inverse=*/true);
      return g;
    }
    const Heads h = headsOf(input, plan);
    const at::Tensor outer = outputGradient.view({-1, plan.heads, plan.headSize});
    const at::Tensor output = saved.output.view({-1, plan.heads, plan.headSize});
    if (!usesFlashAttention(input)) {
      auto [query, key, value, bias] = at::_efficient_attention_backward(
          outer.unsqueeze(0), h.query.unsqueeze(0), repeatHeads(h.key, plan).unsqueeze(0),
          repeatHeads(h.value, plan).unsqueeze(0), {}, output.unsqueeze(0), plan.queryStartsTensor,
          plan.keyStartsTensor, plan.longestQuery, plan.longestKey, saved.logSum, plan.dropoutProbability,
          saved.random1, saved.random2, /*custom_mask_type=*/0, /*bias_requires_grad=*/false, plan.scale,
          /*num_splits_key=*/1);
      return joinGradients(input, plan, query.squeeze(0), sumHeads(key.squeeze(0), plan),
                           sumHeads(value.squeeze(0), plan));
    }
    auto [query, key, value] = at::_flash_attention_backward(
        outer, h.query, h.key, h.value, output, saved.logSum, plan.queryStartsTensor, plan.keyStartsTensor,
        longestFlashQuery(plan.longestQuery), plan.longestKey, plan.dropoutProbability,
        /*is_causal=*/false, saved.random1, saved.random2, plan.scale, windowOf(plan), windowOf(plan));
    return joinGradients(input, plan, query, key, value);
  }

  LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels, std::int64_t vocabulary,
                        bool overwrite) const override {
    const c10::cuda::CUDAGuard guard(logits.device());
    const at::Tensor biases = bias.defined() ? bias : at::zeros({vocabulary}, logits.options().dtype(at::kFloat));
    const auto launch = [&](const auto& a, std::int64_t rows) { check(cudaCrossEntropy(a, rows, streamOf(logits))); };
    return crossEntropyBy(launch, logits, biases, labels, vocabulary, overwrite);
  }
};

}  // namespace

const Backend& cudaBackend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace batchwise
