// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/kernels/arguments.h"
#include "core/kernels/element.h"
#include "core/model/backend.h"

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

/// See Backend::addNormGradient(). `blocks`: number of partial column sums.
template <typename Launch>
NormGradient addNormGradientBy(const Launch& launch, std::int64_t blocks, const at::Tensor& outputGradient,
                               const at::Tensor& sumGradient, const NormResult& saved, const at::Tensor& rowKeys,
                               const at::Tensor& gamma, const NormOptions& options) {
  const std::int64_t width = saved.sum.size(1);
  NormGradient g;
  g.input = at::empty_like(saved.sum);
  g.residual = options.dropout.active() ? at::empty_like(saved.sum) : g.input;
  const at::Tensor columns = at::empty({blocks, 3, width}, saved.sum.options().dtype(at::kFloat));
  withElement(saved.sum.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    AddNormGradient<Element> a;
    a.outputGradient = pointer<Element>(outputGradient);
    a.sumGradient = pointer<Element>(sumGradient);
    a.sum = pointer<Element>(saved.sum);
    a.mean = pointer<float>(saved.mean);
    a.rstd = pointer<float>(saved.rstd);
    a.rowKeys = rowKeysFor(options.dropout, rowKeys);
    a.gamma = pointer<float>(gamma);
    a.inputGradient = pointer<Element>(g.input);
    a.residualGradient = pointer<Element>(g.residual);
    a.columns = pointer<float>(columns);
    a.dropout = options.dropout;
    a.width = width;
    a.centered = options.centered;
    launch(a, saved.sum.size(0));
  });
  const at::Tensor sums = columns.sum(0);
  g.gamma = sums[0];
  g.beta = sums[1];
  g.bias = sums[2];
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
