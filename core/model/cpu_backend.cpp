// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/cpu_backend.h"

#include <numeric>
#include <vector>

#include "core/kernels/cpu_kernels.h"

namespace batchwise {
namespace {

using cpu::forRowBlocks;
using cpu::pointer;
using cpu::withElement;

at::TensorOptions floats() {
  return at::TensorOptions().dtype(at::kFloat);
}

void checkWidth(std::int64_t width) {
  TORCH_CHECK(width <= kMaxNormWidth, "rows of ", width, " features are wider than ", kMaxNormWidth);
}

/// Sums rows with equal ids: gradient of an embedding table. Adds in row order, so the result does not depend on the
/// number of threads.
at::Tensor scatterRows(const at::Tensor& rows, const at::Tensor& ids, const at::Tensor& table) {
  at::Tensor result = at::zeros(table.sizes(), floats());
  const std::int64_t count = ids.size(0);
  const std::int64_t width = table.size(1);
  const auto* id = ids.const_data_ptr<std::int64_t>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [id](std::int64_t a, std::int64_t b) { return id[a] < id[b]; });
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < count; ++i)
    if (i == 0 || id[order[i]] != id[order[i - 1]]) starts.push_back(i);
  starts.push_back(count);
  const auto& kernels = cpuKernels<float>();
  parallelFor(static_cast<std::int64_t>(starts.size()) - 1, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      float* target = result.mutable_data_ptr<float>() + id[order[starts[n]]] * width;
      kernels.addRows(target, rows.const_data_ptr<float>(), order.data() + starts[n], starts[n + 1] - starts[n], width);
    }
  });
  return result;
}

class CpuBackend : public Backend {
 public:
  NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                     const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                     const NormOptions& options) const override {
    checkWidth(input.size(1));
    NormResult result;
    result.output = at::empty_like(input);
    if (options.training || options.keepSum) result.sum = at::empty_like(input);
    if (options.training) {
      result.mean = at::empty({input.size(0)}, floats());
      result.rstd = at::empty({input.size(0)}, floats());
    }
    withElement(input.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      AddNorm<Element> a;
      a.input = pointer<Element>(input);
      a.bias = pointer<float>(bias);
      a.residual = pointer<Element>(residual);
      a.rowKeys = rowKeys.const_data_ptr<std::int64_t>();
      a.gamma = pointer<float>(gamma);
      a.beta = pointer<float>(beta);
      a.sum = pointer<Element>(result.sum);
      a.output = pointer<Element>(result.output);
      a.mean = pointer<float>(result.mean);
      a.rstd = pointer<float>(result.rstd);
      a.dropout = options.dropout;
      a.eps = static_cast<float>(options.eps);
      a.width = input.size(1);
      forRowBlocks(input.size(0), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        cpuKernels<Element>().addNorm(a, begin, end);
      });
    });
    return result;
  }

  NormGradient addNormGradient(const at::Tensor& outputGradient, const at::Tensor& sumGradient, const NormResult& saved,
                               const at::Tensor& rowKeys, const at::Tensor& gamma,
                               const NormOptions& options) const override {
    const std::int64_t rows = saved.sum.size(0);
    const std::int64_t width = saved.sum.size(1);
    NormGradient g;
    g.input = at::empty_like(saved.sum);
    g.residual = options.dropout.active() ? at::empty_like(saved.sum) : g.input;
    const at::Tensor columns = at::empty({cpu::blocksOf(rows), 3, width}, floats());
    withElement(saved.sum.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      AddNormGradient<Element> a;
      a.outputGradient = pointer<Element>(outputGradient);
      a.sumGradient = pointer<Element>(sumGradient);
      a.sum = pointer<Element>(saved.sum);
      a.mean = pointer<float>(saved.mean);
      a.rstd = pointer<float>(saved.rstd);
      a.rowKeys = rowKeys.const_data_ptr<std::int64_t>();
      a.gamma = pointer<float>(gamma);
      a.inputGradient = pointer<Element>(g.input);
      a.residualGradient = pointer<Element>(g.residual);
      a.dropout = options.dropout;
      a.width = width;
      forRowBlocks(rows, [&, a](std::int64_t block, std::int64_t begin, std::int64_t end) {
        auto own = a;
        own.columns = columns.mutable_data_ptr<float>() + block * 3 * width;
        cpuKernels<Element>().addNormGradient(own, begin, end);
      });
    });
    const at::Tensor sums = columns.sum(0);
    g.gamma = sums[0];
    g.beta = sums[1];
    g.bias = sums[2];
    return g;
  }

  NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                   const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const override {
    const std::int64_t rows = tokenIds.size(0);
    const std::int64_t width = weights.word.size(1);
    checkWidth(width);
    NormResult result;
    result.output = at::empty({rows, width}, at::TensorOptions().dtype(type));
    if (options.training) {
      result.sum = at::empty({rows, width}, floats());
      result.mean = at::empty({rows}, floats());
      result.rstd = at::empty({rows}, floats());
    }
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Embed<Element> a;
      a.tokenIds = tokenIds.const_data_ptr<std::int64_t>();
      a.positions = positions.const_data_ptr<std::int64_t>();
      a.rowKeys = rowKeys.const_data_ptr<std::int64_t>();
      a.word = pointer<float>(weights.word);
      a.position = pointer<float>(weights.position);
      a.type = pointer<float>(weights.type);
      a.gamma = pointer<float>(weights.gamma);
      a.beta = pointer<float>(weights.beta);
      a.sum = pointer<float>(result.sum);
      a.output = pointer<Element>(result.output);
      a.mean = pointer<float>(result.mean);
      a.rstd = pointer<float>(result.rstd);
      a.dropout = options.dropout;
      a.eps = static_cast<float>(options.eps);
      a.width = width;
      forRowBlocks(rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        cpuKernels<Element>().embed(a, begin, end);
      });
    });
    return result;
  }

  EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) const override {
    const std::int64_t rows = saved.sum.size(0);
    const std::int64_t width = saved.sum.size(1);
    const at::Tensor inner = at::empty({rows, width}, floats());
    const at::Tensor columns = at::empty({cpu::blocksOf(rows), 3, width}, floats());
    withElement(outputGradient.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      batchwise::EmbedGradient<Element> a;
      a.outputGradient = pointer<Element>(outputGradient);
      a.sum = pointer<float>(saved.sum);
      a.mean = pointer<float>(saved.mean);
      a.rstd = pointer<float>(saved.rstd);
      a.rowKeys = rowKeys.const_data_ptr<std::int64_t>();
      a.gamma = pointer<float>(weights.gamma);
      a.sumGradient = pointer<float>(inner);
      a.dropout = options.dropout;
      a.width = width;
      forRowBlocks(rows, [&, a](std::int64_t block, std::int64_t begin, std::int64_t end) {
        auto own = a;
        own.columns = columns.mutable_data_ptr<float>() + block * 3 * width;
        cpuKernels<Element>().embedGradient(own, begin, end);
      });
    });
    const at::Tensor sums = columns.sum(0);
    EmbeddingGradient g;
    g.gamma = sums[0];
    g.beta = sums[1];
    g.type = at::zeros(weights.type.sizes(), floats());
    g.type[0].copy_(sums[2]);
    g.position = scatterRows(inner, positions, weights.position);
    g.word = scatterRows(inner, tokenIds, weights.word);
    return g;
  }

  std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                   Activation activation, bool training) const override {
    const at::Tensor output = at::empty_like(input);
    const at::Tensor slope = training ? input : at::Tensor();  // in place: reads before it overwrites
    withElement(input.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      BiasActivation<Element> a;
      a.input = pointer<Element>(input);
      a.bias = pointer<float>(bias);
      a.output = pointer<Element>(output);
      a.slope = pointer<Element>(slope);
      a.kind = kindOf(activation);
      a.width = input.size(1);
      forRowBlocks(input.size(0), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        cpuKernels<Element>().biasActivation(a, begin, end);
      });
    });
    return {output, slope};
  }

  std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& /* in the slope already */,
                                                           Activation) const override {
    const std::int64_t rows = saved.size(0);
    const std::int64_t width = saved.size(1);
    const at::Tensor inner = at::empty_like(saved);
    const at::Tensor columns = at::empty({cpu::blocksOf(rows), width}, floats());
    withElement(saved.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      BiasActivationGradient<Element> a;
      a.outputGradient = pointer<Element>(outputGradient);
      a.slope = pointer<Element>(saved);
      a.inputGradient = pointer<Element>(inner);
      a.width = width;
      forRowBlocks(rows, [&, a](std::int64_t block, std::int64_t begin, std::int64_t end) {
        auto own = a;
        own.columns = columns.mutable_data_ptr<float>() + block * width;
        cpuKernels<Element>().biasActivationGradient(own, begin, end);
      });
    });
    return {inner, columns.sum(0)};
  }

  AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool training) const override {
    return cpu::attention(input, plan, training);
  }

  AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                      const AttentionInput& input, const AttentionResult& saved,
                                      const AttentionPlan& plan) const override {
    return cpu::attentionGradient(outputGradient, penaltyGradient, input, saved, plan);
  }

  LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels,
                        bool overwrite) const override {
    const std::int64_t rows = logits.size(0);
    LossRows result{at::empty({rows}, floats()), at::empty({rows}, labels.options())};
    withElement(logits.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      CrossEntropy<Element> a;
      a.logits = pointer<Element>(logits);
      a.bias = pointer<float>(bias);
      a.labels = labels.const_data_ptr<std::int64_t>();
      a.loss = pointer<float>(result.loss);
      a.correct = pointer<std::int64_t>(result.correct);
      a.overwrite = overwrite;
      a.width = bias.size(0);
      a.stride = logits.size(1);
      parallelFor(rows, 4, [&, a](std::int64_t begin, std::int64_t end) {
        std::vector<float> scratch(static_cast<std::size_t>(a.width));
        auto own = a;
        own.scratch = scratch.data();
        cpuKernels<Element>().crossEntropy(own, begin, end);
      });
    });
    return result;
  }
};

}  // namespace

const Backend& cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace batchwise
