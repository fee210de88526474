// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "core/model/backend.h"
#include "core/model/kernel_calls.h"
#include "core/model/kernels/cpu_kernels.h"

namespace batchwise {
namespace {

/// Rows per kernel call. Constant, so that sums over rows do not depend on the number of threads.
constexpr std::int64_t kRowBlock = 64;

std::int64_t blocksOf(std::int64_t rows) {
  return (rows + kRowBlock - 1) / kRowBlock;
}

/// Calls work(block, firstRow, endRow) for every block of rows, on LibTorch's threads.
template <typename Work>
void forRowBlocks(std::int64_t rows, const Work& work) {
  parallelFor(blocksOf(rows), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
      work(block, block * kRowBlock, std::min(rows, (block + 1) * kRowBlock));
  });
}

/// Runs a kernel over all rows.
template <typename Arguments>
void runRows(void (*kernel)(const Arguments&, std::int64_t, std::int64_t), const Arguments& a, std::int64_t rows) {
  forRowBlocks(rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) { kernel(a, begin, end); });
}

/// Runs a kernel over all rows; each block of rows writes its own column sums, `columns` numbers.
template <typename Arguments>
void runRowsWithColumns(void (*kernel)(const Arguments&, std::int64_t, std::int64_t), const Arguments& a,
                        std::int64_t rows, std::int64_t columns) {
  forRowBlocks(rows, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    Arguments own = a;
    own.columns += block * columns;
    kernel(own, begin, end);
  });
}

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
    const auto launch = []<typename Element>(const AddNorm<Element>& a, std::int64_t rows) {
      runRows(cpuKernels<Element>().addNorm, a, rows);
    };
    return addNormBy(launch, input, bias, residual, rowKeys, gamma, beta, options);
  }

  NormGradient addNormGradient(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& rowKeys,
                               const at::Tensor& gamma, const NormOptions& options) const override {
    const auto launch = []<typename Element>(const AddNormGradient<Element>& a, std::int64_t rows) {
      runRowsWithColumns(cpuKernels<Element>().addNormGradient, a, rows, 3 * a.width);
    };
    return addNormGradientBy(launch, blocksOf(saved.sum.size(0)), outer, saved, rowKeys, gamma, options);
  }

  at::Tensor sequenceNorms(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& starts,
                           bool hasBeta) const override {
    at::Tensor squares = at::zeros({starts.size(0) - 1}, at::kDouble);
    withElement(saved.sum.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      const auto rows = normWeightGradientOf<Element>(outer, saved);
      const auto* const start = starts.const_data_ptr<std::int64_t>();
      auto* const square = squares.mutable_data_ptr<double>();
      parallelFor(squares.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> columns(static_cast<std::size_t>(2 * rows.width));
        const std::span used = std::span(columns).first(static_cast<std::size_t>((hasBeta ? 2 : 1) * rows.width));
        AddNormGradient<Element> own = rows;
        own.columns = columns.data();
        for (std::int64_t i = begin; i < end; ++i) {
          cpuKernels<Element>().normColumns(own, start[i], start[i + 1]);
          for (const float value : used) square[i] += double{value} * double{value};
        }
      });
    });
    return squares;
  }

  NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                   const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const override {
    checkWidth(weights.word.size(1));
    const auto launch = []<typename Element>(const Embed<Element>& a, std::int64_t rows) {
      runRows(cpuKernels<Element>().embed, a, rows);
    };
    return embedBy(launch, tokenIds, positions, rowKeys, weights, options, type);
  }

  EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) const override {
    const auto launch = []<typename Element>(const EmbedGradient<Element>& a, std::int64_t rows) {
      runRowsWithColumns(cpuKernels<Element>().embedGradient, a, rows, 3 * a.width);
    };
    return embedGradientBy(launch, blocksOf(outputGradient.size(0)), scatterRows, outputGradient, saved, tokenIds,
                           positions, rowKeys, weights, options);
  }

  std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                   Activation activation, bool training) const override {
    const at::Tensor slope = training ? input : at::Tensor();  // in place: reads before it overwrites
    const auto launch = []<typename Element>(const BiasActivation<Element>& a, std::int64_t rows) {
      runRows(cpuKernels<Element>().biasActivation, a, rows);
    };
    return {biasActivationBy(launch, input, bias, slope, activation), slope};
  }

  std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& bias,
                                                           Activation activation) const override {
    const auto launch = []<typename Element>(const BiasActivationGradient<Element>& a, std::int64_t rows) {
      runRowsWithColumns(cpuKernels<Element>().biasActivationGradient, a, rows, a.width);
    };
    return biasActivationGradientBy(launch, blocksOf(saved.size(0)), outputGradient, saved, bias, activation);
  }

  std::pair<at::Tensor, at::Tensor> gatedActivation(const at::Tensor& input, Activation activation,
                                                    bool training) const override {
    const at::Tensor factors = training ? input : at::Tensor();  // in place: reads before it overwrites
    const auto launch = []<typename Element>(const GatedActivation<Element>& a, std::int64_t rows) {
      runRows(cpuKernels<Element>().gatedActivation, a, rows);
    };
    return {gatedActivationBy(launch, input, factors, activation), factors};
  }

  at::Tensor gatedActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                     Activation activation) const override {
    const auto launch = []<typename Element>(const GatedActivationGradient<Element>& a, std::int64_t rows) {
      runRows(cpuKernels<Element>().gatedActivationGradient, a, rows);
    };
    gatedActivationGradientBy(launch, outputGradient, saved, activation);
    return saved;
  }

  void rotate(const at::Tensor& rows, const at::Tensor& positions, std::int64_t heads, const AttentionPlan& plan,
              bool inverse) const override {
    withElement(rows.scalar_type(), [&](auto element) {
      using Element = decltype(element);
      runRows(cpuKernels<Element>().rotate, rotaryOf<Element>(rows, positions, heads, plan, inverse), rows.size(0));
    });
  }

  AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool /*training*/) const override {
    return cpuAttention(input, plan);
  }

  AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                      const AttentionInput& input, const AttentionResult& saved,
                                      const AttentionPlan& plan) const override {
    AttentionGradient g = cpuAttentionGradient(outputGradient, penaltyGradient, input, saved, plan);
    rotateBoth(*this, g.query, g.packed, plan, /*inverse=*/true);
    return g;
  }

  LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels, std::int64_t vocabulary,
                        bool overwrite) const override {
    const auto launch = []<typename Element>(const CrossEntropy<Element>& a, std::int64_t rows) {
      parallelFor(rows, 4, [&a](std::int64_t begin, std::int64_t end) {
        std::vector<float> scratch(static_cast<std::size_t>(a.width));
        auto own = a;
        own.scratch = scratch.data();
        cpuKernels<Element>().crossEntropy(own, begin, end);
      });
    };
    return crossEntropyBy(launch, logits, bias, labels, vocabulary, overwrite);
  }
};

}  // namespace

const Backend& cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace batchwise
