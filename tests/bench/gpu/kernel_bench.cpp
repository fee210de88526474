// SPDX-License-Identifier: GPL-3.0-or-later
// Needs a GPU. Prints JSON objects, one a line, for gpu_table.py: dropout + residual + LayerNorm, bias + gelu and
// cross-entropy, forward and backward, by our kernels and by plain operations: seconds, GB/s.
// Usage: kernel_bench [rows]
#include <ATen/cuda/CUDAContext.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "core/model/backend.h"
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
  const at::Tensor outer = at::randn({rows, width}, half);
  const at::Tensor bias = at::randn({width}, full), gamma = at::randn({width}, full), beta = at::randn({width}, full);
  const at::Tensor keys = at::arange(rows, full.dtype(at::kLong));
  NormOptions options;
  options.dropout = makeDropout(1, 1, 1, DropoutSite::LayerOutput, kProbability);
  const Backend& backend = cudaBackend();
  const NormResult saved = backend.addNorm(input, bias, residual, keys, gamma, beta, options);
  const double forward = secondsOnDevice([&] { backend.addNorm(input, bias, residual, keys, gamma, beta, options); });
  const double backward = secondsOnDevice([&] { backend.addNormGradient(outer, {}, saved, keys, gamma, options); });
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
        at::native_layer_norm_backward(outer, sum, {width}, m, r, halfGamma, halfBeta, {true, true, true});
    at::native_dropout_backward(std::get<0>(inner), mask, 1.0 / (1.0 - kProbability)).sum(0);
  });
  // Input, residual, sum, output; then output's gradient, sum, two gradients.
  report("dropout + residual + LayerNorm", rows, width, {forward, plain, 4.0}, {backward, plainBackward, 4.0});
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

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  if (!at::cuda::is_available()) {
    std::fprintf(stderr, "kernel_bench: no CUDA device here\n");
    return 77;
  }
  const std::int64_t rows = argc > 1 ? std::max(1, std::atoi(argv[1])) : 65536;
  for (const std::int64_t width : {768, 1024}) batchwise::benchNorm(rows, width);
  for (const std::int64_t width : {3072, 4096}) batchwise::benchActivation(rows, width);
  for (const std::int64_t columns : {30522, 30528}) batchwise::benchCrossEntropy(8192, 30522, columns);
  return 0;
}
