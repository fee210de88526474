// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/ops.h"

#include <torch/torch.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/base/integer_math.h"
#include "core/model/backend_check.h"
#include "core/model/example_norms.h"

namespace batchwise {
namespace {

const Backend& backendFor(OperationGroup group, const at::Tensor& tensor) {
  return backendFor(group, tensor.device(), tensor.scalar_type());
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor contiguousOrUndefined(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.contiguous() : tensor;
}

/// Returns the rows of each stacked part that there is.
std::vector<std::int64_t> sizesOf(std::initializer_list<const std::optional<at::Tensor>*> parts) {
  std::vector<std::int64_t> sizes;
  for (const std::optional<at::Tensor>* part : parts)
    if (part->has_value()) sizes.push_back((*part)->size(0));
  return sizes;
}

/// Appends the gradients of stacked parts: slices of `whole` in order, undefined for missing parts.
void pushSlices(variable_list& gradients, const at::Tensor& whole, const std::vector<std::int64_t>& sizes) {
  std::int64_t first = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    if (part >= sizes.size() || !whole.defined()) {
      gradients.emplace_back();
      continue;
    }
    gradients.push_back(sizes.size() == 1 ? whole : whole.narrow(0, first, sizes[part]));
    first += sizes[part];
  }
}

/// Returns a * b in fp32. GPUs accumulate in fp32 and skip intermediate rounding.
at::Tensor productInFp32(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() == at::kFloat) return at::mm(a, b);
  return a.is_cuda() ? at::mm(a, b, at::kFloat) : at::mm(a, b).to(at::kFloat);
}

struct LinearFunction : torch::autograd::Function<LinearFunction> {
  using Optional = std::optional<at::Tensor>;

  /// w0 to w2 and the following three are the fp32 leaves of weight and bias, which receive the gradients.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                            const Optional& bias, const Optional& w0, const Optional& w1, const Optional& w2,
                            const Optional& b0, const Optional&, const Optional&) {
    saveForBackward(context, sizesOf({&w0, &w1, &w2}));
    context->saved_data["bias"] = b0.has_value();
    context->save_for_backward({input, weight});
    return bias.has_value() ? at::addmm(*bias, input, weight.t()) : at::mm(input, weight.t());
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    const auto saved = context->get_saved_variables();
    const auto& sizes = savedForBackward<std::vector<std::int64_t>>(context);
    const at::Tensor gradient = outer[0].contiguous();
    at::Tensor inputGradient;
    if (context->needs_input_grad(0)) inputGradient = at::mm(gradient, saved[1]);
    const at::Tensor weightGradient = productInFp32(gradient.t(), saved[0]);
    at::Tensor biasGradient;
    if (context->saved_data["bias"].toBool()) biasGradient = at::sum(gradient, {0}, false, at::kFloat);
    variable_list gradients = {inputGradient, {}, {}};
    pushSlices(gradients, weightGradient, sizes);
    pushSlices(gradients, biasGradient, sizes);
    return gradients;
  }
};

std::optional<at::Tensor> optional(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

struct AddNormFunction : torch::autograd::Function<AddNormFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& input, const std::optional<at::Tensor>& bias,
                               const std::optional<at::Tensor>& residual, const at::Tensor& rowKeys,
                               const at::Tensor& gamma, const std::optional<at::Tensor>& beta,
                               const NormOptions& options) {
    const auto result = backendFor(OperationGroup::Norm, input)
                            .addNorm(input, bias.value_or(at::Tensor()), residual.value_or(at::Tensor()), rowKeys,
                                     gamma, beta.value_or(at::Tensor()), options);
    const at::Tensor next = options.keepSum ? result.sum : result.output.alias();  // the next one's residual
    if (!options.training) return {result.output, next};
    context->set_materialize_grads(false);
    context->save_for_backward({result.sum, result.mean, result.rstd, rowKeys, gamma});
    context->saved_data["bias"] = bias.has_value();
    context->saved_data["residual"] = residual.has_value();
    context->saved_data["beta"] = beta.has_value();
    saveForBackward(context, options);
    return {result.output, next};
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    const auto saved = context->get_saved_variables();
    const NormResult result{{}, saved[0], saved[1], saved[2]};
    const auto& options = savedForBackward<NormOptions>(context);
    NormOutputGradients gradients{contiguousOrUndefined(outer[0]), {}, {}};
    (options.keepSum ? gradients.sum : gradients.second) = contiguousOrUndefined(outer[1]);
    if (!gradients.output.defined()) std::swap(gradients.output, gradients.second);
    if (options.examples != nullptr) options.examples->add(gradients, result, context->saved_data["beta"].toBool());
    const auto g =
        backendFor(OperationGroup::Norm, result.sum).addNormGradient(gradients, result, saved[3], saved[4], options);
    return {g.input,
            context->saved_data["bias"].toBool() ? g.bias : at::Tensor(),
            context->saved_data["residual"].toBool() ? g.residual : at::Tensor(),
            {},
            g.gamma,
            context->saved_data["beta"].toBool() ? g.beta : at::Tensor(),
            {}};
  }
};

struct EmbedFunction : torch::autograd::Function<EmbedFunction> {
  using Optional = std::optional<at::Tensor>;

  static at::Tensor forward(AutogradContext* context, const at::Tensor& tokenIds, const at::Tensor& positions,
                            const at::Tensor& rowKeys, const at::Tensor& word, const Optional& position,
                            const Optional& type, const Optional& gamma, const Optional& beta,
                            const NormOptions& options, at::ScalarType scalarType) {
    const at::Tensor none;
    const EmbeddingWeights weights{word, position.value_or(none), type.value_or(none), gamma.value_or(none),
                                   beta.value_or(none)};
    const auto result = backendFor(OperationGroup::Embedding, word.device(), scalarType)
                            .embed(tokenIds, positions, rowKeys, weights, options, scalarType);
    if (options.training) {
      context->save_for_backward({result.sum, result.mean, result.rstd, tokenIds, positions, rowKeys, word,
                                  weights.position, weights.type, weights.gamma, weights.beta});
      saveForBackward(context, options);
    }
    return result.output;
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    const auto s = context->get_saved_variables();
    const NormResult result{{}, s[0], s[1], s[2]};
    const auto g = backendFor(OperationGroup::Embedding, outer[0])
                       .embedGradient(outer[0].contiguous(), result, s[3], s[4], s[5], {s[6], s[7], s[8], s[9], s[10]},
                                      savedForBackward<NormOptions>(context));
    const at::Tensor beta = s[10].defined() ? g.beta : at::Tensor();  // autograd refuses a gradient of nothing
    return {{}, {}, {}, g.word, g.position, g.type, g.gamma, beta, {}, {}};
  }
};

struct BiasActivationFunction : torch::autograd::Function<BiasActivationFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const std::optional<at::Tensor>& given,
                            Activation activation, bool training) {
    const at::Tensor bias = given.value_or(at::Tensor());
    auto [output, saved] =
        backendFor(OperationGroup::Activation, input).biasActivation(input, bias, activation, training);
    if (training) {
      context->save_for_backward({saved, bias});
      context->saved_data["activation"] = static_cast<std::int64_t>(activation);
    }
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    const auto saved = context->get_saved_variables();
    const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
    auto [input, bias] = backendFor(OperationGroup::Activation, saved[0])
                             .biasActivationGradient(outer[0].contiguous(), saved[0], saved[1], activation);
    return {input, saved[1].defined() ? bias : at::Tensor(), {}, {}};
  }
};

struct GatedActivationFunction : torch::autograd::Function<GatedActivationFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, Activation activation, bool training) {
    auto [output, saved] =
        backendFor(OperationGroup::GatedActivation, input).gatedActivation(input, activation, training);
    if (training) {
      context->save_for_backward({saved});
      context->saved_data["activation"] = static_cast<std::int64_t>(activation);
    }
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    const at::Tensor saved = context->get_saved_variables()[0];
    const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
    return {backendFor(OperationGroup::GatedActivation, saved)
                .gatedActivationGradient(outer[0].contiguous(), saved, activation),
            {},
            {}};
  }
};

/// Returns the largest log-sum-exp of a row; it exceeds the largest logit by at most the log of the longest sequence.
at::Tensor largestLogSum(const at::Tensor& logSum, const AttentionPlan& plan) {
  if (logSum.dim() < 3) return logSum.max().to(at::kFloat);
  const at::Tensor lengths = plan.queryStartsTensor.slice(0, 1) - plan.queryStartsTensor.slice(0, 0, -1);
  const at::Tensor beyond = at::arange(logSum.size(2), lengths.options()).unsqueeze(0) >= lengths.unsqueeze(1);
  return logSum.masked_fill(beyond.unsqueeze(1), -std::numeric_limits<double>::infinity()).max().to(at::kFloat);
}

struct AttentionFunction : torch::autograd::Function<AttentionFunction> {
  using Optional = std::optional<at::Tensor>;

  /// b0 to b2: the leaves of the bias that `packed` contains.
  static variable_list forward(AutogradContext* context, const Optional& query, const at::Tensor& packed,
                               const Optional& b0, const Optional& b1, const Optional& b2, const AttentionPlan& plan,
                               bool training) {
    const AttentionInput input{query.value_or(at::Tensor()), packed};
    const Backend& backend = backendFor(OperationGroup::Attention, packed);
    rotateBoth(backend, input.query, packed, plan, /*inverse=*/false);
    const auto result = backend.attention(input, plan, training);
    if (training) {
      context->set_materialize_grads(false);
      context->save_for_backward({input.query, packed, result.output, result.logSum, result.random1, result.random2});
      saveForBackward(context, Saved{plan, sizesOf({&b0, &b1, &b2})});
    }
    variable_list made = {result.output};
    if (result.penalty.defined()) made.push_back(result.penalty);
    if (plan.measureLogits) {
      made.push_back(largestLogSum(result.logSum, plan));
      context->mark_non_differentiable({made.back()});
    }
    return made;
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    const auto s = context->get_saved_variables();
    const AttentionResult result{s[2], s[3], {}, s[4], s[5]};
    const at::Tensor outputGradient = outer[0].defined() ? outer[0].contiguous() : at::zeros_like(result.output);
    const auto& [plan, biasSizes] = savedForBackward<Saved>(context);
    const at::Tensor penaltyGradient = plan.logitPenalty.empty() ? at::Tensor() : outer[1];
    auto g = backendFor(OperationGroup::Attention, s[1])
                 .attentionGradient(outputGradient, penaltyGradient, {s[0], s[1]}, result, plan);
    if (plan.biased && !g.bias.defined()) g.bias = at::sum(g.packed, {0}, false, at::kFloat);
    variable_list gradients = {g.query, g.packed};
    pushSlices(gradients, g.bias, biasSizes);
    gradients.resize(gradients.size() + 2);
    return gradients;
  }

 private:
  struct Saved {
    AttentionPlan plan;
    std::vector<std::int64_t> biasSizes;
  };
};

/// Returns the rows of logits per chunk: about 8 MiB in fp32, 1 GiB on a GPU, or less, so that the chunks are even.
std::int64_t lossChunk(std::int64_t rows, std::int64_t vocabulary, bool onGpu) {
  return evenPart(rows, onGpu ? std::max<std::int64_t>(256, (1 << 28) / vocabulary)
                              : std::max<std::int64_t>(16, (1 << 21) / vocabulary));
}

struct DecoderLossFunction : torch::autograd::Function<DecoderLossFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                               const at::Tensor& leaf /* takes the gradient */, const std::optional<at::Tensor>& bias,
                               const at::Tensor& labels, bool training) {
    const auto& backend = backendFor(OperationGroup::CrossEntropy, input);
    const std::int64_t rows = input.size(0);
    const std::int64_t vocabulary = leaf.size(0);  // further rows of `weight` are padding
    const std::int64_t chunk = lossChunk(rows, weight.size(0), input.is_cuda());
    at::Tensor inputGradient, weightGradient, biasGradient;
    if (training) {
      inputGradient = at::empty_like(input);
      weightGradient = at::zeros({vocabulary, weight.size(1)}, input.options().dtype(at::kFloat));
      if (bias.has_value()) biasGradient = at::zeros({vocabulary}, input.options().dtype(at::kFloat));
    }
    at::Tensor loss = at::zeros({}, input.options().dtype(at::kDouble));
    at::Tensor correct = at::zeros({}, input.options().dtype(at::kLong));
    for (std::int64_t first = 0; first < rows; first += chunk) {
      const std::int64_t count = std::min(chunk, rows - first);
      const at::Tensor part = input.narrow(0, first, count);
      at::Tensor logits = at::mm(part, weight.t());
      const LossRows found = backend.crossEntropy(logits, bias.value_or(at::Tensor()), labels.narrow(0, first, count),
                                                  vocabulary, training);
      loss.add_(at::sum(found.loss, at::kDouble));
      correct.add_(at::sum(found.correct));
      if (!training) continue;
      at::Tensor target = inputGradient.narrow(0, first, count);
      at::mm_out(target, logits, weight);
      if (input.scalar_type() == at::kFloat && weight.size(0) == vocabulary) {
        weightGradient.addmm_(logits.t(), part);
      } else {
        weightGradient.add_(productInFp32(logits.t(), part).narrow(0, 0, vocabulary));
      }
      if (bias.has_value()) biasGradient.add_(at::sum(logits, {0}, false, at::kFloat).narrow(0, 0, vocabulary));
    }
    if (training) context->save_for_backward({inputGradient, weightGradient, biasGradient});
    context->mark_non_differentiable({correct});
    return {loss.to(at::kFloat), correct};
  }

  static variable_list backward(AutogradContext* context, variable_list outer) {
    auto saved = context->get_saved_variables();
    // Multiply in fp32: a 16-bit factor would be rounded, or overflow with loss scaling (above 65,504).
    const at::Tensor& factor = outer[0];
    const at::Tensor input = saved[0].to(at::kFloat).mul(factor).to(saved[0].scalar_type());
    return {input, {}, saved[1].mul(factor), saved[2].defined() ? saved[2].mul(factor) : at::Tensor(), {}, {}};
  }
};

/// Returns rows [first, first + count) of stacked parts.
template <typename Stacked>
Stacked cutRows(const Stacked& whole, std::int64_t first, std::int64_t count) {
  Stacked cut;
  if (!whole.compute.defined()) return cut;
  cut.compute = whole.compute.narrow(0, first, count);
  std::int64_t row = 0;
  std::size_t next = 0;
  for (const at::Tensor& part : whole.parts) {
    if (!part.defined()) break;
    const std::int64_t begin = std::max(first, row), end = std::min(first + count, row + part.size(0));
    if (begin < end) cut.parts[next++] = end - begin == part.size(0) ? part : part.narrow(0, begin - row, end - begin);
    row += part.size(0);
  }
  return cut;
}

}  // namespace

void rotateBoth(const Backend& backend, const at::Tensor& query, const at::Tensor& packed, const AttentionPlan& plan,
                bool inverse) {
  const RotaryPlan& rotary = plan.rotary;
  if (!rotary.cosines.defined()) return;
  const std::int64_t queries = query.defined() ? 0 : plan.heads;
  if (query.defined()) backend.rotate(query, rotary.queryPositions, plan.heads, plan, inverse);
  backend.rotate(packed, rotary.keyPositions, queries + plan.keyValueHeads, plan, inverse);
}

Matrix rowsOf(const Matrix& whole, std::int64_t first, std::int64_t count) {
  return cutRows(whole, first, count);
}
Bias rowsOf(const Bias& whole, std::int64_t first, std::int64_t count) {
  return cutRows(whole, first, count);
}

at::Tensor linear(const at::Tensor& input, const Matrix& matrix, const Bias& bias) {
  return LinearFunction::apply(input, matrix.compute, optional(bias.compute), optional(matrix.parts[0]),
                               optional(matrix.parts[1]), optional(matrix.parts[2]), optional(bias.parts[0]),
                               optional(bias.parts[1]), optional(bias.parts[2]));
}

at::Tensor linear(const at::Tensor& input, const Matrix& matrix) {
  return linear(input, matrix, Bias{});
}

AddNormOutput addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                      const at::Tensor& rowKeys, const at::Tensor& gamma, const at::Tensor& beta,
                      const NormOptions& options) {
  const auto outputs =
      AddNormFunction::apply(input, optional(bias), optional(residual), rowKeys, gamma, optional(beta), options);
  return {outputs[0], outputs[1]};
}

at::Tensor embed(const at::Tensor& tokenIds, const at::Tensor& positions, const at::Tensor& rowKeys,
                 const EmbeddingWeights& weights, const NormOptions& options, at::ScalarType type) {
  return EmbedFunction::apply(tokenIds, positions, rowKeys, weights.word, optional(weights.position),
                              optional(weights.type), optional(weights.gamma), optional(weights.beta), options, type);
}

at::Tensor biasActivation(const at::Tensor& input, const at::Tensor& bias, Activation activation, bool training) {
  return BiasActivationFunction::apply(input, optional(bias), activation, training);
}

at::Tensor gatedActivation(const at::Tensor& input, Activation activation, bool training) {
  return GatedActivationFunction::apply(input, activation, training);
}

Bias constantBias(const Bias& bias) {
  return {{}, bias.compute};
}

AttentionOutput attention(const AttentionInput& input, const Bias& bias, const AttentionPlan& given, bool training) {
  AttentionPlan plan = given;
  plan.biased = bias.parts[0].defined();
  auto outputs = AttentionFunction::apply(optional(input.query), input.packed, optional(bias.parts[0]),
                                          optional(bias.parts[1]), optional(bias.parts[2]), plan, training);
  return {outputs[0], plan.logitPenalty.empty() ? at::Tensor() : outputs[1],
          plan.measureLogits ? outputs.back() : at::Tensor()};
}

TokenLoss decoderLoss(const at::Tensor& input, const Matrix& decoder, const at::Tensor& bias, const at::Tensor& labels,
                      bool training) {
  auto outputs = DecoderLossFunction::apply(input, decoder.compute, decoder.parts[0], optional(bias), labels, training);
  return {outputs[0], outputs[1]};
}

}  // namespace batchwise
