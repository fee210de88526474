// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the host: what devices.activation_checkpointing saves and costs, counted by the allocator, and whether
// memory grows over 1,000 steps. Usage: memory_bench [steps]. Prints ratios; the growth is that of the process's
// resident size.
#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "core/base/random.h"
#include "core/model/adamw.h"
#include "core/model/encoder_model.h"
#include "core/train/device_memory.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

constexpr std::int32_t kVocabulary = 8192;

ModelShape shapeOf(std::int64_t layers, std::int64_t width) {
  ModelShape shape;
  shape.vocabSize = kVocabulary;
  shape.hiddenSize = width;
  shape.layers = layers;
  shape.heads = shape.keyValueHeads = width / 64;
  shape.intermediateSize = 4 * width;
  shape.maxPositions = 128;
  return shape;
}

/// Sequences of `longest` tokens, or of any length up to it if `drawn`.
DeviceBatch batchOf(std::int32_t sequences, std::int32_t longest, std::uint64_t drawn) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::int32_t sequence = 0; sequence < sequences; ++sequence) {
    const auto some = static_cast<std::uint64_t>(sequence);
    const std::int32_t length = drawn == 0 ? longest
                                           : 8 + static_cast<std::int32_t>(boundedRandom(
                                                     randomBits(drawn, some), static_cast<std::uint64_t>(longest - 7)));
    for (std::int32_t i = 0; i < length; ++i) {
      const auto place = static_cast<std::uint64_t>(batch.tokenIds.size());
      if (i % 7 == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(place));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(2, place), kVocabulary)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(1, place), kVocabulary)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(sequence);
    batch.indicesInStep.push_back(sequence);
    batch.longest = std::max(batch.longest, length);
  }
  return toDevice(batch, at::kCPU);
}

struct Trained {
  EncoderModel model;
  AdamW optimizer;

  explicit Trained(const ModelShape& shape)
      : model(orExit(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5))),
        optimizer(model.parameters(), AdamWOptions()) {}
  void step(const DeviceBatch& batch, std::int64_t number) {
    optimizer.zeroGradients();
    model.backward(model.forward(batch, {3, number, /*training=*/true}), 1e-3);
    optimizer.step(1e-4);
    model.parametersChanged();
  }
};

void benchRecomputing(std::int64_t layers) {
  struct Cost {
    std::int64_t activations = 0;
    double seconds = 0;
  };
  const DeviceBatch batch = batchOf(32, 128, 0);
  Cost costs[2];
  for (const bool recomputes : {false, true}) {
    Trained trained(shapeOf(layers, 256));
    trained.model.recomputeLayers(recomputes);
    for (int warm = 0; warm < 2; ++warm) trained.step(batch, warm);
    const std::int64_t before = hostTensorBytes().inUse;
    resetHostTensorPeak();
    Cost& cost = costs[recomputes ? 1 : 0];
    for (int i = 0; i < 3; ++i) cost.seconds += secondsOf([&] { trained.step(batch, i); });
    cost.activations = hostTensorBytes().peak - before;
  }
  std::printf(
      "activation_checkpointing, %lld layers, 32 x 128 tokens: %.1f MiB of activations instead of %.1f, ratio "
      "%.2f; time of a step: ratio %.2f\n",
      static_cast<long long>(layers), static_cast<double>(costs[1].activations) / (1 << 20),
      static_cast<double>(costs[0].activations) / (1 << 20),
      static_cast<double>(costs[1].activations) / static_cast<double>(costs[0].activations),
      costs[1].seconds / costs[0].seconds);
}

double residentMiB() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096 / (1 << 20);
}

void benchGrowth(int steps) {
  Trained trained(shapeOf(2, 128));
  double early = 0;
  std::int64_t tensors = 0;
  for (int i = 0; i < steps; ++i) {
    trained.step(batchOf(8, 128, static_cast<std::uint64_t>(i) + 1), i);
    if (i == steps / 5) {
      early = residentMiB();
      tensors = hostTensorBytes().inUse;
    }
  }
  std::printf(
      "growth from step %d to %d, lengths drawn anew for each: tensors %lld bytes, resident size %+.1f of %.1f MiB\n",
      steps / 5, steps, static_cast<long long>(hostTensorBytes().inUse - tensors), residentMiB() - early, early);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  batchwise::useCountingHostAllocator();
  for (const std::int64_t layers : {4, 12}) batchwise::benchRecomputing(layers);
  batchwise::benchGrowth(argc > 1 ? std::max(5, std::atoi(argv[1])) : 1000);
}
