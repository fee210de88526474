// SPDX-License-Identifier: GPL-3.0-or-later
// Needs a GPU. Prints JSON objects, one a line, for the stages of this folder: dropout + residual + LayerNorm, bias +
// gelu, cross-entropy, embeddings, gated gelu, rotary positions and the join of dq, dk and dv, forward and backward,
// and the norms of the gradients of sequences, by our kernels and by plain operations: seconds, GB/s. Usage:
// kernel_bench [rows]
#include <ATen/cuda/CUDAContext.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/backend.h"
#include "core/model/backend_check.h"
#include "core/model/device_error.h"
#include "core/model/kernel_calls.h"
#include "core/model/kernels/cuda_kernels.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

constexpr double kProbability = 0.1;

double secondsOnDevice(const std::function<void()>& work) {
  constexpr int kRepeats = 50;
  for (int warm = 0; warm < 5; ++warm) work();
  at::cuda::device_synchronize();
  return secondsOf([&] {
           for (int i = 0; i < kRepeats; ++i) work();
           at::cuda::device_synchronize();
         }) /
         kRepeats;
}

/// A kernel and plain operations that do the same, in seconds; `accesses`: how often each element is read or written at
/// the least, in bf16.
struct Way {
  double ours = 0;
  double plain = 0;
  double accesses = 0;
};

void report(const char* what, std::int64_t rows, std::int64_t width, const Way& forward, const Way& backward) {
  const auto perSecond = [&](const Way& way) {
    return way.accesses * 2.0 * static_cast<double>(rows * width) / way.ours * 1e-9;
  };
  std::printf(
      "{\"what\": \"%s, %lld x %lld bf16\", \"forward_us\": %.2f, \"forward_gbs\": %.0f, \"backward_us\": %.2f, "
      "\"backward_gbs\": %.0f, \"forward_ratio\": %.2f, \"backward_ratio\": %.2f}\n",
      what, static_cast<long long>(rows), static_cast<long long>(width), forward.ours * 1e6, perSecond(forward),
      backward.ours * 1e6, perSecond(backward), forward.plain / forward.ours, backward.plain / backward.ours);
}

void benchNorm(std::int64_t rows, std::int64_t width) {
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const auto full = half.dtype(at::kFloat);
  const at::Tensor input = at::randn({rows, width}, half), residual = at::randn({rows, width}, half);
  const at::Tensor outer = at::randn({rows, width}, half), second = at::randn({rows, width}, half);
  const at::Tensor bias = at::randn({width}, full), gamma = at::randn({width}, full), beta = at::randn({width}, full);
  const at::Tensor keys = at::arange(rows, full.dtype(at::kLong));
  NormOptions options;
  options.dropout = makeDropout(1, 1, 1, DropoutSite::LayerOutput, kProbability);
  const Backend& backend = cudaBackend();
  const NormResult saved = backend.addNorm(input, bias, residual, keys, gamma, beta, options);
  const double forward = secondsOnDevice([&] { backend.addNorm(input, bias, residual, keys, gamma, beta, options); });
  const NormOutputGradients outers{outer, second, {}};
  const double backward = secondsOnDevice([&] { backend.addNormGradient(outers, saved, keys, gamma, options); });
  const at::Tensor halfBias = bias.to(at::kBFloat16), halfGamma = gamma.to(at::kBFloat16),
                   halfBeta = beta.to(at::kBFloat16);
  at::Tensor mask, sum;
  const auto plainForward = [&] {
    auto dropped = at::native_dropout(input + halfBias, kProbability, true);
    mask = std::get<1>(dropped);
    sum = std::get<0>(dropped) + residual;
    return at::native_layer_norm(sum, {width}, halfGamma, halfBeta, 1e-12);
  };
  const double plain = secondsOnDevice([&] { plainForward(); });
  const auto [output, mean, rstd] = plainForward();
  const double plainBackward = secondsOnDevice([&, &m = mean, &r = rstd] {
    const auto inner =
        at::native_layer_norm_backward(outer + second, sum, {width}, m, r, halfGamma, halfBeta, {true, true, true});
    at::native_dropout_backward(std::get<0>(inner), mask, 1.0 / (1.0 - kProbability)).sum(0);
  });
  // Input, residual, sum, output; then two gradients of the output, sum, two gradients.
  report("dropout + residual + LayerNorm", rows, width, {forward, plain, 4.0}, {backward, plainBackward, 5.0});
}

/// Of sequences of 128 rows, by plain operations as backend_check.h has it. "Forward": of one gradient of the output;
/// "backward": of two.
void benchSequenceNorms(std::int64_t rows, std::int64_t width) {
  constexpr std::int64_t kLength = 128;
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const at::Tensor numbers = at::rand({rows}, half.dtype(at::kFloat));
  const at::Tensor starts = at::arange(rows / kLength + 1, half.dtype(at::kLong)).mul(kLength);
  const NormResult saved{{}, at::randn({rows, width}, half), numbers, numbers};
  NormOutputGradients outer{at::randn({rows, width}, half), {}, {}};
  const auto wayOf = [&](double accesses) {
    const auto by = [&](const Backend& backend) {
      return secondsOnDevice([&] { backend.sequenceNorms(outer, saved, starts, /*hasBeta=*/true); });
    };
    return Way{by(cudaBackend()), by(atenBackend()), accesses};
  };
  const Way one = wayOf(2.0);
  outer.second = at::randn({rows, width}, half);
  report("norms of the gradients of sequences", rows, width, one, wayOf(3.0));
}

void benchActivation(std::int64_t rows, std::int64_t width) {
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const at::Tensor input = at::randn({rows, width}, half), outer = at::randn({rows, width}, half);
  const at::Tensor bias = at::randn({width}, half.dtype(at::kFloat)), halfBias = bias.to(at::kBFloat16);
  const at::Tensor sum = input + halfBias;
  const Backend& backend = cudaBackend();
  Way forward, backward;
  forward.ours = secondsOnDevice([&] { backend.biasActivation(input, bias, Activation::Gelu, true); });
  forward.plain = secondsOnDevice([&] { at::gelu(input + halfBias); });
  forward.accesses = 2.0;
  backward.ours = secondsOnDevice([&] { backend.biasActivationGradient(outer, input, bias, Activation::Gelu); });
  backward.plain = secondsOnDevice([&] { at::gelu_backward(outer, sum).sum(0); });
  backward.accesses = 3.0;
  report("bias + gelu", rows, width, forward, backward);
}

/// Forward: the loss alone. Backward: the loss with its gradient in place of the logits; what they hold afterwards does
/// not matter to the time. `columns` beyond the vocabulary are padding.
void benchCrossEntropy(std::int64_t rows, std::int64_t vocabulary, std::int64_t columns) {
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const at::Tensor bias = at::zeros({vocabulary}, half.dtype(at::kFloat));
  const at::Tensor labels = at::randint(vocabulary, {rows}, half.dtype(at::kLong));
  const at::Tensor one = at::ones({}, half), plain = at::randn({rows, vocabulary}, half);
  at::Tensor logits = at::randn({rows, columns}, half);
  const auto plainLoss = [&] {
    const at::Tensor shares = at::log_softmax(plain, 1);
    return std::pair(shares, at::nll_loss_forward(shares, labels, {}, at::Reduction::Sum, -100));
  };
  Way forward, backward;
  forward.ours =
      secondsOnDevice([&] { cudaBackend().crossEntropy(logits, bias, labels, vocabulary, /*overwrite=*/false); });
  forward.plain = secondsOnDevice([&] { plainLoss(); });
  forward.accesses = 1.0;
  backward.ours =
      secondsOnDevice([&] { cudaBackend().crossEntropy(logits, bias, labels, vocabulary, /*overwrite=*/true); });
  backward.plain = secondsOnDevice([&] {
    const auto [shares, loss] = plainLoss();
    const at::Tensor inner =
        at::nll_loss_backward(one, shares, labels, {}, at::Reduction::Sum, -100, std::get<1>(loss));
    at::_log_softmax_backward_data(inner, shares, 1, at::kBFloat16);
  });
  backward.accesses = 3.0;
  report("cross-entropy", rows, columns, forward, backward);
}

/// Tokens as they come, so that some words are frequent. Accesses to fp32 count twice: forward, a row of the table of
/// words and the output; backward, with the gradient of the sum, which is written once and read by each table.
void benchEmbeddings(std::int64_t rows, std::int64_t width) {
  constexpr std::int64_t kWords = 30528, kLength = 128;
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const auto full = half.dtype(at::kFloat);
  const at::Tensor places = at::arange(rows, full.dtype(at::kLong)), positions = places.remainder(kLength);
  const at::Tensor ids = at::rand({rows}, full).pow(4).mul(kWords - 1).to(at::kLong);
  const EmbeddingWeights weights{at::randn({kWords, width}, full), at::randn({512, width}, full),
                                 at::randn({2, width}, full), at::ones({width}, full), at::zeros({width}, full)};
  const at::Tensor outer = at::randn({rows, width}, half);
  NormOptions options;
  options.dropout = makeDropout(1, 1, -1, DropoutSite::Embeddings, kProbability);
  const Backend& backend = cudaBackend();
  const NormResult saved = backend.embed(ids, positions, places, weights, options, at::kBFloat16);
  at::Tensor sum, mask, mean, rstd;
  const auto plainForward = [&] {
    sum = weights.word.index_select(0, ids).add_(weights.type[0]).add_(weights.position.index_select(0, positions));
    at::Tensor output;
    std::tie(output, mean, rstd) = at::native_layer_norm(sum, {width}, weights.gamma, weights.beta, 1e-12);
    std::tie(output, mask) = at::native_dropout(output, kProbability, true);
    return output.to(at::kBFloat16);
  };
  Way forward, backward;
  forward.ours = secondsOnDevice([&] { backend.embed(ids, positions, places, weights, options, at::kBFloat16); });
  forward.plain = secondsOnDevice([&] { plainForward(); });
  forward.accesses = 3.0;
  backward.ours =
      secondsOnDevice([&] { backend.embedGradient(outer, saved, ids, positions, places, weights, options); });
  backward.plain = secondsOnDevice([&] {
    const at::Tensor inner = at::native_dropout_backward(outer.to(at::kFloat), mask, 1.0 / (1.0 - kProbability));
    const at::Tensor ofSum = std::get<0>(at::native_layer_norm_backward(inner, sum, {width}, mean, rstd, weights.gamma,
                                                                        weights.beta, {true, true, true}));
    at::sum(ofSum, {0});
    at::embedding_dense_backward(ofSum, ids, kWords, -1, false);
    at::embedding_dense_backward(ofSum, positions, 512, -1, false);
  });
  backward.accesses = 9.0;
  report("embeddings", rows, width, forward, backward);
}

void benchGatedActivation(std::int64_t rows, std::int64_t width) {
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const at::Tensor input = at::randn({rows, 2 * width}, half), outer = at::randn({rows, width}, half);
  const at::Tensor gate = input.narrow(1, 0, width), up = input.narrow(1, width, width);
  const Backend& backend = cudaBackend();
  Way forward, backward;
  forward.ours = secondsOnDevice([&] { backend.gatedActivation(input, Activation::Gelu, true); });
  forward.plain = secondsOnDevice([&] { at::gelu(gate) * up; });
  forward.accesses = 3.0;
  const at::Tensor saved = input.clone();  // overwritten time and again
  backward.ours = secondsOnDevice([&] { backend.gatedActivationGradient(outer, saved, Activation::Gelu); });
  backward.plain = secondsOnDevice([&] { at::cat({at::gelu_backward(outer * up, gate), outer * at::gelu(gate)}, 1); });
  backward.accesses = 5.0;
  report("gated gelu", rows, width, forward, backward);
}

/// Rotary positions: forward, queries and keys in place; backward, the gradients of all three turned back while they
/// are joined; plain, as backend_check.h has it. The join alone: "forward" without, "backward" with the sums of the
/// bias.
void benchJoin(std::int64_t rows, std::int64_t heads) {
  constexpr std::int64_t kLength = 128;
  const auto half = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
  const auto full = half.dtype(at::kFloat);
  AttentionPlan plan;
  plan.heads = plan.keyValueHeads = heads;
  const at::Tensor angles = at::randn({kLength, plan.headSize / 2}, full);
  const at::Tensor positions = at::arange(rows, half.dtype(at::kLong)).remainder(kLength);
  plan.rotary = {angles.cos(), angles.sin(), positions, positions, false};
  const std::int64_t width = heads * plan.headSize;
  const at::Tensor packed = at::randn({rows, 3 * width}, half);
  std::vector<at::Tensor> parts;
  for (int part = 0; part < 3; ++part) parts.push_back(at::randn({rows, width}, half));
  JoinColumns<Bf16> plainArguments;
  for (std::size_t part = 0; part < 3; ++part) plainArguments.parts[part] = {pointer<Bf16>(parts[part]), width, width};
  plainArguments.output = pointer<Bf16>(packed);
  plainArguments.width = plainArguments.stride = 3 * width;
  const auto run = [&](const JoinColumns<Bf16>& a) {
    const auto launched = cudaJoinColumns(a, rows, at::cuda::getCurrentCUDAStream());
    if (!launched.ok()) throw KernelError(launched.error());
  };
  const auto plainJoin = [&] { return at::cat(parts, 1); };
  Way forward, backward;
  forward.ours = secondsOnDevice([&] { cudaBackend().rotate(packed, positions, 2 * heads, plan, false); });
  forward.plain = secondsOnDevice([&] { atenBackend().rotate(packed, positions, 2 * heads, plan, false); });
  forward.accesses = 2.0 * 2 / 3;
  JoinColumns<Bf16> turned = plainArguments;
  turned.rotary = rotaryOf<Bf16>(packed, positions, 2 * heads, plan, /*inverse=*/true);
  backward.ours = secondsOnDevice([&] { run(turned); });
  backward.plain = secondsOnDevice([&] { atenBackend().rotate(plainJoin(), positions, 2 * heads, plan, true); });
  backward.accesses = 2.0;
  report("rotary positions", rows, 3 * width, forward, backward);
  forward.ours = secondsOnDevice([&] { run(plainArguments); });
  forward.plain = secondsOnDevice([&] { plainJoin(); });
  forward.accesses = 2.0;
  backward.ours = secondsOnDevice([&] {
    JoinColumns<Bf16> summed = plainArguments;
    const at::Tensor columns = at::empty({cudaJoinColumnBlocks(summed, rows), 3 * width}, full);
    summed.columns = pointer<float>(columns);
    run(summed);
    columns.sum(0);
  });
  backward.plain = secondsOnDevice([&] { at::sum(plainJoin(), {0}, false, at::kFloat); });
  report("join of dq, dk and dv", rows, 3 * width, forward, backward);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  if (!at::cuda::is_available()) {
    std::fprintf(stderr, "kernel_bench: no CUDA device here\n");
    return 77;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what is measured is told, whatever fails after it
  const std::int64_t rows = argc > 1 ? std::max(1, std::atoi(argv[1])) : 65536;
  for (const std::int64_t width : {768, 1024}) batchwise::benchNorm(rows, width);
  for (const std::int64_t width : {768, 1024}) batchwise::benchSequenceNorms(rows, width);
  for (const std::int64_t width : {3072, 4096}) batchwise::benchActivation(rows, width);
  for (const std::int64_t columns : {30522, 30528}) batchwise::benchCrossEntropy(8192, 30522, columns);
  for (const std::int64_t width : {768, 1024}) batchwise::benchEmbeddings(rows, width);
  for (const std::int64_t width : {1152, 2624}) batchwise::benchGatedActivation(rows, width);
  for (const std::int64_t heads : {12, 16}) batchwise::benchJoin(rows, heads);
  return 0;
}
