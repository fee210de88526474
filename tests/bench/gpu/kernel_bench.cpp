// SPDX-License-Identifier: GPL-3.0-or-later
// Needs a GPU. Prints JSON objects, one a line, for gpu_table.py: dropout + residual + LayerNorm, forward and backward,
// by our kernels and by plain operations: seconds, GB/s.
// Usage: kernel_bench [rows]
#include <ATen/cuda/CUDAContext.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

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
  // Read and written at the least, in bf16: input, residual, sum, output; then output's gradient, sum, two gradients.
  const double bytes = 4.0 * 2.0 * static_cast<double>(rows * width);
  std::printf(
      "{\"what\": \"dropout + residual + LayerNorm, %lld x %lld bf16\", \"forward_us\": %.2f, \"forward_gbs\": %.0f, "
      "\"backward_us\": %.2f, \"backward_gbs\": %.0f, \"forward_ratio\": %.2f, \"backward_ratio\": %.2f}\n",
      static_cast<long long>(rows), static_cast<long long>(width), forward * 1e6, bytes / forward * 1e-9,
      backward * 1e6, bytes / backward * 1e-9, plain / forward, plainBackward / backward);
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
  return 0;
}
