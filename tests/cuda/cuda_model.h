// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/base/random.h"
#include "core/model/encoder_model.h"

namespace batchwise::cuda_test {

inline MicroBatch batchOf(const std::vector<std::int32_t>& lengths) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    for (std::int32_t i = 0; i < lengths[s]; ++i) {
      const std::uint64_t bits = randomBits(s, static_cast<std::uint64_t>(i));
      if (i % 6 == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(mix64(bits), 211)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(bits, 211)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(static_cast<std::int64_t>(s));
    batch.indicesInStep.push_back(static_cast<std::int32_t>(s));
    batch.longest = std::max(batch.longest, lengths[s]);
  }
  return batch;
}

inline ModelShape smallShape() {
  ModelShape shape;
  shape.vocabSize = 211;
  shape.hiddenSize = 64;
  shape.layers = 3;
  shape.heads = shape.keyValueHeads = 4;
  shape.intermediateSize = 128;
  shape.maxPositions = 64;
  return shape;
}

inline EncoderModel modelOn(const ModelShape& shape, Precision precision, at::Device device) {
  auto model = EncoderModel::create(shape, precision, device, 5);
  if (!model) throw std::runtime_error(model.error().text());
  return std::move(*model);
}

struct Outcome {
  double loss = 0;
  std::vector<at::Tensor> gradients;  // on the host
};

inline Outcome run(EncoderModel& model, const MicroBatch& batch) {
  for (const auto& [name, tensor] : model.parameters()) tensor.grad().zero_();
  const LossSums sums = model.forward(toDevice(batch, model.device()), {17, 3, true});
  model.backward(sums, 1.0 / static_cast<double>(batch.predicted()));
  Outcome outcome{sums.loss.item<double>() / static_cast<double>(batch.predicted()), {}};
  for (const auto& [name, tensor] : model.parameters()) outcome.gradients.push_back(tensor.grad().cpu());
  return outcome;
}

}  // namespace batchwise::cuda_test
