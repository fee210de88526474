// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/torch.h>

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/cuda_kernels.h"
#include "core/model/backend.h"
#include "core/model/padded_attention.h"

namespace batchwise {
namespace {

float* floatsOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

template <typename Element, typename Stored>
at::Tensor runDropoutAdd(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                         const at::Tensor& rowKeys, const Dropout& dropout) {
  const c10::cuda::CUDAGuard guard(input.device());
  const auto elements = [](const at::Tensor& t) {
    return t.defined() ? reinterpret_cast<Element*>(t.mutable_data_ptr<Stored>()) : nullptr;
  };
  at::Tensor output = at::empty_like(input);
  DropoutAdd<Element> a;
  a.input = elements(input);
  a.bias = floatsOf(bias);
  a.residual = elements(residual);
  a.rowKeys = dropout.active() ? rowKeys.const_data_ptr<std::int64_t>() : nullptr;
  a.output = elements(output);
  a.dropout = dropout;
  a.rows = input.size(0);
  a.width = input.size(1);
  const auto started = cudaDropoutAdd(a, at::cuda::getCurrentCUDAStream(input.device().index()));
  TORCH_CHECK(started.ok(), started.ok() ? "" : started.error().message);
  return output;
}

/// Returns residual + dropout(input + bias).
at::Tensor dropoutAdd(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                      const at::Tensor& rowKeys, const Dropout& dropout) {
  if (!dropout.active() && !bias.defined() && !residual.defined()) return input;
  if (input.scalar_type() == at::kFloat) return runDropoutAdd<float, float>(input, bias, residual, rowKeys, dropout);
  if (input.scalar_type() == at::kHalf) return runDropoutAdd<Fp16, at::Half>(input, bias, residual, rowKeys, dropout);
  TORCH_CHECK(input.scalar_type() == at::kBFloat16, "CUDA computes in fp32, bf16 or fp16, not in ",
              input.scalar_type());
  return runDropoutAdd<Bf16, at::BFloat16>(input, bias, residual, rowKeys, dropout);
}

at::Tensor dropped(const at::Tensor& gradient, const at::Tensor& rowKeys, const Dropout& dropout) {
  return dropout.active() ? dropoutAdd(gradient, {}, {}, rowKeys, dropout) : gradient;
}

at::Tensor columnSums(const at::Tensor& rows) {
  return at::sum(rows, {0}, false, at::kFloat);
}

struct Normed {
  at::Tensor output, mean, rstd;
};

Normed layerNorm(const at::Tensor& input, const at::Tensor& gamma, const at::Tensor& beta, double eps) {
  const auto type = input.scalar_type();
  auto [output, mean, rstd] = at::native_layer_norm(input, {input.size(1)}, gamma.to(type), beta.to(type), eps);
  return {output, mean, rstd};
}

struct NormGradients {
  at::Tensor input, gamma, beta;
};

NormGradients layerNormGradient(const at::Tensor& gradient, const NormResult& saved, const at::Tensor& gamma) {
  const at::Tensor weight = gamma.to(saved.sum.scalar_type());
  auto [input, gammas, betas] =
      at::native_layer_norm_backward(gradient, saved.sum, {saved.sum.size(1)}, saved.mean, saved.rstd, weight,
                                     at::zeros_like(weight), {true, true, true});
  return {input, gammas.to(at::kFloat), betas.to(at::kFloat)};
}

template <typename Element>
Element* elementsOf(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<Element*>(tensor.mutable_data_ptr()) : nullptr;
}

/// Calls work(element) with a value of the kernel type for `type`.
template <typename Work>
void withElement(at::ScalarType type, const Work& work) {
  if (type == at::kFloat) return work(float{});
  if (type == at::kHalf) return work(Fp16{});
  TORCH_CHECK(type == at::kBFloat16, "CUDA computes in fp32, bf16 or fp16, not in ", type);
  work(Bf16{});
}

/// Returns whether the fused kernels support rows of these tensors; otherwise ATen operations are used.
bool fusedKernelSupports(std::int64_t width, std::initializer_list<at::Tensor> tensors) {
  constexpr std::uintptr_t kAlignment = 16;
  return cudaAddNormSupports(width) && std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& t) {
           return !t.defined() || reinterpret_cast<std::uintptr_t>(t.const_data_ptr()) % kAlignment == 0;
         });
}

NormResult addNormFused(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                        const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                        const NormOptions& options) {
  const c10::cuda::CUDAGuard guard(input.device());
  NormResult result;
  result.output = at::empty_like(input);
  if (options.training || options.keepSum) result.sum = at::empty_like(input);
  if (options.training) {
    result.mean = at::empty({input.size(0)}, input.options().dtype(at::kFloat));
    result.rstd = at::empty_like(result.mean);
  }
  withElement(input.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    AddNorm<Element> a;
    a.input = elementsOf<Element>(input);
    a.bias = floatsOf(bias);
    a.residual = elementsOf<Element>(residual);
    a.rowKeys = options.dropout.active() ? rowKeys.const_data_ptr<std::int64_t>() : nullptr;
    a.gamma = floatsOf(gamma);
    a.beta = floatsOf(beta);
    a.sum = elementsOf<Element>(result.sum);
    a.output = elementsOf<Element>(result.output);
    a.mean = floatsOf(result.mean);
    a.rstd = floatsOf(result.rstd);
    a.dropout = options.dropout;
    a.eps = static_cast<float>(options.eps);
    a.width = input.size(1);
    const auto started = cudaAddNorm(a, input.size(0), at::cuda::getCurrentCUDAStream(input.device().index()));
    TORCH_CHECK(started.ok(), started.ok() ? "" : started.error().message);
  });
  return result;
}

NormGradient addNormGradientFused(const at::Tensor& outputGradient, const at::Tensor& sumGradient,
                                  const NormResult& saved, const at::Tensor& rowKeys, const at::Tensor& gamma,
                                  const NormOptions& options) {
  const c10::cuda::CUDAGuard guard(saved.sum.device());
  const std::int64_t rows = saved.sum.size(0);
  const std::int64_t width = saved.sum.size(1);
  NormGradient g;
  g.input = at::empty_like(saved.sum);
  g.residual = options.dropout.active() ? at::empty_like(saved.sum) : g.input;
  const at::Tensor columns =
      at::empty({cudaAddNormColumnBlocks(rows), 3, width}, saved.sum.options().dtype(at::kFloat));
  withElement(saved.sum.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    AddNormGradient<Element> a;
    a.outputGradient = elementsOf<Element>(outputGradient);
    a.sumGradient = elementsOf<Element>(sumGradient);
    a.sum = elementsOf<Element>(saved.sum);
    a.mean = floatsOf(saved.mean);
    a.rstd = floatsOf(saved.rstd);
    a.rowKeys = options.dropout.active() ? rowKeys.const_data_ptr<std::int64_t>() : nullptr;
    a.gamma = floatsOf(gamma);
    a.inputGradient = elementsOf<Element>(g.input);
    a.residualGradient = elementsOf<Element>(g.residual);
    a.columns = floatsOf(columns);
    a.dropout = options.dropout;
    a.width = width;
    const auto started = cudaAddNormGradient(a, rows, at::cuda::getCurrentCUDAStream(saved.sum.device().index()));
    TORCH_CHECK(started.ok(), started.ok() ? "" : started.error().message);
  });
  const at::Tensor sums = columns.sum(0);
  g.gamma = sums[0];
  g.beta = sums[1];
  g.bias = sums[2];
  return g;
}

AttentionGradient joinGradients(const AttentionInput& input, const at::Tensor& query, const at::Tensor& key,
                                const at::Tensor& value) {
  AttentionGradient result;
  if (input.query.defined()) {
    result.query = query.reshape_as(input.query);
    result.packed = at::stack({key, value}, 1).view_as(input.packed);
  } else {
    result.packed = at::stack({query, key, value}, 1).view_as(input.packed);
  }
  return result;
}

/// Seeds CUDA's generator, which the fused kernels use for dropout, so that the same layout gets the same masks.
void seedAttentionDropout(const AttentionPlan& plan, at::Device device) {
  at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(device.index());
  const std::scoped_lock lock(generator.mutex());
  generator.set_current_seed(subKey(plan.dropout.key, static_cast<std::uint64_t>(plan.firstIndexInStep)));
}

template <typename Element, typename Stored>
LossRows runCrossEntropy(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels, bool overwrite) {
  const c10::cuda::CUDAGuard guard(logits.device());
  LossRows rows{at::empty({labels.size(0)}, bias.options().requires_grad(false)), at::empty_like(labels)};
  CudaCrossEntropy<Element> a;
  a.logits = reinterpret_cast<Element*>(logits.mutable_data_ptr<Stored>());
  a.bias = floatsOf(bias);
  a.labels = labels.const_data_ptr<std::int64_t>();
  a.loss = floatsOf(rows.loss);
  a.correct = rows.correct.mutable_data_ptr<std::int64_t>();
  a.rows = logits.size(0);
  a.width = bias.size(0);
  a.stride = logits.size(1);
  a.overwrite = overwrite;
  const auto started = cudaCrossEntropy(a, at::cuda::getCurrentCUDAStream(logits.device().index()));
  TORCH_CHECK(started.ok(), started.ok() ? "" : started.error().message);
  return rows;
}

class CudaBackend : public Backend {
 public:
  NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                     const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                     const NormOptions& options) const override {
    if (fusedKernelSupports(input.size(1), {input, bias, residual, gamma, beta}))
      return addNormFused(input, bias, residual, rowKeys, gamma, beta, options);
    NormResult result;
    result.sum = dropoutAdd(input, bias, residual, rowKeys, options.dropout);
    // The sum is a separate output, so it must not be the input tensor.
    if (result.sum.is_same(input)) result.sum = input.alias();
    const Normed normed = layerNorm(result.sum, gamma, beta, options.eps);
    result.output = normed.output;
    result.mean = normed.mean;
    result.rstd = normed.rstd;
    return result;
  }

  NormGradient addNormGradient(const at::Tensor& outputGradient, const at::Tensor& sumGradient, const NormResult& saved,
                               const at::Tensor& rowKeys, const at::Tensor& gamma,
                               const NormOptions& options) const override {
    if (fusedKernelSupports(saved.sum.size(1), {outputGradient, sumGradient, saved.sum, gamma}))
      return addNormGradientFused(outputGradient, sumGradient, saved, rowKeys, gamma, options);
    NormGradient g;
    at::Tensor inner = sumGradient;
    if (outputGradient.defined()) {
      const NormGradients norm = layerNormGradient(outputGradient, saved, gamma);
      g.gamma = norm.gamma;
      g.beta = norm.beta;
      inner = inner.defined() ? norm.input + inner : norm.input;
    }
    g.residual = inner;
    g.input = dropped(inner, rowKeys, options.dropout);
    g.bias = columnSums(g.input);
    return g;
  }

  NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                   const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const override {
    NormResult result;
    result.sum = weights.word.detach().index_select(0, tokenIds) + weights.type.detach()[0];
    result.sum.add_(weights.position.detach().index_select(0, positions));
    const Normed normed = layerNorm(result.sum, weights.gamma, weights.beta, options.eps);
    result.output = dropped(normed.output, rowKeys, options.dropout).to(type);
    result.mean = normed.mean;
    result.rstd = normed.rstd;
    return result;
  }

  EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) const override {
    const at::Tensor outer = dropped(outputGradient.to(at::kFloat), rowKeys, options.dropout);
    const NormGradients norm = layerNormGradient(outer, saved, weights.gamma);
    EmbeddingGradient g;
    g.gamma = norm.gamma;
    g.beta = norm.beta;
    g.type = at::zeros_like(weights.type);
    g.type[0].copy_(columnSums(norm.input));
    // Deterministic: sorts by id, no atomics.
    g.word = at::embedding_dense_backward(norm.input, tokenIds, weights.word.size(0), -1, false);
    g.position = at::embedding_dense_backward(norm.input, positions, weights.position.size(0), -1, false);
    return g;
  }

  std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                   Activation activation, bool training) const override {
    const c10::cuda::CUDAGuard guard(input.device());
    const at::Tensor output = at::empty_like(input);
    withElement(input.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      CudaBiasActivation<Element> a;
      a.input = elementsOf<Element>(input);
      a.bias = floatsOf(bias);
      a.output = elementsOf<Element>(output);
      a.kind = kindOf(activation);
      a.rows = input.size(0);
      a.width = input.size(1);
      const auto started = cudaBiasActivation(a, at::cuda::getCurrentCUDAStream(input.device().index()));
      TORCH_CHECK(started.ok(), started.ok() ? "" : started.error().message);
    });
    return {output, training ? input : at::Tensor()};
  }

  std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& bias,
                                                           Activation activation) const override {
    const c10::cuda::CUDAGuard guard(saved.device());
    const at::Tensor inner = at::empty_like(saved);
    const at::Tensor columns =
        at::empty({cudaBiasActivationColumnBlocks(saved.size(0)), saved.size(1)}, saved.options().dtype(at::kFloat));
    withElement(saved.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      CudaBiasActivationGradient<Element> a;
      a.outputGradient = elementsOf<Element>(outputGradient);
      a.input = elementsOf<Element>(saved);
      a.bias = floatsOf(bias);
      a.inputGradient = elementsOf<Element>(inner);
      a.columns = floatsOf(columns);
      a.kind = kindOf(activation);
      a.rows = saved.size(0);
      a.width = saved.size(1);
      const auto started = cudaBiasActivationGradient(a, at::cuda::getCurrentCUDAStream(saved.device().index()));
      TORCH_CHECK(started.ok(), started.ok() ? "" : started.error().message);
    });
    return {inner, columns.sum(0)};
  }

  /// Flash attention for bf16 and fp16, memory-efficient attention for fp32; both with variable-length sequences.
  AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training) const override {
    AttentionResult result;
    if (!plan.logitPenalty.empty()) {
      const PaddedAttention made = paddedAttention(input.packed, plan);
      result.output = made.output;
      result.penalty = made.penalty;
      result.logSum = made.logSum;
      return result;
    }
    const Heads h = headsOf(input, plan);
    const double dropout = training ? plan.dropoutProbability : 0.0;
    if (dropout > 0) seedAttentionDropout(plan, input.packed.device());
    at::Tensor output;
    if (input.packed.scalar_type() == at::kFloat) {
      auto made = at::_efficient_attention_forward(h.query.unsqueeze(0), h.key.unsqueeze(0), h.value.unsqueeze(0), {},
                                                   plan.queryStartsTensor, plan.keyStartsTensor, plan.longestQuery,
                                                   plan.longestKey, dropout, /*custom_mask_type=*/0,
                                                   /*compute_log_sumexp=*/training, plan.scale);
      output = std::get<0>(made);
      result.logSum = std::get<1>(made);
      result.random1 = std::get<2>(made);
      result.random2 = std::get<3>(made);
    } else {
      auto made = at::_flash_attention_forward(h.query, h.key, h.value, plan.queryStartsTensor, plan.keyStartsTensor,
                                               plan.longestQuery, plan.longestKey, dropout, /*is_causal=*/false,
                                               /*return_debug_mask=*/false, plan.scale);
      output = std::get<0>(made);
      result.logSum = std::get<1>(made);
      result.random1 = std::get<2>(made);
      result.random2 = std::get<3>(made);
    }
    result.output = output.reshape({-1, plan.heads * plan.headSize});
    return result;
  }

  AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                      const AttentionInput& input, const AttentionResult& saved,
                                      const AttentionPlan& plan) const override {
    if (!plan.logitPenalty.empty())
      return {{}, paddedAttentionGradient(outputGradient, penaltyGradient, input.packed, plan)};
    const Heads h = headsOf(input, plan);
    const at::Tensor outer = outputGradient.view({-1, plan.heads, plan.headSize});
    const at::Tensor output = saved.output.view({-1, plan.heads, plan.headSize});
    if (input.packed.scalar_type() == at::kFloat) {
      auto [query, key, value, bias] = at::_efficient_attention_backward(
          outer.unsqueeze(0), h.query.unsqueeze(0), h.key.unsqueeze(0), h.value.unsqueeze(0), {}, output.unsqueeze(0),
          plan.queryStartsTensor, plan.keyStartsTensor, plan.longestQuery, plan.longestKey, saved.logSum,
          plan.dropoutProbability, saved.random1, saved.random2, /*custom_mask_type=*/0, /*bias_requires_grad=*/false,
          plan.scale, /*num_splits_key=*/1);
      return joinGradients(input, query.squeeze(0), key.squeeze(0), value.squeeze(0));
    }
    auto [query, key, value] =
        at::_flash_attention_backward(outer, h.query, h.key, h.value, output, saved.logSum, plan.queryStartsTensor,
                                      plan.keyStartsTensor, plan.longestQuery, plan.longestKey, plan.dropoutProbability,
                                      /*is_causal=*/false, saved.random1, saved.random2, plan.scale);
    return joinGradients(input, query, key, value);
  }

  LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels,
                        bool overwrite) const override {
    switch (logits.scalar_type()) {
      case at::kFloat: return runCrossEntropy<float, float>(logits, bias, labels, overwrite);
      case at::kBFloat16: return runCrossEntropy<Bf16, at::BFloat16>(logits, bias, labels, overwrite);
      default: return runCrossEntropy<Fp16, at::Half>(logits, bias, labels, overwrite);
    }
  }
};

}  // namespace

const Backend& cudaBackend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace batchwise
