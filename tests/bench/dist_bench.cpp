// SPDX-License-Identifier: GPL-3.0-or-later
// What several devices cost and hide, on processors:
//   - how much of the sums of gradients is hidden by the backward pass, with a communicator that takes a given time for
//     each bucket (aim: at least 90 %);
//   - what the way through buckets costs one rank on its own (aim: at most 1 %);
//   - how much layer_drop 0.2 shortens the step of a model of 12 layers, on one and on two ranks (aim: at least 12 %);
//   - what an exchange of a StoreLine costs ranks that come from a step of 10 ms (aim: at most 0.5 ms).
// Usage: dist_bench [repeats]. Prints medians and ratios of rounds that take turns; the cost and layer_drop in
// processor time, the overlap by the clock, for which the machine should be quiet.
#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/base/random.h"
#include "core/dist/communicator.h"
#include "core/dist/store_line.h"
#include "core/dist/thread_group.h"
#include "core/train/gradient_reducer.h"
#include "core/train/train_loop.h"
#include "tests/bench/bench_support.h"

namespace batchwise {
namespace {

constexpr std::int32_t kVocabulary = 2048;

ModelShape shapeOf(std::int64_t layers, std::int64_t width, double layerDrop) {
  ModelShape shape;
  shape.vocabSize = kVocabulary;
  shape.hiddenSize = width;
  shape.layers = layers;
  shape.heads = shape.keyValueHeads = width / 64;
  shape.intermediateSize = 4 * width;
  shape.maxPositions = 128;
  shape.layerDrop = layerDrop;
  return shape;
}

DeviceBatch batchOf(std::int32_t sequences, std::int32_t length) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::int32_t sequence = 0; sequence < sequences; ++sequence) {
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
  }
  batch.longest = length;
  return toDevice(batch, at::kCPU);
}

Replica replicaOf(const ModelShape& shape) {
  EncoderModel model = orExit(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
  AdamW optimizer(model.parameters(), AdamWOptions());
  return {std::move(model), std::move(optimizer)};
}

void oneStep(Replica& replica, GradientReducer* sums, const DeviceBatch& batch, std::int64_t step) {
  replica.optimizer.zeroGradients();
  const LossSums loss = replica.model.forward(batch, {3, step, /*training=*/true});
  if (sums != nullptr) sums->prepareForBackward();
  replica.model.backward(loss, 1e-3);
  if (sums != nullptr) orExit(sums->finish());
  replica.optimizer.step(1e-4);
}

void benchOverlap(int repeats) {
  const DeviceBatch batch = batchOf(16, 64);
  Replica plain = replicaOf(shapeOf(12, 256, 0.0));
  Replica bucketed = replicaOf(shapeOf(12, 256, 0.0));
  Replica delayed = replicaOf(shapeOf(12, 256, 0.0));
  std::vector<double> without, alone, with;
  SingleCommunicator single;
  GradientReducer singleSums(bucketed.model, single, GradientReducer::bucketBytesFor(bucketed.model));
  for (int i = 0; i < repeats + 2; ++i) {
    const double first = cpuSecondsOf([&] { oneStep(plain, nullptr, batch, i); });
    const double second = cpuSecondsOf([&] { oneStep(bucketed, &singleSums, batch, i); });
    if (i >= 2) without.push_back(first), alone.push_back(second);
  }
  const double step = median(without);
  std::printf(
      "one rank: step %.2f ms of processor time, through %lld buckets %.2f ms: costs %.2f %% (aim: at most 1 %%)\n",
      step * 1e3, static_cast<long long>(singleSums.buckets()), median(alone) * 1e3, (median(alone) / step - 1) * 100);
  // About a third of the step, which is half of its backward pass.
  const double each = step / 3 / static_cast<double>(singleSums.buckets());
  ThreadGroup oneRank(1);
  BlockingCommunicator network(
      oneRank.line(0),
      [each](const std::vector<at::Tensor>&) -> Result<void> {  // takes a time, as a network would, and no processor
        std::this_thread::sleep_for(std::chrono::duration<double>(each));
        return {};
      },
      {});
  GradientReducer sums(delayed.model, network, GradientReducer::bucketBytesFor(delayed.model));
  std::vector<double> base;
  for (int i = 0; i < repeats + 2; ++i) {
    const double first = secondsOf([&] { oneStep(plain, nullptr, batch, i); });
    const double second = secondsOf([&] { oneStep(delayed, &sums, batch, i); });
    if (i >= 2) base.push_back(first), with.push_back(second);
  }
  const double total = each * static_cast<double>(sums.buckets());
  const double exposed = median(with) - median(base);
  std::printf("overlap: sums take %.2f ms, %.2f ms of it exposed: %.1f %% hidden (aim: at least 90 %%)\n", total * 1e3,
              exposed * 1e3, (1 - exposed / total) * 100);
}

// Processor time of a step of all ranks, the mean: which layers fall out differs from step to step.
double stepSeconds(double layerDrop, std::int64_t ranks, int repeats) {
  ThreadGroup group(ranks);
  std::barrier ready(ranks + 1);  // the ranks, and who looks at the clock
  const auto train = [&](std::int64_t rank) {
    const std::unique_ptr<Communicator> communicator = group.communicator(rank);
    Replica replica = replicaOf(shapeOf(12, 128, layerDrop));
    std::optional<GradientReducer> sums;
    if (ranks > 1) sums.emplace(replica.model, *communicator, GradientReducer::bucketBytesFor(replica.model));
    const DeviceBatch batch = batchOf(16, 64);
    for (int i = 0; i < 2; ++i) oneStep(replica, sums ? &*sums : nullptr, batch, i);
    ready.arrive_and_wait();
    for (int i = 0; i < repeats; ++i) oneStep(replica, sums ? &*sums : nullptr, batch, i);
    ready.arrive_and_wait();
  };
  std::vector<std::jthread> ranksAtWork;
  for (std::int64_t rank = 0; rank < ranks; ++rank) ranksAtWork.emplace_back([&train, rank] { train(rank); });
  ready.arrive_and_wait();
  return cpuSecondsOf([&ready] { ready.arrive_and_wait(); }) / repeats;
}

void benchLayerDrop(int repeats) {
  for (const std::int64_t ranks : {1, 2}) {
    std::vector<double> ratios;
    for (int round = 0; round < 3; ++round) {
      const double all = stepSeconds(0.0, ranks, repeats);
      ratios.push_back(stepSeconds(0.2, ranks, repeats) / all);
    }
    std::printf("layer_drop 0.2, 12 layers, %lld rank(s): the step is %.1f %% shorter (aim: at least 12 %%)\n",
                static_cast<long long>(ranks), (1 - median(ratios)) * 100);
  }
}

// From the arrival of the last rank until the last rank has the texts of all.
void benchExchange(std::int64_t ranks, int repeats) {
  MeetingPoint point;
  point.host = "127.0.0.1";
  point.onOneMachine = true;
  FileDescriptor port = orExit(openRankPort(point));
  std::barrier ready(ranks);
  std::vector<double> arrived(static_cast<std::size_t>(ranks)), served(arrived), costs;
  const auto take = [&](std::int64_t rank) {
    const auto line =
        orExit(StoreLine::connect(rank, ranks, point, "bench", 60, rank == 0 ? std::move(port) : FileDescriptor()));
    const auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()); };
    for (int i = 0; i < repeats; ++i) {
      ready.arrive_and_wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      arrived[static_cast<std::size_t>(rank)] = now().count();
      orExit(line->exchange(std::string(32, 'x')));
      served[static_cast<std::size_t>(rank)] = now().count();
      ready.arrive_and_wait();
      if (rank == 0) costs.push_back(*std::ranges::max_element(served) - *std::ranges::max_element(arrived));
    }
  };
  const double processor = cpuSecondsOf([&] {
    std::vector<std::jthread> all;
    for (std::int64_t rank = 0; rank < ranks; ++rank) all.emplace_back([&take, rank] { take(rank); });
  });
  std::printf("exchange of %lld ranks: %.3f ms (aim: at most 0.5 ms), %.3f ms of processor time\n",
              static_cast<long long>(ranks), median(costs) * 1e3, processor * 1e3 / repeats);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 30;
  at::set_num_threads(1);
  for (const int ranks : {2, 8}) batchwise::benchExchange(ranks, std::max(10 * repeats, 1));
  batchwise::benchOverlap(std::max(repeats, 1));
  batchwise::benchLayerDrop(std::max(repeats, 1));
}
