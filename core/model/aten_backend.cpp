// SPDX-License-Identifier: GPL-3.0-or-later
#include <torch/torch.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/backend_check.h"
#include "core/model/padded_attention.h"

namespace batchwise {
namespace {

at::Tensor widened(const at::Tensor& tensor) {
  return tensor.to(at::kFloat);
}

at::Tensor column(const at::Tensor& rows) {
  return rows.view({-1, 1});
}

/// `bits` shifted right with zeros from the left, which LibTorch's int64 does not do.
at::Tensor shiftedRight(const at::Tensor& bits, int by) {
  return at::bitwise_and(at::bitwise_right_shift(bits, by), (std::int64_t{1} << (64 - by)) - 1);
}

/// mix64() of each element; products wrap around.
at::Tensor mixed(const at::Tensor& words) {
  at::Tensor w = words + static_cast<std::int64_t>(0x9E3779B97F4A7C15ULL);
  w = at::bitwise_xor(w, shiftedRight(w, 30)) * static_cast<std::int64_t>(0xBF58476D1CE4E5B9ULL);
  w = at::bitwise_xor(w, shiftedRight(w, 27)) * static_cast<std::int64_t>(0x94D049BB133111EBULL);
  return at::bitwise_xor(w, shiftedRight(w, 31));
}

/// The factor of each element, 0 or the scale, [rows, width], fp32; see Dropout.
at::Tensor dropoutFactors(const Dropout& dropout, const at::Tensor& rowKeys, std::int64_t width) {
  const at::Tensor inner = mixed(at::bitwise_xor(rowKeys, static_cast<std::int64_t>(0xD1B54A32D192ED03ULL)));
  const at::Tensor states = mixed(at::bitwise_xor(inner, static_cast<std::int64_t>(dropout.key)));  // subKey()
  const std::int64_t quads = (width + 3) / 4;
  const at::Tensor steps = at::arange(quads, rowKeys.options()) * static_cast<std::int64_t>(0x9E3779B97F4A7C15ULL);
  const at::Tensor bits = mixed(column(states) + steps);
  std::vector<at::Tensor> lanes;
  for (const int shift : {0, 16, 32, 48})
    lanes.push_back(at::bitwise_and(at::bitwise_right_shift(bits, shift), std::int64_t{0xFFFF}));
  const at::Tensor drawn = at::stack(lanes, 2).view({rowKeys.size(0), 4 * quads}).narrow(1, 0, width);
  return drawn.ge(static_cast<std::int64_t>(dropout.threshold)).to(at::kFloat) * dropout.scale;
}

at::Tensor dropped(const at::Tensor& values, const at::Tensor& rowKeys, const Dropout& dropout) {
  return dropout.active() ? values * dropoutFactors(dropout, rowKeys, values.size(1)) : values;
}

/// Sets all but `sum` of a norm of `result.sum`; the output in `type`.
void normalize(NormResult& result, const at::Tensor& gamma, const at::Tensor& beta, const NormOptions& options,
               at::ScalarType type) {
  const at::Tensor wide = widened(result.sum);
  result.mean = options.centered ? wide.mean(1) : at::zeros({wide.size(0)}, wide.options());
  const at::Tensor centered = wide - column(result.mean);
  result.rstd = (centered.square().mean(1) + options.eps).rsqrt();
  const at::Tensor output = centered * column(result.rstd) * gamma;
  result.output = (beta.defined() ? output + beta : output).to(type);
}

/// Gradient of a norm: of its input, gamma and beta, fp32.
std::tuple<at::Tensor, at::Tensor, at::Tensor> normGradient(const at::Tensor& gradient, const NormResult& saved,
                                                            const at::Tensor& gamma, const NormOptions& options) {
  const at::Tensor outer = widened(gradient), rstd = column(saved.rstd);
  const at::Tensor unit = (widened(saved.sum) - column(saved.mean)) * rstd, inner = outer * gamma;
  at::Tensor input = inner - unit * (inner * unit).mean(1, /*keepdim=*/true);
  if (options.centered) input = input - inner.mean(1, /*keepdim=*/true);
  return {input * rstd, (outer * unit).sum(0), outer.sum(0)};
}

at::Tensor activated(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::Gelu: return at::gelu(x);
    case Activation::GeluTanh: return at::gelu(x, "tanh");
    case Activation::Silu: return at::silu(x);
    case Activation::Relu: break;
  }
  return at::relu(x);
}

at::Tensor activatedGradient(const at::Tensor& outer, const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::Gelu: return at::gelu_backward(outer, x);
    case Activation::GeluTanh: return at::gelu_backward(outer, x, "tanh");
    case Activation::Silu: return at::silu_backward(outer, x);
    case Activation::Relu: break;
  }
  return outer * x.gt(0);
}

at::Tensor biased(const at::Tensor& input, const at::Tensor& bias) {
  return bias.defined() ? widened(input) + bias : widened(input);
}

/// x <- x cos - y sin, y <- y cos + x sin for views of pairs, [rows, heads, pairs]; cosines and sines: [rows, 1,
/// pairs].
void rotatePairs(const at::Tensor& x, const at::Tensor& y, const at::Tensor& cosines, const at::Tensor& sines) {
  const at::Tensor first = x.to(at::kFloat), second = y.to(at::kFloat);
  const at::Tensor turned = first * cosines - second * sines;
  y.copy_(second * cosines + first * sines);
  x.copy_(turned);
}

class AtenBackend : public Backend {
 public:
  NormResult addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                     const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                     const NormOptions& options) const override {
    NormResult result;
    at::Tensor sum = dropped(biased(input, bias), rowKeys, options.dropout);
    if (residual.defined()) sum = sum + residual;
    result.sum = sum.to(input.scalar_type());
    // The sum is a separate output, so it must not be the input tensor.
    if (result.sum.is_same(input)) result.sum = input.alias();
    normalize(result, gamma, beta, options, input.scalar_type());
    return result;
  }

  NormGradient addNormGradient(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& rowKeys,
                               const at::Tensor& gamma, const NormOptions& options) const override {
    NormGradient g;
    at::Tensor inner = outer.sum.defined() ? widened(outer.sum) : at::zeros_like(saved.sum, at::kFloat);
    g.gamma = at::zeros_like(gamma);
    g.beta = at::zeros_like(gamma);
    if (outer.output.defined()) {
      at::Tensor both = widened(outer.output), input;
      if (outer.second.defined()) both = both + widened(outer.second);
      std::tie(input, g.gamma, g.beta) = normGradient(both, saved, gamma, options);
      inner = inner + input;
    }
    const at::Tensor input = dropped(inner, rowKeys, options.dropout);
    g.residual = inner.to(saved.sum.scalar_type());
    g.input = input.to(saved.sum.scalar_type());
    g.bias = input.sum(0);
    return g;
  }

  at::Tensor sequenceNorms(const NormOutputGradients& outer, const NormResult& saved, const at::Tensor& starts,
                           bool hasBeta) const override {
    const at::Tensor lengths = starts.diff();
    const auto ofSequences = [&](const at::Tensor& ofRows) {
      return at::segment_reduce(ofRows, "sum", lengths, {}, {}, 0, /*unsafe=*/true, 0.0)
          .square()
          .sum(1, false, at::kDouble);
    };
    at::Tensor both = widened(outer.output);
    if (outer.second.defined()) both = both + outer.second;
    const at::Tensor unit = (saved.sum - column(saved.mean)) * column(saved.rstd);
    const at::Tensor ofGamma = ofSequences(both * unit);
    return hasBeta ? ofGamma + ofSequences(both) : ofGamma;
  }

  NormResult embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                   const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) const override {
    NormResult result;
    result.sum = weights.word.detach().index_select(0, tokenIds);
    if (weights.type.defined()) result.sum = result.sum + weights.type.detach()[0];
    if (weights.position.defined()) result.sum = result.sum + weights.position.detach().index_select(0, positions);
    if (!weights.gamma.defined()) return {dropped(result.sum, rowKeys, options.dropout).to(type), {}, {}, {}};
    normalize(result, weights.gamma, weights.beta, options, at::kFloat);
    result.output = dropped(result.output, rowKeys, options.dropout).to(type);
    return result;
  }

  EmbeddingGradient embedGradient(const at::Tensor& outputGradient, const NormResult& saved, const at::Tensor& tokenIds,
                                  const at::Tensor& positions, const at::Tensor& rowKeys,
                                  const EmbeddingWeights& weights, const NormOptions& options) const override {
    EmbeddingGradient g;
    at::Tensor inner = dropped(widened(outputGradient), rowKeys, options.dropout);
    if (weights.gamma.defined()) std::tie(inner, g.gamma, g.beta) = normGradient(inner, saved, weights.gamma, options);
    if (weights.type.defined()) {
      g.type = at::zeros_like(weights.type);
      g.type[0].copy_(inner.sum(0));
    }
    g.word = at::embedding_dense_backward(inner, tokenIds, weights.word.size(0), -1, false);
    if (weights.position.defined())
      g.position = at::embedding_dense_backward(inner, positions, weights.position.size(0), -1, false);
    return g;
  }

  std::pair<at::Tensor, at::Tensor> biasActivation(const at::Tensor& input, const at::Tensor& bias,
                                                   Activation activation, bool training) const override {
    return {activated(biased(input, bias), activation).to(input.scalar_type()), training ? input : at::Tensor()};
  }

  std::pair<at::Tensor, at::Tensor> biasActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                                           const at::Tensor& bias,
                                                           Activation activation) const override {
    const at::Tensor inner = activatedGradient(widened(outputGradient), biased(saved, bias), activation);
    return {inner.to(saved.scalar_type()), inner.sum(0)};
  }

  std::pair<at::Tensor, at::Tensor> gatedActivation(const at::Tensor& input, Activation activation,
                                                    bool training) const override {
    const std::vector<at::Tensor> halves = widened(input).chunk(2, 1);
    return {(activated(halves[0], activation) * halves[1]).to(input.scalar_type()), training ? input : at::Tensor()};
  }

  at::Tensor gatedActivationGradient(const at::Tensor& outputGradient, const at::Tensor& saved,
                                     Activation activation) const override {
    const std::vector<at::Tensor> halves = widened(saved).chunk(2, 1);
    const at::Tensor outer = widened(outputGradient);
    const at::Tensor ofGate = activatedGradient(outer * halves[1], halves[0], activation);
    return at::cat({ofGate, outer * activated(halves[0], activation)}, 1).to(saved.scalar_type());
  }

  void rotate(const at::Tensor& rows, const at::Tensor& positions, std::int64_t heads, const AttentionPlan& plan,
              bool inverse) const override {
    const std::int64_t half = plan.headSize / 2;
    const at::Tensor values = rows.narrow(1, 0, heads * plan.headSize).unflatten(1, {heads, plan.headSize});
    const at::Tensor cosines = plan.rotary.cosines.index_select(0, positions).unsqueeze(1);
    const at::Tensor sines = plan.rotary.sines.index_select(0, positions).unsqueeze(1) * (inverse ? -1.0 : 1.0);
    if (plan.rotary.interleaved) {
      const at::Tensor pairs = values.unflatten(2, {half, 2});
      rotatePairs(pairs.select(3, 0), pairs.select(3, 1), cosines, sines);
    } else {
      rotatePairs(values.narrow(2, 0, half), values.narrow(2, half, half), cosines, sines);
    }
  }

  AttentionResult attention(const AttentionInput& input, const AttentionPlan& plan, bool /*training*/) const override {
    const PaddedAttention made = paddedAttention(input, plan);
    return {made.output, made.logSum, plan.logitPenalty.empty() ? at::Tensor() : made.penalty, {}, {}};
  }

  AttentionGradient attentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                      const AttentionInput& input, const AttentionResult& /* computed again */,
                                      const AttentionPlan& plan) const override {
    AttentionGradient g = paddedAttentionGradient(outputGradient, penaltyGradient, input, plan);
    rotateBoth(*this, g.query, g.packed, plan, /*inverse=*/true);
    return g;
  }

  LossRows crossEntropy(at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels, std::int64_t vocabulary,
                        bool overwrite) const override {
    const at::Tensor values = biased(logits.narrow(1, 0, vocabulary), bias), of = labels.unsqueeze(1);
    const at::Tensor ofLabel = values.gather(1, of).squeeze(1);
    const LossRows result{at::logsumexp(values, {1}) - ofLabel, values.argmax(1).eq(labels).to(at::kLong)};
    if (overwrite) {
      const at::Tensor isLabel = at::arange(vocabulary, labels.options()).eq(of);
      const at::Tensor gradient = at::softmax(values, 1) - isLabel.to(at::kFloat);
      logits.zero_();
      logits.narrow(1, 0, vocabulary).copy_(gradient);
    }
    return result;
  }
};

}  // namespace

const Backend& atenBackend() {
  static const AtenBackend backend;
  return backend;
}

}  // namespace batchwise
