// SPDX-License-Identifier: GPL-3.0-or-later
// Needs a GPU. Prints JSON objects, one a line, for gpu_table.py:
//   - dropout + residual + LayerNorm, forward and backward, by our kernels and by plain operations: seconds, GB/s;
//   - host syncs per training step of model and optimiser, counted by LibTorch's own check of synchronising calls.
// Usage: kernel_bench [rows]
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/model/backend.h"
#include "core/model/bert_model.h"
#include "core/optim/adamw.h"
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

/// Counts LibTorch's warnings of calls that wait for the device.
class SyncCounter final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    if (warning.msg().find("synchroniz") != std::string::npos) ++count_;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

DeviceBatch batchOf(std::int32_t sequences, std::int32_t length, std::int64_t vocabulary) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  const auto drawn = [vocabulary](std::uint64_t key, std::size_t place) {
    return static_cast<std::int32_t>(boundedRandom(randomBits(key, place), static_cast<std::uint64_t>(vocabulary)));
  };
  for (std::int32_t sequence = 0; sequence < sequences; ++sequence) {
    for (std::int32_t i = 0; i < length; ++i) {
      const std::size_t place = batch.tokenIds.size();
      if (i % 7 == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(place));
        batch.labels.push_back(drawn(2, place));
      }
      batch.tokenIds.push_back(drawn(1, place));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(sequence);
    batch.placesInStep.push_back(sequence);
  }
  batch.longest = length;
  return toDevice(batch, at::kCUDA);
}

void countSyncs() {
  ModelShape shape;
  shape.vocabSize = 30522;
  shape.hiddenSize = 256;
  shape.layers = 4;
  shape.heads = 4;
  shape.intermediateSize = 1024;
  shape.maxPositions = 128;
  shape.hiddenDropout = kProbability;
  BertModel model = orExit(BertModel::create(shape, Precision::Bf16, at::Device(at::kCUDA, 0), 5));
  AdamWOptions options;
  options.gradClipNorm = 1.0;
  AdamW optimizer(model.parameters(), options);
  const DeviceBatch batch = batchOf(32, 128, shape.vocabSize);
  constexpr int kSteps = 20;
  SyncCounter counter;
  const c10::WarningUtils::WarningHandlerGuard guard(&counter);
  for (int i = 0; i < 5 + kSteps; ++i) {
    if (i == 5) c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_WARN);
    optimizer.zeroGradients();
    model.backward(model.forward(batch, {3, i, /*training=*/true}), 1e-3);
    optimizer.step(1e-4);
    model.parametersChanged();
  }
  c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  std::printf("{\"what\": \"host syncs per step of model and optimiser\", \"per_step\": %.2f}\n",
              static_cast<double>(counter.count()) / kSteps);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  if (!at::cuda::is_available()) {
    std::fprintf(stderr, "kernel_bench: no CUDA device here\n");
    return 77;
  }
  c10::WarningUtils::set_warnAlways(true);
  const std::int64_t rows = argc > 1 ? std::max(1, std::atoi(argv[1])) : 65536;
  for (const std::int64_t width : {768, 1024}) batchwise::benchNorm(rows, width);
  batchwise::countSyncs();
  return 0;
}
