// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/model/backend.h"
#include "core/model/kernels/arguments.h"
#include "core/model/kernels/element.h"

// What the operations of both backends have in common: results, arguments from tensors, and the sums of partial column
// sums. `launch(arguments, rows)` runs the kernel of the device.

namespace batchwise {

/// Calls work(element) with a value of the kernels' type for `type`: float, Bf16 or Fp16.
template <typename Work>
auto withElement(at::ScalarType type, const Work& work) {
  if (type == at::kFloat) return work(float{});
  if (type == at::kBFloat16) return work(Bf16{});
  TORCH_CHECK(type == at::kHalf, "models compute in fp32, bf16 or fp16, not in ", type);
  return work(Fp16{});
}

/// Returns the elements of a tensor; null if it is undefined. Throws c10::Error if they are of another type.
template <typename Element>
Element* pointer(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if constexpr (std::is_same_v<Element, Bf16>) {
    return reinterpret_cast<Bf16*>(tensor.mutable_data_ptr<at::BFloat16>());
  } else if constexpr (std::is_same_v<Element, Fp16>) {
    return reinterpret_cast<Fp16*>(tensor.mutable_data_ptr<at::Half>());
  } else {
    return tensor.mutable_data_ptr<Element>();
  }
}

inline const std::int64_t* rowKeysFor(const Dropout& dropout, const at::Tensor& rowKeys) {
  return dropout.active() ? rowKeys.const_data_ptr<std::int64_t>() : nullptr;
}

/// See Backend::addNorm().
template <typename Launch>
NormResult addNormBy(const Launch& launch, const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                     const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                     const NormOptions& options) {
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
    a.input = pointer<Element>(input);
    a.bias = pointer<float>(bias);
    a.residual = pointer<Element>(residual);
    a.rowKeys = rowKeysFor(options.dropout, rowKeys);
    a.gamma = pointer<float>(gamma);
    a.beta = pointer<float>(beta);
    a.sum = pointer<Element>(result.sum);
    a.output = pointer<Element>(result.output);
    a.mean = pointer<float>(result.mean);
    a.rstd = pointer<float>(result.rstd);
    a.dropout = options.dropout;
    a.eps = static_cast<float>(options.eps);
    a.width = input.size(1);
    a.centered = options.centered;
    launch(a, input.size(0));
  });
  return result;
}

/// Returns what the gradients of a norm's weights are made of.
template <typename Element>
AddNormGradient<Element> normWeightGradientOf(const NormOutputGradients& outer, const NormResult& saved) {
  AddNormGradient<Element> a;
  a.outputGradient = pointer<Element>(outer.output);
  a.secondGradient = pointer<Element>(outer.second);
  a.sum = pointer<Element>(saved.sum);
  a.mean = pointer<float>(saved.mean);
  a.rstd = pointer<float>(saved.rstd);
  a.width = saved.sum.size(1);
  return a;
}

/// See Backend::addNormGradient(). `blocks`: number of partial column sums.
template <typename Launch>
NormGradient addNormGradientBy(const Launch& launch, std::int64_t blocks, const NormOutputGradients& outer,
                               const NormResult& saved, const at::Tensor& rowKeys, const at::Tensor& gamma,
                               const NormOptions& options) {
  const std::int64_t width = saved.sum.size(1);
  NormGradient g;
  g.input = at::empty_like(saved.sum);
  g.residual = options.dropout.active() ? at::empty_like(saved.sum) : g.input;
  const at::Tensor columns = at::empty({blocks, 3, width}, saved.sum.options().dtype(at::kFloat));
  withElement(saved.sum.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    AddNormGradient<Element> a = normWeightGradientOf<Element>(outer, saved);
    a.sumGradient = pointer<Element>(outer.sum);
    a.rowKeys = rowKeysFor(options.dropout, rowKeys);
    a.gamma = pointer<float>(gamma);
    a.inputGradient = pointer<Element>(g.input);
    a.residualGradient = pointer<Element>(g.residual);
    a.columns = pointer<float>(columns);
    a.dropout = options.dropout;
    a.centered = options.centered;
    launch(a, saved.sum.size(0));
  });
  const at::Tensor sums = columns.sum(0);
  g.gamma = sums[0];
  g.beta = sums[1];
  g.bias = sums[2];
  return g;
}

inline EmbeddingSum embeddingSum(const at::Tensor& tokenIds, const at::Tensor& positions,
                                 const EmbeddingWeights& weights) {
  return {tokenIds.const_data_ptr<std::int64_t>(), positions.const_data_ptr<std::int64_t>(),
          pointer<float>(weights.word), pointer<float>(weights.position), pointer<float>(weights.type)};
}

/// See Backend::embed(). The gradient puts the sum together once more, so it is not saved.
template <typename Launch>
NormResult embedBy(const Launch& launch, const at::Tensor& tokenIds, const at::Tensor& positions,
                   const at::Tensor& rowKeys, const EmbeddingWeights& weights, const NormOptions& options,
                   at::ScalarType type) {
  const std::int64_t rows = tokenIds.size(0), width = weights.word.size(1);
  NormResult result;
  result.output = at::empty({rows, width}, weights.word.options().dtype(type));
  if (options.training && weights.gamma.defined()) {
    result.mean = at::empty({rows}, result.output.options().dtype(at::kFloat));
    result.rstd = at::empty_like(result.mean);
  }
  withElement(type, [&](auto element) {
    using Element = decltype(element);
    Embed<Element> a;
    a.sum = embeddingSum(tokenIds, positions, weights);
    a.rowKeys = rowKeysFor(options.dropout, rowKeys);
    a.gamma = pointer<float>(weights.gamma);
    a.beta = pointer<float>(weights.beta);
    a.output = pointer<Element>(result.output);
    a.mean = pointer<float>(result.mean);
    a.rstd = pointer<float>(result.rstd);
    a.dropout = options.dropout;
    a.eps = static_cast<float>(options.eps);
    a.width = width;
    a.centered = options.centered;
    launch(a, rows);
  });
  return result;
}

/// See Backend::embedGradient(). `blocks`: number of partial column sums; scatter(rows, ids, table) returns the
/// gradient of a table.
template <typename Launch, typename Scatter>
EmbeddingGradient embedGradientBy(const Launch& launch, std::int64_t blocks, const Scatter& scatter,
                                  const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) {
  const std::int64_t rows = outputGradient.size(0), width = outputGradient.size(1);
  const at::Tensor inner = at::empty({rows, width}, outputGradient.options().dtype(at::kFloat));
  const at::Tensor columns = at::empty({blocks, 3, width}, inner.options());
  withElement(outputGradient.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    EmbedGradient<Element> a;
    a.sum = embeddingSum(tokenIds, positions, weights);
    a.outputGradient = pointer<Element>(outputGradient);
    a.mean = pointer<float>(saved.mean);
    a.rstd = pointer<float>(saved.rstd);
    a.rowKeys = rowKeysFor(options.dropout, rowKeys);
    a.gamma = pointer<float>(weights.gamma);
    a.sumGradient = pointer<float>(inner);
    a.columns = pointer<float>(columns);
    a.dropout = options.dropout;
    a.width = width;
    a.centered = options.centered;
    launch(a, rows);
  });
  const at::Tensor sums = columns.sum(0);
  EmbeddingGradient g;
  if (weights.gamma.defined()) g.gamma = sums[0];
  if (weights.beta.defined()) g.beta = sums[1];
  if (weights.type.defined()) {
    g.type = at::zeros(weights.type.sizes(), inner.options());
    g.type[0].copy_(sums[2]);
  }
  if (weights.position.defined()) g.position = scatter(inner, positions, weights.position);
  g.word = scatter(inner, tokenIds, weights.word);
  return g;
}

/// Returns act(input + bias). `slope`: may be `input`; undefined: none.
template <typename Launch>
at::Tensor biasActivationBy(const Launch& launch, const at::Tensor& input, const at::Tensor& bias,
                            const at::Tensor& slope, Activation activation) {
  at::Tensor output = at::empty_like(input);
  withElement(input.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    BiasActivation<Element> a;
    a.input = pointer<Element>(input);
    a.bias = pointer<float>(bias);
    a.output = pointer<Element>(output);
    a.slope = pointer<Element>(slope);
    a.kind = kindOf(activation);
    a.width = input.size(1);
    launch(a, input.size(0));
  });
  return output;
}

/// See Backend::biasActivationGradient(). `blocks`: number of partial column sums.
template <typename Launch>
std::pair<at::Tensor, at::Tensor> biasActivationGradientBy(const Launch& launch, std::int64_t blocks,
                                                           const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& bias, Activation activation) {
  const at::Tensor inner = at::empty_like(saved);
  const at::Tensor columns = at::empty({blocks, saved.size(1)}, saved.options().dtype(at::kFloat));
  withElement(saved.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    BiasActivationGradient<Element> a;
    a.outputGradient = pointer<Element>(outputGradient);
    a.saved = pointer<Element>(saved);
    a.inputGradient = pointer<Element>(inner);
    a.columns = pointer<float>(columns);
    a.width = saved.size(1);
    a.bias = pointer<float>(bias);
    a.kind = kindOf(activation);
    launch(a, saved.size(0));
  });
  return {inner, columns.sum(0)};
}

/// See Backend::gatedActivation(). `factors`: may be `input`; undefined: none.
template <typename Launch>
at::Tensor gatedActivationBy(const Launch& launch, const at::Tensor& input, const at::Tensor& factors,
                             Activation activation) {
  const at::Tensor output = at::empty({input.size(0), input.size(1) / 2}, input.options());
  withElement(input.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    GatedActivation<Element> a;
    a.input = pointer<Element>(input);
    a.output = pointer<Element>(output);
    a.factors = pointer<Element>(factors);
    a.kind = kindOf(activation);
    a.width = output.size(1);
    launch(a, input.size(0));
  });
  return output;
}

/// See Backend::gatedActivationGradient(). In place of `saved`.
template <typename Launch>
void gatedActivationGradientBy(const Launch& launch, const at::Tensor& outputGradient, const at::Tensor& saved,
                               Activation activation) {
  withElement(saved.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    GatedActivationGradient<Element> a;
    a.outputGradient = pointer<Element>(outputGradient);
    a.saved = pointer<Element>(saved);
    a.inputGradient = pointer<Element>(saved);
    a.width = outputGradient.size(1);
    a.kind = kindOf(activation);
    launch(a, saved.size(0));
  });
}

/// See Backend::rotate().
template <typename Element>
Rotary<Element> rotaryOf(const at::Tensor& rows, const at::Tensor& positions, std::int64_t heads,
                         const AttentionPlan& plan, bool inverse) {
  Rotary<Element> a;
  a.values = pointer<Element>(rows);
  a.positions = positions.const_data_ptr<std::int64_t>();
  a.cosines = pointer<float>(plan.rotary.cosines);
  a.sines = pointer<float>(plan.rotary.sines);
  a.heads = heads;
  a.headSize = plan.headSize;
  a.stride = rows.stride(0);
  a.interleaved = plan.rotary.interleaved;
  a.inverse = inverse;
  return a;
}

/// See Backend::crossEntropy().
template <typename Launch>
LossRows crossEntropyBy(const Launch& launch, const at::Tensor& logits, const at::Tensor& bias,
                        const at::Tensor& labels, std::int64_t vocabulary, bool overwrite) {
  LossRows result{at::empty({labels.size(0)}, logits.options().dtype(at::kFloat)), at::empty_like(labels)};
  withElement(logits.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    CrossEntropy<Element> a;
    a.logits = pointer<Element>(logits);
    a.bias = pointer<float>(bias);
    a.labels = labels.const_data_ptr<std::int64_t>();
    a.loss = pointer<float>(result.loss);
    a.correct = pointer<std::int64_t>(result.correct);
    a.overwrite = overwrite;
    a.width = vocabulary;
    a.stride = logits.size(1);
    launch(a, logits.size(0));
  });
  return result;
}

}  // namespace batchwise
